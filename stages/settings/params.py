"""params.yaml to one frozen, validated object; the first thing wrong becomes one sentence."""

from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from stages.settings import paths
from stages.settings.analyses import (
    SECTIONS,
    Adversarial,
    Correlation,
    Dispersion,
    DocumentBudget,
    Erasure,
    Permutation,
)
from stages.settings.catalogue import spelt_out
from stages.settings.datasets import Dataset
from stages.settings.embedding import VectorKind
from stages.settings.engine import Engine
from stages.settings.errors import UserError, one_of
from stages.settings.reading import mapping, read_yaml, validated
from stages.settings.retraining import Retrain, RetrainBudget, RetrainCell
from stages.settings.section import Count, Excepting, Section, frozen
from stages.settings.sources import Package
from stages.settings.studies import Study, StudyName, Training

Names = Annotated[tuple[str, ...], Field(min_length=1)]


class Fetch(Section):
    """Which archives `dvc repro` fetches."""

    archives: tuple[str, ...]


class Preprocess(Section):
    """Length bounds for every data set, on top of its own."""

    max_length: Count | None
    min_length: Count | None


class Corpus(Section):
    """A data set that `dvc repro` prepares, and what it is made from."""

    text: str


class Vectors(Section):
    """Word vectors that `dvc repro` makes: for which data set, of which kind, from what."""

    dataset: str
    kind: str
    source: str


class Embed(Section):
    """The kinds of word vectors by name."""

    kinds: dict[str, VectorKind]


class Budget(Section):
    """How much of a data set a scale uses; null means all of it."""

    documents: dict[str, Count | None]
    tokens: dict[str, Count | None]
    max_length: Count | None

    @model_validator(mode="after")
    def _every_split(self) -> "Budget":
        for key, bounds in (("documents", self.documents), ("tokens", self.tokens)):
            if set(bounds) != {"train", "dev", "test"}:
                raise ValueError(f"{key} has keys {one_of(bounds)}; needed: train, dev, test")
        return self


class TrainBudget(Excepting):
    """How much of a study's training a scale does; null means what the study says."""

    epochs: Count | None
    tokens: Count | None
    seeds: Count | None
    learning_rate: Annotated[float, Field(gt=0)] | None

    def grants(self, study: Study, name: str) -> Study:
        """The study with this one model, and the epochs, learning rate and seeds it gets."""
        model = study.models[name]
        given = study.training.model_dump() | model.training
        given["epochs"] = min(filter(None, (given["epochs"], self.epochs)))
        given["learning_rate"] = self.learning_rate or given["learning_rate"]
        return study.model_copy(
            update={
                "training": Training.model_validate(given),
                "seeds": study.seeds[: self.seeds],
                "models": {name: model.model_copy(update={"training": {}})},
            }
        )


class Scale(Section):
    """The budgets of one scale, by stage."""

    processes: Count | None
    preprocess: Budget
    train_base: dict[StudyName, TrainBudget]
    correlation: DocumentBudget
    faithfulness: DocumentBudget
    permutation: DocumentBudget
    adversarial: DocumentBudget
    erasure: DocumentBudget
    mean_context: DocumentBudget
    polarity: DocumentBudget
    dispersion: DocumentBudget
    retrain: RetrainBudget


class TrainCell(Section):
    """A node of train-base: a study on a data set, and the vectors it starts from."""

    study: StudyName
    dataset: str
    vectors: str


