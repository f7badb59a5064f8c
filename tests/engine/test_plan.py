"""The cost of a run, computed by hand for one data set from recorded jobs."""

import numpy as np
import pandas as pd
import pytest

from stages.engine import plan
from stages.engine.records import job_table
from stages.settings.errors import UserError
from tests.fixtures.project import settings_of

SIZES = pd.DataFrame(
    [("tickets", "train", 100, 50), ("tickets", "test", 10, 50)],
    columns=["dataset", "split", "documents", "mean_length"],
)
KNOWN = SIZES.set_index(["dataset", "split"])
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


def recorded(stages=STAGES, dataset="tickets", seconds=1.0, tokens=1000, length=50.0):
    rows = [
        (stage, "pooled", "flat", encoder, dataset, tokens, length, seconds)
        for stage in stages
        for encoder in ("bilstm", "average")
    ]
    columns = [*plan.KIND, "dataset", "tokens", "length", "cpu_seconds"]
    return pd.DataFrame(rows, columns=columns)


def of_pooled(table):
    return table[table["study"] == "pooled"].set_index("stage")


def test_runs_tokens_and_hours_without_bounds():
    table = of_pooled(plan.table(settings(), SIZES, recorded()))
    trained = 6 * 3 * 3 * 5000  # models, seeds, epochs, tokens
    assert table.loc["train_base", "runs"] == 18
    assert table.loc["train_base", "tokens"] == pytest.approx(trained / 1e6)
    assert table.loc["train_base", "hours"] == pytest.approx(trained / 1000 / 3600)
    assert table.loc["correlation", "runs"] == 4 * 3  # with attention of their own, all seeds
    assert table.loc["permutation", "runs"] == 4 * 3
    assert table.loc["permutation", "tokens"] == pytest.approx(4 * 3 * 500 / 1e6)


def test_adversaries_cost_what_their_training_reads():
    table = of_pooled(plan.table(settings(), SIZES, recorded()))
    assert table.loc["retrain", "runs"] == 3  # one against each seed, stacked
    assert table.loc["retrain", "tokens"] == pytest.approx(3 * 3 * 5000 / 1e6)
    small = of_pooled(plan.table(settings("small"), SIZES, recorded()))
    assert small.loc["retrain", "runs"] == 4  # two seeds, two adversaries
    assert small.loc["retrain", "tokens"] == pytest.approx(4 * 2 * 400 / 1e6)  # of the base


def test_budgets_of_a_scale_bind():
    small = settings("small")
    assert plan.within(small, KNOWN, "tickets", "train", 400) == (400, 50)
    assert plan.within(small, KNOWN, "tickets", "train", None) == (2000, 50)
    assert plan.within(small, KNOWN, "tickets", "test", 600, 4) == (4 * 50, 50)
    assert plan.within(settings(), KNOWN, "tickets", "train", None) == (5000, 50)
    assert np.isnan(plan.within(settings(), KNOWN, "imdb", "train", None)[0])


def test_seconds_come_from_the_same_data_set_or_grow_with_the_length():
    work = next(w for w in plan.works(settings(), KNOWN) if w.stage == "correlation")
    other = recorded(dataset="imdb", seconds=9.0, length=25.0)
    same = recorded()
    assert plan.seconds(work, pd.concat([same, other])) == pytest.approx(work.tokens / 1000)
    expected = 9 * work.tokens / 1000 * 2 ** plan.GROWTH["correlation"]
    assert plan.seconds(work, other) == pytest.approx(expected)


def test_runs_without_a_record_are_counted():
    table = plan.table(settings(), SIZES, recorded(("train_base",)))
    assert of_pooled(table).loc["correlation", "unknown"] == 12
    last = plan.markdown(table).splitlines()[-1]
    assert f"(and {table.iloc[-1]['unknown']:.0f} runs without a record)" in last


def test_records_of_jobs_are_summed_by_kind_and_data_set():
    record = {"stage": "train_base", "study": "pooled", "architecture": "flat", "encoder": "bilstm"}
    record |= {"dataset": "tickets", "name": "x", "tokens": 100, "length": 50.0, "cpu_seconds": 0.5}
    table = job_table([record, record | {"length": 60.0}, record | {"tokens": 0}])
    (row,) = table.to_dict("records")
    assert (row["jobs"], row["tokens"], row["length"], row["cpu_seconds"]) == (2, 200, 55.0, 1.0)
    assert job_table([]).empty


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
