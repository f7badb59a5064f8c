"""The scoreboard: every claim with its paper and figure, and the answer the key claims give."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stages.papers.shared.rules import FAILS, HOLDS, Record
from stages.site.content import Key
from stages.site.gathering import Paper

REJOINDER = "wiegreffe-pinter"  # its claims are decided with Jain & Wallace's models
MOST, FEWEST = 2 / 3, 3  # share of key claims that decides the answer, smallest number of them
PLURAL = {HOLDS: "hold", FAILS: "fail"}
PLACE = re.compile(r"(Supplement )?(Figure|Table)s? (\d+)")


@dataclass(frozen=True)
class Row:
    """A claim on the scoreboard."""

    record: Record
    paper: str  # that makes the claim
    page: str  # the paper whose page shows it
    analysis: str
    anchor: str  # of its figure or table on that page; empty if there is none


def rows(papers: Mapping[str, Paper]) -> list[Row]:
    """Every claim of every paper, in the papers' order."""
    return [
        Row(
            record,
            REJOINDER if record["id"].startswith("WP") else page,
            page,
            paper.content.analysis(record["id"]),
            anchor(record["where"], {*paper.tables, *(figure.name for figure in paper.figures)}),
        )
        for page, paper in papers.items()
        for record in paper.records or []
    ]


def anchor(where: str, present: Collection[str]) -> str:
    """The first figure or table named in `where` that the page has."""
    for match in PLACE.finditer(where):
        supplement, kind, number = match.groups()
        kind = kind.lower()
        name = f"{kind}-{number}"
        if supplement:
            name = f"supplement-{number}" if kind == "figure" else f"supplement-{name}"
        if name in present:
            return name
    return ""


def summary(counts: Mapping[str, int]) -> str:
    """Counts as text: "15 hold, 1 fails, 3 undecided"."""
    return ", ".join(
        f"{n} {verdict if n == 1 else PLURAL.get(verdict, verdict)}"
        for verdict, n in counts.items()
        if n
    )


@dataclass(frozen=True)
class Answer:
    """The answer to the question, with a clause for each key claim."""

    word: str
    decided: int
    of: int
    against: list[tuple[str, str]]  # claim and clause
    in_favour: list[tuple[str, str]]
    unsettled: list[str]

    @property
    def total(self) -> int:
        """Number of key claims, settled or not."""
        return len(self.against) + len(self.in_favour) + len(self.unsettled)


def answer(board: Sequence[Row], keys: Sequence[Key]) -> Answer:
    """Key claims that hold or fail count for or against; a two-thirds majority gives the word."""
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


def measured(entry: Mapping[str, Any]) -> str:
    """The number of a claim or of one of its rows with its interval; empty where there is none.

    Where a share or a number of rows decides, it is that: "7 of 9 rows".
    """
    if entry.get("shown", "").endswith(" rows"):
        return str(entry["shown"])
    value = entry.get("ours", entry.get("value"))
    text = "" if value is None else number(value)
    if entry["low"] is not None:
        text += f" ({number(entry['low'])} to {number(entry['high'])})"
    return text


def number(value: float) -> str:
    """Two decimals, or three significant digits where these would be 0.00."""
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.2f}" if abs(value) >= 0.005 or value == 0 else f"{value:.2g}"
