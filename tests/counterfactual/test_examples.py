"""Tables of example documents: evidence gives the model's output under any weights."""

import numpy as np
import pandas as pd
import pytest
import torch

from stages.corpora.batching import Reader
from stages.counterfactual.tables import adversarial_tables
from tests.nn import toy
from tests.site.small_project import SEARCH, corpus
from tests.small import small_model


def tables_of(model, documents):
    return adversarial_tables(model, Reader(documents, "test"), SEARCH, lambda row: row)


@pytest.mark.parametrize("classes", [2, 3])
def test_evidence_and_weights_give_the_stored_outputs(classes):
    model = small_model("bilstm", classes=classes)
    tables = tables_of(model, corpus("made", classes, False))
    weights = tables["examples"].merge(tables["evidence"], on=["instance", "position"])
    names = ("original", "permutation", "adversary_1", "adversary_2")
    assert set(tables["outputs"]["variant"]) == {*names, "uniform"}
    for name in (*names, "uniform"):
        rows = weights.assign(uniform=1.0)
        share = rows[name] / rows.groupby(["instance", "class"])[name].transform("sum")
        sums = rows.assign(product=share * rows["evidence"]).groupby(["instance", "class"])
        logits = (sums["product"].sum() + sums["bias"].first()).unstack()
        outputs = tables["outputs"][tables["outputs"]["variant"] == name]
        stored = outputs.pivot(index="instance", columns="class", values="probability")
        assert stored.index.equals(logits.index)
        probabilities = model.probabilities(torch.tensor(logits.to_numpy())).numpy()
        assert probabilities == pytest.approx(stored.to_numpy(), abs=1e-5)


def test_the_permutation_has_the_same_weights_in_another_order():
    rows = tables_of(small_model("bilstm"), toy.corpus())["examples"]
    moved = 0
    for _, document in rows.groupby("instance"):
        one, other = document["original"].to_numpy(), document["permutation"].to_numpy()
        assert np.sort(one) == pytest.approx(np.sort(other))
        moved += (one != other).any()
    assert moved


def test_a_pair_model_has_outputs_and_no_evidence():
    model = small_model("bilstm", classes=3, pair=True, sharpness=6.0)
    tables = tables_of(model, corpus("made", 3, True))
    assert set(tables) == {"instances", "examples", "outputs"}
    about = tables["instances"].drop_duplicates("instance").set_index("instance")
    own = tables["outputs"][tables["outputs"]["variant"] == "original"]
    assert len(own)
    largest = own.groupby("instance")["probability"].max()
    pd.testing.assert_series_equal(
        largest, about["probability"].loc[largest.index], check_names=False
    )
    assert own.groupby("instance")["probability"].sum().to_numpy() == pytest.approx(1)
