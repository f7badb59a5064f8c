"""The cost of a run before it is started: `python -m stages.engine.plan --scale paper`.

Runs, tokens, core-hours and minutes of every study and stage. Estimates of `cost.py` are corrected
by the seconds of recorded jobs; they and the sizes of the data sets are those of a finished run
(reports/<scale>/run/jobs.csv and sizes.csv).
"""

import argparse
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from stages.engine.analyses import budgets_of
from stages.engine.cost import UNKNOWN, Cost, Sizes, Split, analysis_cost, makespan, training_cost
from stages.engine.retrain_jobs import oppositions, retraining_cost
from stages.engine.trained import trained_runs
from stages.engine.training import stacks
from stages.engine.training_jobs import select_on
from stages.settings import paths
from stages.settings.errors import UserError, one_of, stage
from stages.settings.params import Settings, load
from stages.settings.runs import Run, runs_of

ANALYSES = ("correlation", "permutation", "adversarial", "erasure", "polarity", "dispersion")
REPLICATED = tuple(name for name in ANALYSES if name != "erasure")  # run on all seeds
KIND = ["stage", "study", "architecture", "encoder"]  # estimates of one kind are corrected alike


@dataclass(frozen=True)
class Work:
    """One job."""

    stage: str
    run: Run  # the first of its runs
    runs: int
    cost: Cost


def works(settings: Settings, table: pd.DataFrame) -> Iterator[Work]:
    """All jobs of a scale; `table` has the sizes of the data sets."""
    datasets = settings.catalogue.datasets
    sizes = {dataset: sizes_within(settings, table, dataset) for dataset in datasets}
    for name, study in settings.studies.items():
        runs = [run for group in study.datasets for run in runs_of(settings, name, group)]
        for some in stacks(runs, study.stacked):
            cost = training_cost(some, select_on(some[0], study), sizes[some[0].dataset])
            yield Work("train_base", some[0], len(some), cost)
    for analysis in ANALYSES:
        budget = getattr(settings.budget, analysis)
        for study_name in getattr(settings.analyses, analysis).studies:
            for group in settings.analysed(analysis, study_name):
                for trained in trained_runs(settings, study_name, group, budget):
                    run = trained.run
                    if analysis in REPLICATED or not run.replica:
                        budgets = budgets_of(settings, (analysis, "faithfulness"), run)
                        cost = analysis_cost(analysis, run, budgets, sizes[run.dataset])
                        yield Work(analysis, run, 1, cost)
    for study_name in settings.analyses.retrain.studies:
        for group in settings.analysed("retrain", study_name):
            for job in oppositions(settings, study_name, group):
                run = job.first.run
                yield Work("retrain", run, len(job.pairs), retraining_cost(job, sizes[run.dataset]))


def sizes_within(settings: Settings, table: pd.DataFrame, dataset: str) -> Sizes:
    """The sizes of a data set within the scale's budget; NaN where none is recorded."""
    rows = table[table["dataset"] == dataset]
    if rows.empty:
        return UNKNOWN
    groups = [name for name, members in settings.catalogue.groups.items() if dataset in members]
    scale = settings.budget.preprocess.of(dataset=(dataset, *groups))
    sizes = {}
    for split, documents, length in rows[["split", "documents", "mean_length"]].to_numpy():
        within = Split(documents, length).tokens(scale.tokens[split], scale.documents[split])
        sizes[split] = Split(within / length, length)
    return sizes


def seconds(work: Work, recorded: pd.DataFrame) -> float:
    """CPU seconds: the estimate, corrected by recorded jobs of the same kind, on the same data set
    if there are any."""
    model = work.run.settings
    kind = [work.stage, work.run.study, model.architecture, model.encoder.kind]
    alike = recorded[(recorded[KIND] == kind).all(axis=1)]
    same = alike[alike["dataset"] == work.run.dataset]
    rows = same if len(same) else alike
    if rows.empty:
        return math.nan
    return float(work.cost.seconds * rows["cpu_seconds"].sum() / rows["estimate"].sum())


def table(
    settings: Settings, sizes: pd.DataFrame, recorded: pd.DataFrame, cores: int
) -> pd.DataFrame:
    """Runs, millions of tokens, core-hours and minutes of each study and stage, and of all."""
    rows = [
        {
            "study": work.run.study,
            "stage": work.stage,
            "runs": work.runs,
            "tokens": work.cost.tokens / 1e6,
            "hours": seconds(work, recorded) / 3600,
        }
        for work in works(settings, sizes)
    ]
    frame = pd.DataFrame(rows)
    frame["unknown"] = frame["runs"].where(frame["hours"].isna(), 0)
    stages = frame.groupby(["study", "stage"], sort=False)
    summed = stages.sum()
    summed["minutes"] = stages["hours"].agg(
        lambda hours: 60 * makespan(hours.dropna().sort_values(ascending=False), cores)
    )
    summed = summed.reset_index()
    order = {name: place for place, name in enumerate(settings.studies)}
    summed = summed.sort_values("study", key=lambda names: names.map(order), kind="stable")
    total = {"study": "all", "stage": ""} | summed.drop(columns=["study", "stage"]).sum().to_dict()
    return pd.concat([summed, pd.DataFrame([total])], ignore_index=True)


def markdown(plan: pd.DataFrame, cores: int) -> str:
    """The table as text."""
    titles = ("study", "stage", "runs", "million tokens", "core-hours", f"minutes on {cores} cores")
    lines = [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
    for row in plan.itertuples():
        hours, minutes = (
            f"{value:,.2f}" if value < 10 else f"{value:,.0f}" for value in (row.hours, row.minutes)
        )
        hours += f" (and {row.unknown:.0f} runs without a record)" if row.unknown else ""
        parts = (row.study, row.stage, f"{row.runs:,.0f}", f"{row.tokens:,.1f}", hours, minutes)
        lines.append(f"| {' | '.join(parts)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the plan of a scale."""
    settings = load()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", default=settings.scale, help=one_of(settings.scales))
    parser.add_argument("--recorded", default="laptop", help="the scale of the recorded run")
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="for the minutes")
    options = parser.parse_args()
    if options.scale not in settings.scales:
        raise UserError(f"no scale '{options.scale}'; allowed: {one_of(settings.scales)}")
    folder = paths.reports(options.recorded) / "run"
    files = [folder / name for name in ("sizes.csv", "jobs.csv")]
    for file in files:
        if not file.is_file():
            raise UserError(f"{file} is not there; `dvc repro` at that scale writes it")
    sizes, recorded = (pd.read_csv(file) for file in files)
    if "estimate" not in recorded:
        raise UserError(f"{files[1]} has no estimates of jobs; `dvc repro` at that scale writes it")
    planned = settings.model_copy(update={"scale": options.scale})
    print(markdown(table(planned, sizes, recorded, options.cores), options.cores))


if __name__ == "__main__":
    stage(main, note=False)
