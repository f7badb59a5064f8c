"""What a run will cost, by hand on one data set; sizes from a sample; speeds on drawn documents."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from stages.engine.sizes import whole

from stages.engine import plan, speeds
from stages.settings.analyses import SECTIONS
from stages.settings.params import load

ROOT = Path(__file__).parents[2]
WHOLE = load(ROOT / "params.yaml")
THREE = [test for test, section in SECTIONS.items() if section == "trials"]
SIZES = pd.DataFrame(
    [("bbc", "train", 100, 5000), ("bbc", "test", 10, 500)],
    columns=["dataset", "split", "documents", "tokens"],
)


def settings(scale="paper", trials=("bbc",)):
    one = {"jain-wallace-bbc": WHOLE.cells["jain-wallace-bbc"]}
    none = {section: {} for section in (*SECTIONS.values(), "retrains")}
    tried = {"jain-wallace": trials}
    return WHOLE.model_copy(update=none | {"cells": one, "trials": tried, "scale": scale})


def rates(rate=1000, lengths=(50,), stages=("train_base", *THREE)):
    return pd.DataFrame(
        [
            (stage, "jain-wallace", "classification", "flat", encoder, length, rate)
            for stage in stages
            for encoder in ("bilstm", "cnn", "average")
            for length in lengths
        ],
        columns=[*plan.KIND, "length", "tokens_per_second"],
    )


def test_cells_tokens_and_hours_at_paper_scale():
    found = plan.table(settings(), SIZES, rates()).set_index("stage")
    # nine seeds of bilstm-additive; five other models with attention and the frozen one
    assert found.loc["train_base", "cells"] == 15
    assert found.loc["train_base", "tokens"] == pytest.approx(15 * 8 * 5000 / 1e6)
    assert found.loc["train_base", "hours"] == pytest.approx(15 * 8 * 5000 / 1000 / 3600)
    assert found.loc["adversarial", "cells"] == 6
    assert found.loc["adversarial", "tokens"] == pytest.approx(6 * 500 / 1e6)
    assert found.loc["", "cells"] == 15 + 3 * 6


def test_adversaries_cost_what_training_costs():
    whole = settings(trials=())
    entry = WHOLE.retrains["amini-kosseim-bbc"]
    found = list(
        plan.works(whole.model_copy(update={"cells": {}, "retrains": {"x": entry}}), SIZES)
    )
    assert {work.stage for work in found} == {"retrain"}
    assert all(work.tokens % (work.cells * 50) == 0 for work in found)  # whole documents of 50
    speed = rates(stages=("train_base",)).assign(study=entry.study)
    assert sum(plan.seconds(work, speed) for work in found) == pytest.approx(
        sum(work.tokens for work in found) / 1000
    )


def test_budgets_of_a_scale_bind():
    known = SIZES.set_index(["dataset", "split"])
    tokens, length = plan.within(settings("smoke"), known, "bbc", "train", 4000, None)
    assert (tokens, length) == (4000, 50)
    assert plan.within(settings("smoke"), known, "bbc", "test", 600, 4) == (4 * 50, 50)
    assert plan.within(settings("paper"), known, "bbc", "train", None, None) == (5000, 50)
    assert np.isnan(plan.within(settings(), known, "imdb", "train", None, None)[0])


def test_cost_follows_a_power_of_the_length():
    speed = rates(stages=("correlation",), lengths=(20, 80))
    speed.loc[speed["length"] == 80, "tokens_per_second"] = (
        250  # a quarter at four times the length
    )
    work = plan.Work("correlation", *speed.iloc[0][plan.KIND[1:]], "bbc", 1, 1000.0, 40.0)
    assert plan.seconds(work, speed) == pytest.approx(2.0)
    assert plan.seconds(work, speed[speed["length"] == 20]) == pytest.approx(1.0)


def test_what_was_never_measured_is_said():
    found = plan.table(settings(), SIZES, rates(stages=("train_base",)))
    assert found.iloc[-1]["unknown"] == 18
    assert "(and 18 cells not measured)" in plan.markdown(found).splitlines()[-1]


def test_sizes_are_counted_without_making_the_corpus():
    dataset = WHOLE.datasets["synthetic-1"]
    found = {split: (n, tokens) for split, n, tokens in whole(WHOLE, "synthetic-1", dataset, ROOT)}
    assert set(found) == {"train", "dev", "test"}
    documents, tokens = found["train"]
    assert documents > 1000
    assert 5 < tokens / documents < 50


@pytest.mark.parametrize("stage", ["train_base", "permutation", "erasure"])
def test_speeds_are_those_of_the_stages_themselves(stage, monkeypatch):
    monkeypatch.setattr(speeds, "TRAINED", 100)
    monkeypatch.setattr(speeds, "TRIED", 100)
    monkeypatch.chdir(ROOT)
    kinds = speeds._kinds(WHOLE)
    kind = next(k for k in kinds if k[0] == stage and k[-1] in ("average", "none"))
    assert 10 < kinds[kind](10) < 1e8


def test_drawn_documents_have_the_length_asked_for():
    for task in ("classification", "inference"):
        corpus = speeds.drawn(task, 40, 4000)
        lengths = corpus.parts["train"].text.lengths
        assert (len(lengths), lengths.min() >= 30, lengths.max() <= 50) == (100, True, True)
        assert (corpus.parts["train"].query is None) == (task == "classification")
        cut = corpus.parts["train"].sentences
        assert [
            cut.values[a:b].sum() for a, b in zip(cut.offsets, cut.offsets[1:], strict=False)
        ] == (lengths.tolist())


def test_recorded_tables_cover_the_grid():
    found = plan.table(
        WHOLE.model_copy(update={"scale": "paper"}),
        pd.read_csv(plan.SIZES),
        pd.read_csv(plan.SPEEDS),
    )
    assert found.iloc[-1]["hours"] > 0
    assert set(found["paper"][:-1]) == {cell.study for cell in WHOLE.cells.values()}
    assert found.iloc[-1]["unknown"] == 0
    assert plan.markdown(found) in (ROOT / "README.md").read_text(encoding="utf-8")
