"""One data set of the catalogue: its owner and source, and how it is cleaned and split."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, model_validator

from stages.settings import paths
from stages.settings.section import Count, Fraction, Section, Text
from stages.settings.sources import Source

Recipe = Literal["spacy", "sst", "keras", "clean", "newsgroups", "mimic", "blanks"]
Values = Annotated[tuple[Text, ...], BeforeValidator(lambda v: v if isinstance(v, tuple) else (v,))]


def _listed(labels: Any) -> Any:
    """A list of classes as a mapping of each to itself."""
    if not isinstance(labels, tuple):
        return labels
    twice = [name for name in labels if labels.count(name) > 1]
    if twice:
        raise ValueError(f"{str(twice[0])!r} is listed twice")
    return {str(name): name for name in labels}


Labels = Annotated[dict[str, Values] | Literal["words"] | None, BeforeValidator(_listed)]


class Split(Section):
    """Shares drawn for dev and test if the source has no such split."""

    dev: Fraction | None = None
    test: Fraction | None = None
    stratified: bool


class Vocabulary(Section):
    """Words in at least `minimum` documents, or with at least `minimum` occurrences (tokens)."""

    minimum: Count
    of: Literal["documents", "tokens"]
    counted_on: Literal["train", "train+dev", "all"]


class Dataset(Section):
    """One data set, its defaults filled in."""

    title: str
    owner: str
    origin: str
    terms: str
    stands_for: str
    private: bool = False
    archive: str | None = None
    task: Literal["classification", "question", "inference"]
    source: Source
    labels: Labels = None  # None: the values of the label column
    recipe: Recipe
    sentences: bool = False
    duplicates: Literal["remove", "keep"]
    balanced: bool = False
    split: Split
    vocabulary: Vocabulary
    min_length: Count | None = None
    max_length: Count | None = None
    long: Literal["drop", "cut", "keep"]

    @model_validator(mode="after")
    def _consistent(self) -> "Dataset":
        if self.min_length and self.max_length and self.min_length >= self.max_length:
            raise ValueError(
                f"min_length {self.min_length} must be below max_length {self.max_length}"
            )
        if isinstance(self.labels, dict):
            values = [raw for raws in self.labels.values() for raw in raws]
            twice = [raw for raw in values if values.count(raw) > 1]
            if not values or twice:
                fault = f"'{twice[0]}' stands for two classes" if twice else "no class is listed"
                raise ValueError(f"labels: {fault}")
        return self

    @model_validator(mode="after")
    def _text_exists(self) -> "Dataset":
        kind, place = self.source.kind, self.source.place
        if self.archive and place:
            raise ValueError(f"archive: kind {kind!r} has none")
        if not (self.archive or place):
            raise ValueError(
                f"archive: key required for kind {kind!r}; files of your own have kind: local"
            )
        of_user = kind == "local" or getattr(self.source, "folder", None)
        if of_user and not self.text.is_relative_to(paths.OWN):
            raise ValueError(
                f"source: {place} lies outside {paths.OWN}, the folder for files of your own"
            )
        return self

    @property
    def is_pair(self) -> bool:
        """Whether each text has a query."""
        return self.task != "classification"

    @property
    def text(self) -> Path:
        """The archive's folder, the user's file or folder, or the generator's code."""
        return self.source.place or paths.RAW / str(self.archive)
