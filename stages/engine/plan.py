"""What a run will cost before it is started: `python -m stages.engine.plan --scale paper`.

Cells, tokens and core-hours of every paper and stage, from sizes of the data sets and speeds of the
models that were recorded once (sizes.csv, speeds.csv beside this file; `--count` and `--measure`
record them anew, from the fetched text and on this machine).
"""

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from stages.engine.cells import cells_of
from stages.engine.grid import subjects
from stages.engine.retraining import jobs_of
from stages.settings.analyses import SECTIONS
from stages.settings.errors import UserError, one_of, stage
from stages.settings.params import Settings, load
from stages.settings.resolved import granted
from stages.settings.studies import Model

README = Path("README.md")
MARKED = re.compile(r"(<!-- plan: [^\n]*-->\n).*?(<!-- end of plan -->)", re.DOTALL)
SIZES, SPEEDS = (Path(__file__).with_name(f"{name}.csv") for name in ("sizes", "speeds"))
REPLICATED = ("polarity", "dispersion")  # also tried on models of other seeds
KIND = ["stage", "study", "task", "architecture", "encoder"]


@dataclass(frozen=True)
class Work:
    """Some cells of a stage that cost alike."""

    stage: str
    study: str
    task: str  # of the data set
    architecture: str  # flat or hierarchical
    encoder: str
    dataset: str
    cells: int
    tokens: float  # read by all of them, all epochs together
    length: float  # of a document


def works(settings: Settings, sizes: pd.DataFrame) -> Iterator[Work]:
    """All work of a scale on the data sets whose sizes are known."""
    known = sizes.set_index(["dataset", "split"])
    for cell in settings.cells.values():
        for name, dataset in settings.members(cell.dataset).items():
            for only, budget in granted(settings, cell.study, cell.dataset, name):
                cells = cells_of(only)
                tokens, length = within(settings, known, name, "train", budget.tokens, None)
                read = len(cells) * only.training.epochs * tokens
                kind = alike(cells[0].settings)
                yield Work(
                    "train_base", cell.study, dataset.task, *kind, name, len(cells), read, length
                )
    for test, section in SECTIONS.items():
        for study, families in getattr(settings, section).items():
            for family in families:
                yield from _tried(settings, known, test, study, family)
    yield from _retrained(settings, known)


def _tried(
    settings: Settings, known: pd.DataFrame, test: str, study: str, family: str
) -> Iterator[Work]:
    budget = getattr(settings.budget, test)
    for subject in subjects(settings, study, family, budget):  # type: ignore[arg-type]
        if subject.replica and test not in REPLICATED:
            continue
        name = subject.dataset
        task = settings.datasets[name].task
        tokens, length = within(settings, known, name, "test", budget.tokens, budget.instances)
        yield Work(test, study, task, *alike(subject.cell.settings), name, 1, tokens, length)


def _retrained(settings: Settings, known: pd.DataFrame) -> Iterator[Work]:
    for entry in settings.retrains.values():
        for job in jobs_of(settings, entry):
            base = job.pairs[0][0]
            name, task = base.dataset, settings.datasets[base.dataset].task
            tokens, length = within(settings, known, name, "train", None, job.budget.documents)
            kind, cells = alike(base.cell.settings), len(job.pairs)
            read = cells * job.training.epochs * tokens
            yield Work("retrain", base.study, task, *kind, name, cells, read, length)


def alike(model: Model) -> tuple[str, str]:
    """Models of one family and encoder cost about the same."""
    return model.architecture, model.encoder.kind


def within(
    settings: Settings,
    known: pd.DataFrame,
    name: str,
    split: str,
    tokens: int | None,
    documents: int | None,
) -> tuple[float, float]:
    """Tokens of a split that budgets leave, and the mean length; not a number if uncounted."""
    if (name, split) not in known.index:
        return np.nan, np.nan
    size, scale = known.loc[(name, split)], settings.budget.preprocess
    length = min(size["tokens"] / size["documents"], scale.max_length or np.inf)
    bounds = [size["documents"], scale.documents[split], documents]
    most = [length * bound for bound in bounds if bound is not None]
    return min([*most, *(t for t in (scale.tokens[split], tokens) if t is not None)]), length