class Settings(Section):
    """All of params.yaml."""

    seed: int
    scale: Annotated[str, Field(min_length=1)]
    scales: dict[str, Scale]
    engine: Engine
    fetch: Fetch
    preprocess: Preprocess
    embed: Embed
    corpora: dict[str, Corpus]
    vectors: dict[str, Vectors]
    studies: dict[StudyName, Study]
    cells: dict[str, TrainCell]
    trials: dict[StudyName, Names]
    erasures: dict[StudyName, Names]
    polarities: dict[StudyName, Names]
    dispersions: dict[StudyName, Names]
    retrains: dict[str, RetrainCell]
    correlation: Correlation
    permutation: Permutation
    adversarial: Adversarial
    erasure: Erasure
    dispersion: Dispersion
    retrain: Retrain
    archives: dict[str, tuple[Package, ...]]
    datasets: dict[str, Dataset]  # variants already spelt out
    # entry of datasets: -> its data sets, often just itself; made from the variants, never given
    families: dict[str, tuple[str, ...]] = Field(exclude=True)

    @model_validator(mode="after")
    def _names(self) -> "Settings":
        named_in: list[tuple[str, Iterable[str], Collection[str]]]
        named_in = [
            ("scale", (self.scale,), self.scales),
            ("corpora", self.corpora, self.families),
            ("fetch.archives", self.fetch.archives, self.archives),
        ]
        for name, vectors in self.vectors.items():
            named_in += [
                (f"vectors.{name}.dataset", (vectors.dataset,), self.corpora),
                (f"vectors.{name}.kind", (vectors.kind,), self.embed.kinds),
            ]
        known_sets = [*self.families, *self.datasets]
        for study, settings in self.studies.items():
            for name, model in settings.models.items():
                named_in.append((f"studies.{study}.models.{name}.only", model.only, known_sets))
        for name, cell in self.cells.items():
            named_in += [
                (f"cells.{name}.study", (cell.study,), self.studies),
                (f"cells.{name}.dataset", (cell.dataset,), self.corpora),
            ]
        for section in dict.fromkeys(SECTIONS.values()):
            listed = getattr(self, section)
            named_in.append((section, listed, self.studies))
            for study, names in listed.items():
                named_in.append((f"{section}.{study}", names, self._trained(study)))
        for name, opposed in self.retrains.items():
            named_in += [
                (f"retrains.{name}.study", (opposed.study,), self.studies),
                (f"retrains.{name}.dataset", (opposed.dataset,), self._trained(opposed.study)),
                *opposed.named_in(f"retrains.{name}", self.retrain, self.studies),
            ]
        for key, names, known in named_in:
            for place, name in enumerate(names):
                if name not in known:
                    raise ValueError(f"{key}: {name!r} is unknown; allowed: {one_of(known)}")
                if name in list(names)[:place]:
                    raise ValueError(f"{key}: {name!r} is named twice")
        return self

    def _trained(self, study: StudyName) -> list[str]:
        return [cell.dataset for cell in self.cells.values() if cell.study == study]

    def tried(self, test: str, study: StudyName) -> tuple[str, ...]:
        """The entries of corpora: on which a study's models go through a test."""
        listed: dict[StudyName, tuple[str, ...]] = getattr(self, SECTIONS[test])
        return listed.get(study, ())

    def members(self, family: str) -> dict[str, Dataset]:
        """The data sets of an entry of `datasets:`, or a refusal that lists the entries."""
        if family not in self.families:
            raise UserError(f"no data set '{family}'; allowed: {one_of(self.families)}")
        return {name: self.datasets[name] for name in self.families[family]}

    @property
    def budget(self) -> Scale:
        """The budgets of the current scale."""
        return self.scales[self.scale]


def parse(raw: Any, origin: str) -> Settings:
    """Validate a parsed YAML document; the first error becomes one sentence."""
    whole = mapping(raw, origin)
    if "families" in whole:
        raise UserError(f"{origin}: unknown key 'families'; variants: of datasets: make families")
    if isinstance(whole.get("datasets"), dict):
        datasets, families = spelt_out(whole["datasets"], {}, origin)
        whole = whole | {"datasets": datasets, "families": families}
    return validated(Settings, frozen(whole), origin)


@cache
def load(path: Path = paths.PARAMS) -> Settings:
    """Read and validate params.yaml."""
    return parse(read_yaml(path), str(path))
