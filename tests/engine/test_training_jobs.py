"""The training jobs of a study: which runs are one job, their order, what their keys depend on."""

import re
from pathlib import Path

import pytest

from stages.engine.training_jobs import jobs_of
from tests.fixtures.project import settings_of

DATASETS = ("synthetic-1", "synthetic-three", "babi-1", "tickets")


@pytest.fixture
def folder(prepared, monkeypatch):
    monkeypatch.chdir(prepared.folder)


def jobs(study, changes=None, groups=None):
    settings = settings_of(changes)
    return jobs_of(settings, study, groups or settings.studies[study].datasets)


def keys(changes=None):
    return {job.name: job.key for study in ("pooled", "scaled") for job in jobs(study, changes)}


def new(before, changes=None):
    """The names of the jobs with a new key."""
    return {name for name, key in keys(changes).items() if before.get(name) != key}


def runs(some):
    return [[run.name for run in job.payload.runs] for job in some]


def test_stacked_runs_are_one_job(folder):
    on_first = [job for job in jobs("scaled") if job.payload.first.dataset == "synthetic-1"]
    stack = ["dp@1+1", "dp@1+2", "dp@10+1", "dp@10+2"]
    assert runs(on_first) == [stack, ["dp-l+1"], ["dp-l+2"]]
    assert on_first[0].labels["runs"] == 4
    apart = jobs("scaled", {"studies/scaled/stacked": False})
    assert all(len(names) == 1 for names in runs(apart))
    assert len(apart) == 8


def test_frozen_attention_depends_on_the_job_of_its_base(folder):
    by_name = {job.name: job for job in jobs("pooled", groups=["tickets"])}
    frozen, base = (by_name[f"pooled tickets {n}+1"] for n in ("average-frozen", "bilstm-additive"))
    assert frozen.payload.base == base.folder / "bilstm-additive+1"
    assert base.payload.base is None
    averaged = by_name["pooled tickets average-additive+1"]
    assert 0 < averaged.estimate < base.estimate
    changed = {job.name: job for job in jobs("pooled", {"seed": 8}, ["tickets"])}
    assert changed[frozen.name].payload.base != frozen.payload.base


def test_a_model_may_be_selected_on_another_split_than_the_study(folder):
    override = {"for": {"model": "bilstm-dot"}, "set": {"training.select_on": "test"}}
    changed = jobs("pooled", {"studies/pooled/overrides": [override]}, ["tickets"])
    selecting = {job.payload.first.model: job.payload.select_on for job in changed}
    assert [name for name, split in selecting.items() if split == "test"] == ["bilstm-dot"]
    assert set(selecting.values()) == {"dev", "test"}


def test_no_network_is_trained_without_its_corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception, match=r"arrays.npz is not there; `dvc repro` makes it$"):
        keys()


@pytest.mark.parametrize(
    ("changes", "changed"),
    [
        (
            {"studies/pooled/overrides/2/set": {"training.learning_rate": 0.1}},
            {"babi-1 bilstm-dot"},
        ),
        (
            {"studies/pooled/models/grid/encoder/average/hidden": 5},
            {f"{name} average-additive" for name in DATASETS}
            | {f"{name} average-frozen" for name in DATASETS},
        ),
        ({"studies/scaled/groups/gamma": 0.4}, {"synthetic-1 dp@1"}),  # traced
        ({"analyses/correlation/top_k": 2, "scales/small/correlation/instances": 2}, set()),
        ({"engine/tries": 5, "scales/small/processes": 1, "scales/large/retrain": {}}, set()),
        ({"studies/pooled/datasets": ["tickets", "synthetic", "babi"]}, set()),
    ],
)
def test_a_setting_changes_the_keys_of_the_runs_it_concerns(folder, changes, changed):
    before = keys()
    names = {re.sub(r"\+\d$", "", name.split(" ", 1)[1]) for name in new(before, changes)}
    assert names == {name for name in changed if any(name in job for job in before)}


def test_an_input_file_changes_the_keys_of_its_data_set(folder):
    before = keys()
    file = Path("data/vectors/tickets/vectors.npz")
    whole = file.read_bytes()
    file.write_bytes(whole + b"x")
    expected = {name for name in before if " tickets " in name}
    assert new(before) == expected
    file.write_bytes(whole)
    assert new(before) == set()
