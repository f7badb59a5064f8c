"""The cost of a run before it is started: `python -m stages.engine.plan --scale paper`.

Jobs, tokens and core-hours of every study and stage. Seconds per token and the sizes of the data
sets are those that a finished run recorded (reports/<scale>/run/jobs.csv and sizes.csv).
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stages.engine.records import KIND
from stages.engine.retrain_jobs import oppositions
from stages.engine.trained import trained_runs
from stages.settings import paths
from stages.settings.analyses import DocumentBudget
from stages.settings.errors import UserError, one_of, stage
from stages.settings.params import Settings, load
from stages.settings.runs import Run, runs_of

ANALYSES = ("correlation", "permutation", "adversarial", "erasure", "polarity", "dispersion")
REPLICATED = tuple(name for name in ANALYSES if name != "erasure")  # run on all seeds
# seconds per token grow with the length of a document to this power (reports/benchmarks/growth.csv)
GROWTH = {"correlation": 0.8, "dispersion": 0.8, "erasure": 0.2}


@dataclass(frozen=True)
class Work:
    """The runs of one kind of job on one data set."""

    stage: str
    run: Run
    runs: int
    tokens: float  # read by all of them, all epochs included
    length: float  # mean, of a document


def works(settings: Settings, sizes: pd.DataFrame) -> Iterator[Work]:
    """All work of a scale."""
    for name, study in settings.studies.items():
        for group in study.datasets:
            for run in runs_of(settings, name, group):
                tokens, length = within(settings, sizes, run.dataset, "train", run.tokens)
                yield Work("train_base", run, 1, run.training.epochs * tokens, length)
    for analysis in ANALYSES:
        budget = getattr(settings.budget, analysis)
        for study_name in getattr(settings.analyses, analysis).studies:
            for group in settings.analysed(analysis, study_name):
                for trained in trained_runs(settings, study_name, group, budget):
                    if analysis in REPLICATED or not trained.run.replica:
                        yield _analysed(settings, sizes, analysis, trained.run, trained.budget)
    for study_name in settings.analyses.retrain.studies:
        for group in settings.analysed("retrain", study_name):
            for job in oppositions(settings, study_name, group):
                run, pairs = job.pairs[0][0].run, len(job.pairs)
                bounds = (settings, sizes, run.dataset, "train", run.tokens, job.documents)
                tokens, length = within(*bounds)
                yield Work("retrain", run, pairs, pairs * job.training.epochs * tokens, length)


def _analysed(
    settings: Settings, sizes: pd.DataFrame, analysis: str, run: Run, budget: DocumentBudget
) -> Work:
    bounds = (settings, sizes, run.dataset, "test", budget.tokens, budget.instances)
    return Work(analysis, run, 1, *within(*bounds))


def within(
    settings: Settings,
    sizes: pd.DataFrame,
    dataset: str,
    split: str,
    tokens: int | None,
    documents: int | None = None,
) -> tuple[float, float]:
    """Tokens of a split that budgets leave, and the mean length; NaN where no size is recorded."""
    if (dataset, split) not in sizes.index:
        return np.nan, np.nan
    groups = [name for name, members in settings.catalogue.groups.items() if dataset in members]
    scale = settings.budget.preprocess.of(dataset=(dataset, *groups))
    size = sizes.loc[(dataset, split)]
    length = float(size["mean_length"])
    counts = [size["documents"], scale.documents[split], documents]
    most = [length * count for count in counts if count is not None]
    return min([*most, *(t for t in (scale.tokens[split], tokens) if t is not None)]), length


def seconds(work: Work, recorded: pd.DataFrame) -> float:
    """CPU seconds, from recorded jobs of the same kind, on the same data set if there are any."""
    model = work.run.settings
    kind = [work.stage, work.run.study, model.architecture, model.encoder.kind]
    alike = recorded[(recorded[KIND] == kind).all(axis=1)]
    same = alike[alike["dataset"] == work.run.dataset]
    rows = same if len(same) else alike
    if rows.empty or not rows["tokens"].sum():
        return np.nan
    rate = rows["cpu_seconds"].sum() / rows["tokens"].sum()
    length = (rows["length"] * rows["tokens"]).sum() / rows["tokens"].sum()
    return float(rate * work.tokens * (work.length / length) ** GROWTH.get(work.stage, 0.0))


def table(settings: Settings, sizes: pd.DataFrame, recorded: pd.DataFrame) -> pd.DataFrame:
    """Runs, millions of tokens and core-hours of each study and stage, and of all."""
    rows = [
        {
            "study": work.run.study,
            "stage": work.stage,
            "runs": work.runs,
            "tokens": work.tokens / 1e6,
            "hours": seconds(work, recorded) / 3600,
        }
        for work in works(settings, sizes.set_index(["dataset", "split"]))
    ]
    frame = pd.DataFrame(rows)
    frame["unknown"] = frame["runs"].where(frame["hours"].isna(), 0)
    summed = frame.groupby(["study", "stage"], sort=False).sum().reset_index()
    order = {name: place for place, name in enumerate(settings.studies)}
    summed = summed.sort_values("study", key=lambda names: names.map(order), kind="stable")
    total = {"study": "all", "stage": ""} | summed.drop(columns=["study", "stage"]).sum().to_dict()
    return pd.concat([summed, pd.DataFrame([total])], ignore_index=True)


def markdown(plan: pd.DataFrame) -> str:
    """The table as text."""
    lines = ["| study | stage | runs | million tokens | core-hours |", "|---|---|---|---|---|"]
    for row in plan.itertuples():
        hours = f"{row.hours:,.2f}" if row.hours < 10 else f"{row.hours:,.0f}"
        hours += f" (and {row.unknown:.0f} runs without a record)" if row.unknown else ""
        parts = (row.study, row.stage, f"{row.runs:,.0f}", f"{row.tokens:,.1f}", hours)
        lines.append(f"| {' | '.join(parts)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the plan of a scale."""
    settings = load()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", default=settings.scale, help=one_of(settings.scales))
    parser.add_argument("--recorded", default="laptop", help="the scale of the recorded run")
    options = parser.parse_args()
    if options.scale not in settings.scales:
        raise UserError(f"no scale '{options.scale}'; allowed: {one_of(settings.scales)}")
    folder = paths.reports(options.recorded) / "run"
    files = [folder / name for name in ("sizes.csv", "jobs.csv")]
    for file in files:
        if not file.is_file():
            raise UserError(f"{file} is not there; `dvc repro` at that scale writes it")
    sizes, recorded = (pd.read_csv(file) for file in files)
    print(markdown(table(settings.model_copy(update={"scale": options.scale}), sizes, recorded)))


if __name__ == "__main__":
    stage(main, note=False)
