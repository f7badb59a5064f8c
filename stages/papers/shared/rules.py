"""Claims as data and the rules that decide them.

An entry of papers/<paper>/claims.yaml states a claim: the paper's words, the quantity that is
measured, the bounds it must lie within and the rule that joins rows to one verdict. A function of
the paper returns the rows (one for each model and data set the claim speaks of); `decide` does the
rest.

A row `holds` if its whole interval lies inside the bounds, `fails` if all of it lies outside, and
is `undecided` otherwise. Rules:

* `every`: all rows must hold, and one that fails fails the claim.
* `most: p`: the share of rows that hold is at least p.
* `count: k`: at least k rows hold.
* `mean`, `difference`: there is one row, a mean or a difference over all runs.

Half of the rows that a claim speaks of, and two where there are two, must be measured, or the claim
is undecided: the other rows might turn the verdict. They cannot where a row fails `every`, or where
as many as `count` hold.

A row's label starts with the data set and the model it rests on, where it rests on one.
"""

import math
from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from stages.papers.shared.results import StudyResults, concerning
from stages.papers.shared.rows import NO_ROW, Measured, Row, measured
from stages.settings.reading import read_yaml, validated
from stages.settings.section import Count, Section, Text, frozen
from stages.settings.studies import Gate

HOLDS, FAILS, UNDECIDED, NOT_RUN = "holds", "fails", "undecided", "not run"
NAMED = 3  # runs that a reason names
Record = dict[str, Any]


class Most(Section):
    """A share of the rows."""

    most: Annotated[float, Field(gt=0, le=1)]


class AtLeast(Section):
    """A number of rows."""

    count: Count


class Claim(Section):
    """A claim of a paper in our words, and how it is decided."""

    id: str
    statement: str
    where: str  # in the paper
    quote: str  # the words that the rule rests on
    quantity: str
    unit: str
    rule: Literal["every", "mean", "difference"] | Most | AtLeast
    above: float = -math.inf
    below: float = math.inf
    published: Text
    runs: Literal["learnt", "gated"] = "learnt"  # gated: claims about accuracy itself
    measure: str = ""  # the function that returns the rows, by its name in claims.py
    arguments: dict[str, Any] = Field(default_factory=dict)  # of that function

    @model_validator(mode="after")
    def _bounded(self) -> "Claim":
        if math.isinf(self.above) and math.isinf(self.below):
            raise ValueError(f"{self.id}: give one of the keys above, below")
        return self

    @property
    def threshold(self) -> str:
        """The bounds in words."""
        if math.isinf(self.below):
            return f"above {self.above:g}"
        if math.isinf(self.above):
            return f"below {self.below:g}"
        return f"{self.above:g} to {self.below:g}"

    @property
    def rule_text(self) -> str:
        """The rule in words."""
        if isinstance(self.rule, Most):
            return f"at least {self.rule.most:.0%} of rows"
        if isinstance(self.rule, AtLeast):
            return f"at least {self.rule.count} {'row' if self.rule.count == 1 else 'rows'}"
        return "every row" if self.rule == "every" else f"the {self.rule}"

    def measured(self, claims: ModuleType, results: StudyResults) -> Measured:
        """Rows and a note, which the function may leave out."""
        rows = attrgetter(self.measure)(claims)(results, **self.arguments)
        return rows if isinstance(rows, tuple) else (rows, "")

    def of_row(self, row: Row) -> str:
        """Where the interval of a row lies."""
        if math.isnan(row.low):
            return UNDECIDED
        if self.above < row.low and row.high < self.below:
            return HOLDS
        return FAILS if row.high <= self.above or row.low >= self.below else UNDECIDED

    def margin(self, row: Row) -> float:
        """The distance of a row's value from the nearest bound; negative outside."""
        return min(row.value - self.above, self.below - row.value)


class Claims(Section):
    """A whole claims.yaml."""

    claims: tuple[Claim, ...]


def read_claims(path: Path) -> dict[str, Claim]:
    """The claims of a file by id."""
    whole = validated(Claims, frozen({"claims": read_yaml(path)}), str(path))
    return {claim.id: claim for claim in whole.claims}


def records(claims: ModuleType, results: StudyResults, gate: Gate) -> list[Record]:
    """The record of every claim of a paper, by the runs that may decide it.

    `claims` is its claims.py, with the functions that claims.yaml beside it names.
    """
    refused = {kind: results.refused(gate, kind == "learnt") for kind in ("learnt", "gated")}
    usable = {kind: results.without(runs) for kind, runs in refused.items()}
    decided = []
    for claim in read_claims(Path(str(claims.__file__)).with_name("claims.yaml")).values():
        gone = refused[claim.runs]
        rows, note = claim.measured(claims, usable[claim.runs])
        every = claim.measured(claims, results)[0] if len(gone) else rows
        whole = measured(every)
        reasons = concerning(gone, [row.row for row in whole])
        if whole and not measured(rows):  # labels that name no run may rest on any
            reasons = reasons or list(dict.fromkeys(gone["reason"]))
        decided.append(decide(claim, rows, note, reasons, len(every)))
    return decided


