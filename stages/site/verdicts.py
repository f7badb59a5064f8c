"""All claims on one board: whose they are, where their figure is, and the answer they add up to."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stages.papers.claims import FAILS, HOLDS, counted
from stages.site.content import Content, Key

Record = dict[str, Any]
REJOINDER = "wiegreffe-pinter"  # its claims are decided with Jain & Wallace's models
MOST, FEWEST = 2 / 3, 3  # share of key claims that decides the answer, and how many it takes
PLACE = re.compile(r"(Supplement )?(Figure|Table)s? (\d+)")


@dataclass(frozen=True)
class Row:
    """A claim on the board."""

    record: Record
    paper: str  # whose claim it is
    page: str  # the paper whose page shows it
    experiment: str
    anchor: str  # of its figure or table on that page, if it is there


def rows(
    papers: Mapping[str, Sequence[Record]],
    contents: Mapping[str, Content],
    present: Mapping[str, Collection[str]],
) -> list[Row]:
    """Every claim of every paper, in the papers' order."""
    return [
        Row(
            record,
            REJOINDER if record["id"].startswith("WP") else page,
            page,
            contents[page].experiment(record["id"]),
            anchor(record["where"], present[page]),
        )
        for page, records in papers.items()
        for record in records
    ]


def anchor(where: str, present: Collection[str]) -> str:
    """The first figure or table that a place names, among those that the page has."""
    for found in PLACE.finditer(where):
        supplement, kind, number = found.groups()
        kind = kind.lower()
        name = f"{kind}-{number}"
        if supplement:
            name = f"supplement-{number}" if kind == "figure" else f"supplement-{name}"
        if name in present:
            return name
    return ""


def counts(board: Sequence[Row], papers: Collection[str]) -> dict[str, dict[str, int]]:
    """How many claims of each paper got each verdict."""
    return {paper: counted([row.record for row in board if row.paper == paper]) for paper in papers}


@dataclass(frozen=True)
class Answer:
    """What the verdicts say about the question, clause by clause."""

    word: str
    decided: int
    of: int
    against: list[tuple[str, str]]  # claim and clause
    in_favour: list[tuple[str, str]]
    unsettled: list[str]

    @property
    def total(self) -> int:
        """Key claims, settled or not."""
        return len(self.against) + len(self.in_favour) + len(self.unsettled)


def answer(board: Sequence[Row], keys: Sequence[Key]) -> Answer:
    """The key claims that hold or fail speak for or against; the larger part gives the word."""
    verdicts = {row.record["id"]: row.record["verdict"] for row in board}
    against: list[tuple[str, str]] = []
    in_favour: list[tuple[str, str]] = []
    unsettled: list[str] = []
    for key in keys:
        verdict = verdicts.get(key.id, "")
        if verdict not in (HOLDS, FAILS):
            unsettled.append(key.id)
            continue
        clause = (key.id, key.holds if verdict == HOLDS else key.fails)
        speaks_against = (key.speaks == "against") == (verdict == HOLDS)
        (against if speaks_against else in_favour).append(clause)
    word = _word(len(against), len(in_favour))
    decided = sum(verdict in (HOLDS, FAILS) for verdict in verdicts.values())
    return Answer(word, decided, len(board), against, in_favour, unsettled)


def _word(against: int, in_favour: int) -> str:
    total = against + in_favour
    if total < FEWEST:
        return "This run decides too few of the key claims to answer"
    if against / total >= MOST:
        return "Mostly no"
    return "Mostly yes" if in_favour / total >= MOST else "In part"
