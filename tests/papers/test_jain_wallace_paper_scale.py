"""Claims that need the paper's own data, or all of it."""

import numpy as np
import pandas as pd
import pytest

from stages.papers.jain_wallace.claims import STATEMENTS
from stages.papers.jain_wallace.paper_scale_claims import precise_tokens_matter, scores_as_published
from stages.papers.shared.claims import stated
from tests.papers import jain_wallace_results as synthetic

CLAIMS = stated(STATEMENTS)


@pytest.mark.parametrize(("positive", "verdict"), [(0.6, "holds"), (0.01, "fails")])
def test_diabetes_decides_by_class_once_it_is_run(positive, verdict):
    draw = np.random.default_rng(0)
    predicted = np.arange(60) % 2
    median = np.where(predicted == 1, positive, 0.1) + 0.01 * draw.random(60)
    table = synthetic.shuffled(median, synthetic.about("diabetes"), predicted=predicted)
    entry = precise_tokens_matter(CLAIMS["JW10"], synthetic.results(shuffled=table))
    assert entry["verdict"] == verdict
    assert entry["n"] > 0


def test_without_diabetes_it_is_not_run():
    entry = precise_tokens_matter(
        CLAIMS["JW10"], synthetic.results(shuffled=synthetic.shuffled([0.1] * 40))
    )
    assert entry["verdict"] == "not run"
    assert "MIMIC-III" in entry["reason"]


@pytest.mark.parametrize(("imdb", "verdict"), [(0.88, "holds"), (0.70, "fails")])
def test_scores_are_compared_with_the_published_ones_at_paper_scale(imdb, verdict):
    rows = [
        synthetic.score("imdb", "bilstm-additive", imdb),
        synthetic.score("snli", "bilstm-additive", 0.78),
    ]
    results = synthetic.results(models=pd.DataFrame(rows))
    assert scores_as_published(CLAIMS["JW16"], results, "paper")["verdict"] == verdict
    assert scores_as_published(CLAIMS["JW16"], results, "laptop")["verdict"] == "not run"
