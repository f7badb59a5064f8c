"""params.yaml and data/catalogue.yaml as one frozen, validated object."""

from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from stages.settings import paths
from stages.settings.analyses import Analyses, DocumentBudget, RetrainBudget
from stages.settings.catalogue import Catalogue, load_catalogue
from stages.settings.datasets import Dataset
from stages.settings.embedding import VectorKind
from stages.settings.errors import UserError, one_of
from stages.settings.overrides import Overridable, check_patterns
from stages.settings.reading import mapping, read_yaml, sentence, validated
from stages.settings.section import Count, Section, frozen
from stages.settings.studies import Entry, Study, TrainBudget

Named = tuple[str, Iterable[str], Collection[str]]  # key, the names it lists, the allowed names


def _check_names(key: str, names: Iterable[str], allowed: Collection[str]) -> None:
    listed = list(names)
    for place, name in enumerate(listed):
        if name not in allowed:
            raise ValueError(f"{key}: {name!r} is unknown; allowed: {one_of(allowed)}")
        if name in listed[:place]:
            raise ValueError(f"{key}: {name!r} is named twice")


class Engine(Section):
    """Where jobs run: processes of this machine, or workers of a dask cluster."""

    kind: Literal["local", "dask"]
    scheduler: str | None = None
    tries: Count  # of a job, before it counts as failed

    @model_validator(mode="after")
    def _scheduler_of_its_kind(self) -> "Engine":
        if self.kind == "dask" and not self.scheduler:
            raise ValueError("kind 'dask' needs a scheduler, for example tcp://127.0.0.1:8786")
        return self


class Preprocess(Section):
    """Length bounds for every data set, on top of its own."""

    max_length: Count | None = None
    min_length: Count | None = None


class Embed(Section):
    """The kinds of word vectors by name."""

    kinds: dict[str, VectorKind]


class Budget(Overridable):
    """How much of a data set a scale uses; null means all of it."""

    documents: dict[str, Count | None]
    tokens: dict[str, Count | None]
    max_length: Count | None = None

    @model_validator(mode="after")
    def _every_split(self) -> "Budget":
        for key, bounds in (("documents", self.documents), ("tokens", self.tokens)):
            if set(bounds) != {"train", "dev", "test"}:
                raise ValueError(f"{key} has keys {one_of(bounds)}; needed: train, dev, test")
        return self


class Scale(Section):
    """The budgets of one scale, by stage."""

    processes: Count | None = None
    preprocess: Budget
    train_base: dict[str, TrainBudget]
    correlation: DocumentBudget = DocumentBudget()
    faithfulness: DocumentBudget = DocumentBudget()
    permutation: DocumentBudget = DocumentBudget()
    adversarial: DocumentBudget = DocumentBudget()
    erasure: DocumentBudget = DocumentBudget()
    mean_context: DocumentBudget = DocumentBudget()
    polarity: DocumentBudget = DocumentBudget()
    dispersion: DocumentBudget = DocumentBudget()
    retrain: RetrainBudget


