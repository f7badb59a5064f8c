"""What is kept of a document to look at: with evidence any weights are answered as by the model."""

import numpy as np
import pandas as pd
import pytest
import torch

from stages.corpora.batching import Reader
from stages.counterfactual.tables import adversarial_tables
from stages.nn.inputs import Inputs
from tests.nn import toy
from tests.site.small_project import SEARCH, corpus
from tests.small import small_model


def tables_of(model, read):
    return adversarial_tables(model, Reader(read, "test"), SEARCH, lambda row: row)


@pytest.mark.parametrize("classes", [2, 3])
def test_evidence_and_weights_give_the_answers_that_were_kept(classes):
    model = small_model("bilstm", classes=classes)
    found = tables_of(model, corpus("made", classes, False))
    weights = found["examples"].merge(found["evidence"], on=["instance", "position"])
    names = ("original", "permutation", "adversary_1", "adversary_2")
    assert set(found["outputs"]["variant"]) == {*names, "uniform"}
    for name in (*names, "uniform"):
        rows = weights.assign(uniform=1.0)
        share = rows[name] / rows.groupby(["instance", "class"])[name].transform("sum")
        sums = rows.assign(said=share * rows["evidence"]).groupby(["instance", "class"])
        logits = (sums["said"].sum() + sums["bias"].first()).unstack()
        given = torch.tensor(logits.to_numpy())
        outputs = found["outputs"][found["outputs"]["variant"] == name]
        kept = outputs.pivot(index="instance", columns="class", values="probability")
        assert kept.index.equals(logits.index)
        probabilities = model.probabilities(given).numpy()
        assert probabilities == pytest.approx(kept.to_numpy(), abs=1e-5)


def test_evidence_answers_weights_that_nobody_tried():
    model, read = small_model("cnn"), corpus("made", 2, False)
    found = tables_of(model, read)
    row = int(found["evidence"]["instance"].iloc[0])
    batch = Reader(read, "test").batch(np.array([row]))
    drawn = np.random.default_rng(5).dirichlet(np.ones(batch.mask.sum()))
    weights = np.zeros(batch.mask.shape, np.float32)
    weights[batch.mask] = drawn
    with torch.no_grad():
        encoded = model.encode(Inputs.of(batch))
        logit = float(model.decode(encoded, torch.from_numpy(weights)))
    rows = found["evidence"][found["evidence"]["instance"] == row].sort_values("position")
    assert (drawn * rows["evidence"]).sum() + rows["bias"].iloc[0] == pytest.approx(logit, abs=1e-5)


def test_the_permutation_has_the_same_weights_in_another_order():
    rows = tables_of(small_model("bilstm"), toy.corpus())["examples"]
    moved = 0
    for _, document in rows.groupby("instance"):
        one, other = document["original"].to_numpy(), document["permutation"].to_numpy()
        assert np.sort(one) == pytest.approx(np.sort(other))
        moved += (one != other).any()
    assert moved


def test_a_pair_model_has_answers_and_no_evidence():
    model = small_model("bilstm", classes=3, pair=True, sharpness=6.0)
    found = tables_of(model, corpus("made", 3, True))
    assert set(found) == {"instances", "examples", "outputs"}
    about = found["instances"].drop_duplicates("instance").set_index("instance")
    own = found["outputs"][found["outputs"]["variant"] == "original"]
    assert len(own)
    largest = own.groupby("instance")["probability"].max()
    pd.testing.assert_series_equal(
        largest, about["probability"].loc[largest.index], check_names=False
    )
    assert own.groupby("instance")["probability"].sum().to_numpy() == pytest.approx(1)
