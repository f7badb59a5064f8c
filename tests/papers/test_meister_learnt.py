"""Claims of Meister et al. about attention leave out models that learnt nothing."""

from dataclasses import replace

from stages.papers.meister.verdicts import decided
from tests.papers.meister_results import results


def test_a_model_that_learnt_nothing_is_left_out_and_named():
    run = results()
    scores = run.scores.copy()
    poor = (scores["dataset"] == "imdb") & (scores["model"] == "bilstm-sparsemax")
    assert poor.any()
    scores.loc[poor, "accuracy"] = 0.51
    records = {entry["id"]: entry for entry in decided(replace(run, scores=scores))}
    before = {entry["id"]: entry for entry in decided(run)}
    assert "answer: imdb bilstm-sparsemax; with them:" in records["M1"]["reason"]
    assert "imdb bilstm-sparsemax 0" not in records["M1"]["reason"].split("Left out")[0]
    assert "imdb bilstm-sparsemax 0" in before["M1"]["reason"]
    assert records["M6"] == before["M6"]