def decide(
    claim: Claim,
    rows: Sequence[Row | None],
    note: str = "",
    refused: Sequence[str] = (),
    spoken_of: int = 0,
) -> Record:
    """The record of a claim; `refused` says why runs were left out.

    `spoken_of` is the number of rows with all runs, by default of those that are there.
    """
    spoken_of = spoken_of or len(rows)
    gated = "; ".join(refused[:NAMED])
    if (more := len(refused) - NAMED) > 0:
        gated += f"; and {more} more {'run' if more == 1 else 'runs'}"
    rows = measured(rows)
    if not rows:
        reason = f"not run at this scale: {gated}" if gated else note
        if gated and note:
            reason += f". {note}"
        return record(claim, None, [], NOT_RUN, reason or "no run has enough documents")
    verdicts = [claim.of_row(row) for row in rows]
    shown = shown_row(claim, rows, verdicts)
    held = verdicts.count(HOLDS)
    reason = f"{held} of {len(rows)} rows hold"
    least = min(spoken_of, max(2, math.ceil(spoken_of / 2)))
    verdict = joined(claim, verdicts, len(rows) >= least)
    if len(rows) < least and verdict == UNDECIDED:
        reason += f"; {len(rows)} of {spoken_of} rows could be measured, {least} are needed"
    if shown.runs <= 1 or max(row.seeds for row in rows) == 1:
        reason += "; one seed"
    reason = ". ".join(filter(None, (reason, note, gated and f"Left out: {gated}")))
    return record(claim, shown, rows, verdict, reason)


def joined(claim: Claim, verdicts: Sequence[str], enough: bool = True) -> str:
    """The verdict of the claim's rule on the verdicts of its rows; `enough` were measured."""
    held, possible = verdicts.count(HOLDS), len(verdicts) - verdicts.count(FAILS)
    if isinstance(claim.rule, Most):
        needed: float = claim.rule.most * len(verdicts)
    elif isinstance(claim.rule, AtLeast):
        needed = claim.rule.count
    else:
        needed = len(verdicts)
    if held >= needed and (enough or isinstance(claim.rule, AtLeast)):
        return HOLDS
    too_few = len(verdicts) < needed  # rows that were not measured might hold
    fails = possible < needed and not too_few and (enough or claim.rule == "every")
    return FAILS if fails else UNDECIDED


def shown_row(claim: Claim, rows: Sequence[Row], verdicts: Sequence[str]) -> Row:
    """The row that decides: for `every` the breaking or else the nearest one.

    For a share or a number of rows: how many hold, with the undecided ones as interval.
    """
    if isinstance(claim.rule, Most | AtLeast):
        held, failed, n = verdicts.count(HOLDS), verdicts.count(FAILS), len(verdicts)
        unit = 1 if isinstance(claim.rule, AtLeast) else n
        values = (held / unit, held / unit, (n - failed) / unit)
        counts = [max(column) for column in zip(*(row[4:] for row in rows), strict=True)]
        return Row(f"{held} of {n} rows", *values, *counts)
    return min(rows, key=claim.margin)


def record(
    claim: Claim, shown: Row | None, rows: Sequence[Row], verdict: str, reason: str
) -> Record:
    """One entry of claims.json; numbers that do not exist are null."""
    row = shown or NO_ROW
    return {
        "id": claim.id,
        "statement": claim.statement,
        "where": claim.where,
        "quote": claim.quote,
        "statistic": claim.quantity,
        "unit": claim.unit,
        "rule": claim.rule_text,
        "threshold": claim.threshold,
        "published": claim.published,
        "ours": significant(row.value),
        "low": significant(row.low),
        "high": significant(row.high),
        "n": row.documents,
        "runs": row.runs,
        "seeds": row.seeds,
        "documents": row.documents,
        "shown": row.row,
        "verdict": verdict,
        "reason": reason,
        "rows": [_rounded(one) | {"verdict": claim.of_row(one)} for one in rows],
    }


def _rounded(row: Row) -> Record:
    numbers = {name: significant(getattr(row, name)) for name in ("value", "low", "high")}
    return row._asdict() | numbers


def significant(value: float) -> float | None:
    """Rounded to four significant digits; None for NaN."""
    return None if math.isnan(value) else float(f"{value:.4g}")


def counted(decided: Sequence[Record]) -> dict[str, int]:
    """How many claims got each verdict."""
    counts = Counter(entry["verdict"] for entry in decided)
    return {name: counts[name] for name in (HOLDS, FAILS, UNDECIDED, NOT_RUN)}