class Settings(Section):
    """All of params.yaml, and the catalogue."""

    scale: Annotated[str, Field(min_length=1)]
    seed: int
    engine: Engine
    archives: tuple[str, ...]
    preprocess: Preprocess
    embed: Embed
    corpora: dict[str, str]  # data sets to prepare -> kind of their vectors
    studies: dict[str, Study]
    analyses: Analyses
    scales: dict[str, Scale]
    catalogue: Catalogue = Field(exclude=True)

    @model_validator(mode="after")
    def _consistent(self) -> "Settings":
        for key, names, allowed in self._named():
            _check_names(key, names, allowed)
        for study in self.studies:
            self._check_study(study)
        for name, scale in self.scales.items():
            for stage in type(scale).model_fields:
                section = getattr(scale, stage)
                if isinstance(section, Overridable):
                    self._check_overrides(f"scales.{name}.{stage}", section, self.studies)
        return self

    def _named(self) -> Iterator[Named]:
        """Every list of names in params.yaml with the names it may use."""
        yield "scale", (self.scale,), self.scales
        yield "archives", self.archives, self.catalogue.archives
        yield "corpora", self.corpora, self.catalogue.groups
        for name, kind in self.corpora.items():
            yield f"corpora.{name}", (kind,), self.embed.kinds
        for name, scale in self.scales.items():
            yield f"scales.{name}.train_base", scale.train_base, self.studies
            yield "studies", self.studies, scale.train_base
        for name, study in self.studies.items():
            yield f"studies.{name}.datasets", study.datasets, self.corpora
        for analysis in type(self.analyses).model_fields:
            studies = getattr(self.analyses, analysis).studies
            yield f"analyses.{analysis}.studies", studies, self.studies
            for name, datasets in studies.items():
                if datasets != "all":
                    yield f"analyses.{analysis}.studies.{name}", datasets, self.catalogue.groups
        retrain = self.analyses.retrain
        for name, groups in retrain.studies.items():
            models = self.studies[name].entries
            for group, opponents in groups.items():
                key = f"analyses.retrain.studies.{name}.{group}"
                yield f"{key}.procedures", opponents.procedures, retrain.procedures
                yield f"{key}.models", opponents.models, models
                yield f"{key}.guided", filter(None, (opponents.guided,)), models

    @property
    def _names_of_data(self) -> list[str]:
        """All data sets and groups; a list may name some that a study leaves out for now."""
        return list(dict.fromkeys([*self.catalogue.groups, *self.catalogue.datasets]))

    def _check_study(self, name: str) -> None:
        """Every model of a study must be valid on every data set after all overrides."""
        study = self.studies[name]
        self._check_overrides(f"studies.{name}", study, [name])
        sweeps = {}
        for group in study.datasets:
            for dataset in self.catalogue.groups[group]:
                for model in study.entries:
                    entry = self._checked_entry(name, model, dataset, group)
                    if study.trained_on(model, dataset, group):
                        sweeps[dataset, group, model] = next(iter(entry.sweep.values()), ())
        for scale, budgets in self.scales.items():
            budget, key = budgets.train_base[name], f"scales.{scale}.train_base.{name}"
            self._check_overrides(key, budget, [name])
            budget.check_values(key, sweeps)

    def _checked_entry(self, name: str, model: str, dataset: str, group: str) -> Entry:
        study, key = self.studies[name], f"studies.{name}.models.{model}"
        try:
            entry = study.entry(model, dataset, group)
        except ValidationError as error:
            reason = sentence(error, study.raw_entry(model, dataset, group))
            raise ValueError(f"{key} on {dataset}: {reason}") from None
        _check_names(f"{key}.datasets", entry.datasets, self._names_of_data)
        _check_names(f"{key}.weights_of", filter(None, (entry.weights_of,)), study.entries)
        if entry.training.traced and study.groups is None:
            raise ValueError(f"studies.{name}: traced training needs the key groups")
        return entry

    def _check_overrides(
        self, key: str, section: Overridable | Study, studies: Iterable[str]
    ) -> None:
        models = dict.fromkeys(model for name in studies for model in self.studies[name].entries)
        procedures = self.analyses.retrain.procedures if key.endswith("retrain") else ()
        names = {"dataset": self._names_of_data, "model": models, "procedure": procedures}
        check_patterns(key, section.overrides, names)

    def study(self, name: str) -> Study:
        """A study by name, or an error that lists the studies."""
        if name not in self.studies:
            raise UserError(f"no study '{name}'; allowed: {one_of(self.studies)}")
        return self.studies[name]

    def analysed(self, analysis: str, study: str) -> tuple[str, ...]:
        """The data sets (groups) of a study that an analysis runs on."""
        studies = getattr(self.analyses, analysis).studies
        if study not in studies:
            allowed = one_of(studies)
            raise UserError(f"analyses.{analysis}.studies has no {study}; allowed: {allowed}")
        listed, of_study = studies[study], self.studies[study].datasets
        datasets = of_study if listed == "all" else tuple(n for n in listed if n in of_study)
        if not datasets:
            allowed = one_of(of_study)
            raise UserError(
                f"analyses.{analysis}.studies.{study} names no data set of the study; "
                f"allowed: {allowed}"
            )
        return datasets

    def members(self, group: str) -> dict[str, Dataset]:
        """The data sets of a group, or an error that lists the groups."""
        return self.catalogue.members(group)

    @property
    def budget(self) -> Scale:
        """The budgets of the current scale."""
        return self.scales[self.scale]


def parse(raw: Any, origin: str, catalogue: Catalogue) -> Settings:
    """Validate a parsed YAML document; the first error becomes one sentence."""
    whole = mapping(raw, origin)
    if "catalogue" in whole:
        raise UserError(f"{origin}: unknown key 'catalogue'; data sets are in {paths.CATALOGUE}")
    return validated(Settings, frozen(whole | {"catalogue": catalogue}), origin)


@cache
def load(path: Path = paths.PARAMS) -> Settings:
    """Read and validate params.yaml."""
    return parse(read_yaml(path), str(path), load_catalogue())
