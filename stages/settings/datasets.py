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
    def _bounds(self) -> "Dataset":
        if self.min_length and self.max_length and self.min_length >= self.max_length:
            raise ValueError(
                f"min_length {self.min_length} must be below max_length {self.max_length}"
            )
        return self

    @model_validator(mode="after")
    def _one_class_per_value(self) -> "Dataset":
        if isinstance(self.labels, dict):
            values = [raw for raws in self.labels.values() for raw in raws]
            twice = [raw for raw in values if values.count(raw) > 1]
            if not values or twice:
                fault = f"'{twice[0]}' stands for two classes" if twice else "no class is listed"
                raise ValueError(f"labels: {fault}")
        return self

    @property
    def is_pair(self) -> bool:
        """Whether each text has a query."""
        return self.task != "classification"

    @property
    def text(self) -> Path:
        """The archive's folder, the user's file or folder, or the generator's code."""
        place = paths.RAW / self.archive if self.archive else self.source.place
        assert place is not None, self.text_fault()
        return place

    def text_fault(self) -> str | None:
        """The mistake in the keys that define `text`, or None."""
        kind, place = self.source.kind, self.source.place
        if self.archive:
            return None if place is None else f"archive: kind {kind!r} has none"
        if place is None and kind == "local":
            return "source.folder: key required"
        if place is None:
            return f"archive: key required for kind {kind!r}; files of your own have kind: local"
        of_user = kind == "local" or getattr(self.source, "folder", None)
        if of_user and not place.is_relative_to(paths.OWN):
            return f"source: {place} lies outside {paths.OWN}, the folder for files of your own"
        return None