def seconds(work: Work, speeds: pd.DataFrame) -> float:
    """Of one core. Between and beyond the lengths measured, cost follows a power of the length."""
    speed = "train_base" if work.stage == "retrain" else work.stage  # an adversary is trained alike
    wanted = [speed, *(getattr(work, column) for column in KIND[1:])]
    found = speeds[(speeds[KIND] == wanted).all(axis=1)].sort_values("length")
    if found.empty:
        return np.nan
    lengths, rates = found["length"].to_numpy(), found["tokens_per_second"].to_numpy()
    power = np.log(rates[-1] / rates[0]) / np.log(lengths[-1] / lengths[0]) if len(found) > 1 else 0
    return float(work.tokens / (rates[0] * (work.length / lengths[0]) ** np.clip(power, -1, 0.5)))


def table(settings: Settings, sizes: pd.DataFrame, speeds: pd.DataFrame) -> pd.DataFrame:
    """Cells, millions of tokens and core-hours of each paper and stage, and of all."""
    rows = [
        {
            "paper": work.study,
            "stage": work.stage,
            "cells": work.cells,
            "tokens": work.tokens / 1e6,
            "hours": seconds(work, speeds) / 3600,
            "unknown": work.cells if np.isnan(seconds(work, speeds)) else 0,
        }
        for work in works(settings, sizes)
    ]
    summed = pd.DataFrame(rows).groupby(["paper", "stage"], sort=False).sum().reset_index()
    order = {name: place for place, name in enumerate(settings.studies)}
    summed = summed.sort_values("paper", key=lambda names: names.map(order), kind="stable")
    sums = summed[["cells", "tokens", "hours", "unknown"]].sum().to_dict()
    whole = {"paper": "all", "stage": ""} | sums
    return pd.concat([summed, pd.DataFrame([whole])], ignore_index=True)


def markdown(found: pd.DataFrame) -> str:
    """The table as the README has it."""
    lines = ["| paper | stage | cells | million tokens | core-hours |", "|---|---|---|---|---|"]
    for row in found.itertuples():
        hours = f"{row.hours:,.2f}" if row.hours < 10 else f"{row.hours:,.0f}"
        hours += f" (and {row.unknown:.0f} cells not measured)" if row.unknown else ""
        parts = (row.paper, row.stage, f"{row.cells:,.0f}", f"{row.tokens:,.1f}", hours)
        lines.append(f"| {' | '.join(parts)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the plan, after recording sizes or speeds if asked to."""
    settings = load()
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--scale", default=settings.scale, help=one_of(settings.scales))
    arguments.add_argument("--count", action="store_true", help="count the fetched text first")
    arguments.add_argument("--measure", action="store_true", help="measure speeds first, minutes")
    arguments.add_argument("--readme", action="store_true", help="put the table into the README")
    given = arguments.parse_args()
    if given.scale not in settings.scales:
        raise UserError(f"no scale '{given.scale}'; allowed: {one_of(settings.scales)}")
    settings = settings.model_copy(update={"scale": given.scale})
    if given.count:
        from stages.engine.sizes import counted

        counted(settings).to_csv(SIZES, index=False)
    if given.measure:
        from stages.engine.speeds import measured

        measured(settings).to_csv(SPEEDS, index=False)
    for path, option in ((SIZES, "--count"), (SPEEDS, "--measure")):
        if not path.is_file():
            raise UserError(f"{path} is not there; {option} makes it")
    found = markdown(table(settings, pd.read_csv(SIZES), pd.read_csv(SPEEDS)))
    print(found)
    if given.readme:
        text = README.read_text(encoding="utf-8")
        README.write_text(MARKED.sub(lambda m: f"{m[1]}{found}\n{m[2]}", text), encoding="utf-8")


if __name__ == "__main__":
    stage(main, note=False)
