"""Numbers of a run in the text of pages."""

from string import Formatter

import pytest

from stages.papers.shared.facts import add_facts, facts, read_facts, span
from stages.papers.shared.names import PAPERS
from stages.papers.sun_lu.report import group_facts
from stages.settings.studies import TokenGroups
from stages.site import content, gathering
from tests.fixtures.project import settings_of
from tests.papers import sun_lu_results

RULE = {"gamma": 0.5, "count": 5, "neutral_gamma": 0.1, "neutral_difference": 5, "share": 0.9}
RULE |= {"share_count": 10, "neutral_share": 0.4}
SUN_LU = sun_lu_results.results(seeds=(1,), every=False)


def run(seed=1, documents=97, epochs=3, value=None):
    about = {"dataset": "tickets", "name": "dp", "value": value, "seed": seed}
    return about | {"train_documents": documents, "training": {"epochs": epochs}}


def of(*models, **changes):
    return facts(settings_of(changes), "pooled", list(models))


def test_facts_are_those_of_the_runs_and_the_scale():
    known = of(run(), run(2, 6415), run(value=10.0), run(value=0.001))
    assert known["train_documents"] == "97 to 6,415"
    assert (known["epochs"], known["seeds"], known["values"]) == ("3", "1 to 2 seeds", "0.001, 10")
    assert (known["scale"], of(run())["seeds"]) == ("small", "1 seed")
    assert of(run(), **{"scales/small/preprocess/max_length": 77})["longest"] == "77"
    assert of(run(), **{"scales/small/preprocess/max_length": None})["longest"] == "any number of"
    assert span([5, 5]) == "5"


def test_words_of_three_classes_are_counted_beside_the_papers():
    known = group_facts(SUN_LU, TokenGroups(**RULE))
    assert known["class_words"] == "90 (509)"  # 30 of each label
    assert known["neutral_words"] == "30 (164)"
    assert (known["share"], known["share_count"]) == ("0.9", "10")


def test_facts_of_a_paper_are_kept(tmp_path):
    assert read_facts(tmp_path) == {}
    add_facts({"share": "0.9"}, tmp_path)
    add_facts({"scale": "small"}, tmp_path)
    assert read_facts(tmp_path) == {"share": "0.9", "scale": "small"}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_name_in_a_page_is_a_fact(paper):
    page = content.read(gathering.PAPER_FOLDERS / paper.replace("-", "_") / "page.yaml")
    known = of(run(value=0.5))
    if paper == "sun-lu":
        known |= group_facts(SUN_LU, TokenGroups(**RULE))
    lines = [*page.scope, *page.not_run, *page.deviations]
    names = {name for line in lines for _, name, *_ in Formatter().parse(line) if name}
    assert names <= set(known)
    text = " ".join(page.filled(known).deviations)
    assert "{" not in text
    assert "?" not in text
    if names:
        assert "?" in " ".join(page.filled({}).deviations)  # before there is a run
        assert known["train_documents"] in text or known["epochs"] in text
