"""The cost of a run, computed by hand for one data set from recorded jobs."""

import numpy as np
import pandas as pd
import pytest

from stages.engine import plan
from stages.engine.cost import makespan
from stages.settings.errors import UserError
from tests.fixtures.project import settings_of

SIZES = pd.DataFrame(
    [("tickets", "train", 100, 50), ("tickets", "dev", 6, 50), ("tickets", "test", 12, 50)],
    columns=["dataset", "split", "documents", "mean_length"],
)
TRAIN, DEV, TEST = 5000, 300, 600  # tokens
STAGES = ("train_base", "correlation", "permutation", "retrain")


def settings(scale="large"):
    """One study on one data set."""
    analyses = ("adversarial", "erasure", "polarity", "dispersion")
    study = {"studies/pooled/datasets": ["tickets"], "studies/pooled/overrides": []}
    models = {f"studies/pooled/models/{name}/datasets": ["tickets"] for name in NAMED}
    retrain = {"tickets": {"models": ["average-additive"], "procedures": ["published"]}}
    none = {f"analyses/{name}/studies": {} for name in analyses}
    return settings_of(
        study
        | models
        | none
        | {"analyses/retrain/studies": {"pooled": retrain}, "scale": scale}
        | {"scales/small/retrain/overrides": []}
    )


NAMED = ("bilstm-uniform", "bilstm-sparse", "average-frozen")


def recorded(stages=STAGES, dataset="tickets", estimate=1.0, seconds=2.0):
    """Jobs that took twice as long as was estimated."""
    rows = [
        (stage, "pooled", "flat", encoder, dataset, estimate, seconds)
        for stage in stages
        for encoder in ("bilstm", "average")
    ]
    return pd.DataFrame(rows, columns=[*plan.KIND, "dataset", "estimate", "cpu_seconds"])


def planned(scale="large", jobs=None, cores=2):
    table = plan.table(settings(scale), SIZES, recorded() if jobs is None else jobs, cores)
    return table[table["study"] == "pooled"].set_index("stage")


def test_runs_and_tokens_without_bounds():
    table = planned()
    trained = 3 * (TRAIN + DEV / 3) + TEST / 3  # of one run in three epochs; scored ones in part
    assert table.loc["train_base", "runs"] == 6 * 3  # models, seeds
    assert table.loc["train_base", "tokens"] == pytest.approx(18 * trained / 1e6)
    assert table.loc["correlation", "runs"] == 4 * 3  # with attention of their own, all seeds
    assert table.loc["permutation", "runs"] == 4 * 3
    assert table.loc["permutation", "tokens"] == pytest.approx(4 * 3 * TEST / 1e6)


def test_adversaries_cost_what_their_training_reads_and_scores():
    table = planned()
    assert table.loc["retrain", "runs"] == 3  # one against each seed, stacked
    each = 3 * (TRAIN + (DEV + TEST) / 3)
    assert table.loc["retrain", "tokens"] == pytest.approx(3 * each / 1e6)
    small = planned("small")
    assert small.loc["retrain", "runs"] == 4  # two seeds, two adversaries
    scored = 2 * 5 * 50  # five documents of dev and of test
    assert small.loc["retrain", "tokens"] == pytest.approx(4 * 2 * (400 + scored / 3) / 1e6)


def test_budgets_of_a_scale_bind():
    sizes = plan.sizes_within(settings("small"), SIZES, "tickets")
    assert sizes["train"].tokens() == 2000
    assert sizes["train"].tokens(400) == 400
    assert sizes["test"].tokens(600, 4) == 4 * 50
    assert plan.sizes_within(settings(), SIZES, "tickets")["train"].tokens() == TRAIN
    assert np.isnan(plan.sizes_within(settings(), SIZES, "imdb")["train"].tokens())


def test_estimates_are_corrected_by_recorded_jobs_of_the_same_data_set_or_kind():
    work = next(w for w in plan.works(settings(), SIZES) if w.stage == "correlation")
    other = recorded(dataset="imdb", seconds=9.0)
    both = pd.concat([recorded(), other])
    assert plan.seconds(work, both) == pytest.approx(2 * work.cost.seconds)
    assert plan.seconds(work, other) == pytest.approx(9 * work.cost.seconds)


def test_the_plan_of_a_recorded_run_has_its_hours():
    works = [work for work in plan.works(settings(), SIZES) if work.run.study == "pooled"]
    rows = [(work.stage, work.run.settings.encoder.kind, work.cost.seconds) for work in works]
    jobs = pd.DataFrame(rows, columns=["stage", "encoder", "estimate"])
    jobs = jobs.assign(study="pooled", architecture="flat", dataset="tickets")
    jobs["cpu_seconds"] = 1.0 + np.arange(len(jobs)) % 7
    hours = jobs.groupby("stage")["cpu_seconds"].sum() / 3600
    table = planned(jobs=jobs)
    for name in STAGES:
        assert table.loc[name, "hours"] == pytest.approx(hours[name])


def test_minutes_are_those_of_a_schedule_longest_first():
    assert makespan([3.0, 2.0, 2.0, 1.0], 2) == 4.0
    assert makespan([1.0, 2.0, 2.0, 3.0], 2) == 5.0  # the longest last
    one, two, many = (planned(cores=cores) for cores in (1, 2, 99))
    assert one["minutes"].to_numpy() == pytest.approx(one["hours"].to_numpy() * 60)
    assert (two["minutes"] >= two["hours"] * 30 - 1e-12).all()
    longest = max(
        plan.seconds(work, recorded())
        for work in plan.works(settings(), SIZES)
        if (work.run.study, work.stage) == ("pooled", "train_base")
    )
    assert many.loc["train_base", "minutes"] == pytest.approx(longest / 60)


def test_the_last_line_is_the_total_and_counts_runs_without_a_record():
    table = plan.table(settings(), SIZES, recorded(("train_base",)), 4)
    assert table[table["study"] == "pooled"].set_index("stage").loc["correlation", "unknown"] == 12
    total = table.iloc[-1]
    for column in ("runs", "hours", "minutes", "unknown"):
        assert total[column] == pytest.approx(table.iloc[:-1][column].sum())
    header, *_, last = plan.markdown(table, 4).splitlines()
    assert header.endswith("| minutes on 4 cores |")
    assert f"(and {total['unknown']:.0f} runs without a record)" in last


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--scale", "huge"], "no scale 'huge'; allowed: small, large"),
        (["--recorded", "small"], "reports/small/run/sizes.csv is not there; `dvc repro` at that"),
    ],
)
def test_what_is_missing_is_named(monkeypatch, tmp_path, arguments, line):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plan, "load", settings)
    monkeypatch.setattr("sys.argv", ["plan.py", *arguments])
    with pytest.raises(UserError, match=f"^{line}"):
        plan.main()
