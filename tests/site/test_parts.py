"""Parts of the site: tables, anchors, the answer, the DAG, the text of a page."""

import re

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from dvc.repo import Repo

from stages.papers.shared.names import PAPERS
from stages.papers.shared.rules import read_claims
from stages.settings.errors import UserError
from stages.site import content, dag, gathering, tables, verdicts
from stages.site.content import Key
from stages.site.pages import VARIANTS, model_order, shades
from tests.fixtures.project import ROOT
from tests.site import small_project

PAPER_FOLDERS = ROOT / "stages/papers"


def test_published_ours_and_difference_are_adjacent():
    table = pd.DataFrame(
        {
            "dataset": ["a", "b"],
            "tau published": ["0.40 ± 0.21", "not run"],
            "tau published sig": [0.5, np.nan],
            "tau": ["0.28 ± 0.19", "0.1 ± 0.2"],
            "tau sig": [0.25, 0.5],
            "train_published": ["3/4", "5/6"],
            "train": ["1/2", "1/2"],
        }
    )
    shown = tables.beside(table)
    assert list(shown) == [
        "dataset",
        *("tau, published", "tau, ours", "tau, difference"),
        *("tau sig, published", "tau sig, ours", "tau sig, difference"),
        *("train, published", "train, ours"),  # counts of classes have no difference
    ]
    assert shown["tau, difference"][0] == pytest.approx(-0.12)
    assert np.isnan(shown["tau, difference"][1])
    assert shown["tau sig, difference"][0] == pytest.approx(-0.25)


def test_released_means_and_existing_differences_are_kept():
    table = pd.DataFrame({"mean": [0.5], "low": [0.4], "released": [0.25]})
    shown = ["low", "mean, published", "mean, ours", "mean, difference"]
    assert list(tables.beside(table)) == shown
    table = pd.DataFrame({"published": [1.0], "ours": [2.0], "difference": [1.0], "sd": [0.1]})
    assert list(tables.beside(table)) == ["published", "ours", "difference", "sd"]
    table = pd.DataFrame({"accuracy": [0.5], "published": [0.25]})  # no partner, nothing to move
    assert list(tables.beside(table)) == ["accuracy", "published"]


def test_values_are_text():
    table = pd.DataFrame({"a": [1.0, np.nan, 0.123456], "b": ["x", None, "y"], "n": [1, 2, 3]})
    view = tables.view(table, 2)
    assert view.rows == [["1", "x", "1"], ["", "", "2"]]
    assert view.numeric == [True, False, True]
    assert view.total == 3
    assert tables.text(0.123456) == "0.1235"


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("Table 2", "table-2"),
        ("Figures 3 and 7", "figure-3"),
        ("Figure 2 a-c", "figure-2"),
        ("Figures 8 and 9", ""),  # not on this page
        ("Table 1, Figure 3", "figure-3"),  # the first that is
        ("Supplement Figure 7", "supplement-7"),
        ("Supplement Table 1", "supplement-table-1"),
        ("Section 4.1", ""),
    ],
)
def test_a_place_in_a_paper_is_a_place_on_its_page(where, name):
    there = {"table-2", "figure-2", "figure-3", "supplement-7", "supplement-table-1"}
    assert verdicts.anchor(where, there) == name


def board(**decided):
    return [
        verdicts.Row(small_project.record(name, v), "p", "p", "x", "")
        for name, v in decided.items()
    ]


def keys(**speaks):
    return [Key(id=n, speaks=s, holds=f"{n} yes", fails=f"{n} no") for n, s in speaks.items()]


def test_the_answer_follows_from_the_verdicts():
    key_claims = keys(A="against", B="against", C="for", D="for")
    decided = board(A="holds", B="fails", C="holds", D="fails", E="holds")
    answer = verdicts.answer(decided, key_claims)
    assert answer.against == [("A", "A yes"), ("D", "D no")]
    assert answer.in_favour == [("B", "B no"), ("C", "C yes")]
    assert (answer.word, answer.decided, answer.of, answer.total) == ("In part", 5, 5, 4)
    assert verdicts.answer(board(A="holds", B="holds", C="fails"), key_claims).word == "Mostly no"
    most = verdicts.answer(board(A="fails", B="fails", C="fails", D="holds"), key_claims)
    assert most.word == "Mostly yes"
    few = verdicts.answer(board(A="holds", B="undecided", C="not run"), key_claims)
    assert "too few" in few.word
    assert few.unsettled == ["B", "C", "D"]


def test_counts_agree_in_number():
    counts = {"holds": 15, "fails": 1, "undecided": 2, "not run": 0}
    assert verdicts.summary(counts) == "15 hold, 1 fails, 2 undecided"
    assert verdicts.summary({"holds": 1, "fails": 2}) == "1 holds, 2 fail"


PIPELINE = """
stages:
  fetch: {foreach: [x, y], do: {cmd: a, outs: ['raw/${item}']}}
  prepare:
    foreach: ${corpora}
    do: {cmd: a, deps: ['${item.text}'], outs: [{'corpora/${key}': {cache: false}}]}
  train:
    foreach: ${trained}
    do: {cmd: a, deps: ['corpora/${item.set}'], outs: ['models/${key}']}
  figures: {cmd: a, deps: [models, corpora/a], outs: [reports/figures], metrics: [reports/m.json]}
  report: {cmd: a, deps: [reports/figures, reports/m.json, corpora], outs: [reports/index.html]}
"""
PARAMS = """
corpora: {a: {text: raw/x}, b: {text: own}}
trained: {one: {set: a}, two: {set: b}, three: {set: b}}
"""


def test_edges_of_groups_are_those_of_dvc_without_the_implied_ones(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Repo.init(no_scm=True)
    (tmp_path / "dvc.yaml").write_text(PIPELINE)
    (tmp_path / "params.yaml").write_text(PARAMS)
    groups = dag.groups()
    names = ["fetch", "prepare", "train", "figures", "report"]
    assert list(groups.nodes(data="count")) == list(zip(names, (2, 2, 3, 1, 1), strict=True))
    # figures needs prepare too, but that follows from train
    assert set(groups.edges) == set(zip(names[1:], names, strict=False))
    picture = dag.picture(groups)
    assert [box.x for box in picture.boxes] == sorted({box.x for box in picture.boxes})
    assert all(box.x + dag.WIDTH <= picture.width for box in picture.boxes)
    assert len(picture.curves) == 4


def test_an_edge_over_several_columns_passes_beside_the_boxes():
    graph = nx.DiGraph(["ba", "cb", "da", "dc"])
    drawn = dag.picture(graph)
    box = {box.name: box for box in drawn.boxes}
    assert [box[name].x for name in "abcd"] == [4 + dag.ACROSS * i for i in range(4)]
    curve = next(c for c in drawn.curves if c.count("H") == 2)  # from a, past b and c, to d
    heights = {float(part.split()[-1]) for part in re.findall(r"C([^CH]+)H", curve)}
    for name in "bc":
        assert all(not box[name].y <= y <= box[name].y + dag.HEIGHT for y in heights)


def test_the_real_dag_ends_in_the_report_which_reads_all_reports_of_figures(monkeypatch):
    monkeypatch.chdir(ROOT)
    groups = dag.groups()
    assert groups.nodes["figures"]["count"] == 1 + len(PAPERS)  # the data sets, and every paper
    assert list(groups["report"]) == ["figures"]
    assert list(groups["train_base"]) == ["embed"]
    (report,) = Repo().stage.collect("report")
    read = {str(dep) for dep in report.deps}
    for stage in Repo().stage.collect("figures"):
        reports, metrics = map(str, stage.outs)
        assert reports in read
        assert metrics.startswith("reports/laptop/metrics/")
    assert dag.picture(groups).width < 1150  # of the page


@pytest.mark.parametrize("paper", PAPERS)
def test_the_text_of_a_page_fits_the_claims_and_the_committed_report(paper):
    folder = PAPER_FOLDERS / paper.replace("-", "_")
    page = content.read(folder / "page.yaml")
    named = [claim for claims in page.analyses.values() for claim in claims]
    assert len(named) == len(set(named))
    assert {key.id for key in page.key} <= set(named)
    assert set(read_claims(folder / "claims.yaml")) == set(named)
    here = gathering.paper(ROOT / "reports/laptop", paper)
    assert {picture.name for picture in here.figures} <= set(page.figures)
    assert set(here.tables) <= set(page.tables)


def test_a_wrong_key_in_a_page_is_one_sentence(tmp_path):
    path = tmp_path / "page.yaml"
    text = (PAPER_FOLDERS / "meister/page.yaml").read_text(encoding="utf-8")
    path.write_text(text + "captions: {}\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"page\.yaml: .*unknown key 'captions'; allowed: title"):
        content.read(path)
    path.write_text(text.replace("speaks: against", "speaks: loudly", 1), encoding="utf-8")
    with pytest.raises(UserError, match=r"page\.yaml: key\.0\.speaks: .*'against' or 'for'"):
        content.read(path)


def test_names_and_shades():
    assert content.numbered("figure-3") == "Figure 3"
    assert content.numbered("supplement-14-24") == "Supplement 14–24"
    assert content.numbered("other-models") == "Other models"
    assert shades([0.1, 0.4, 0]) == [0.25, 1, 0]
    assert shades([0.0, 0.0]) == [0, 0]
    names = ["average-additive", "cnn-dot", "bilstm-dot", "bilstm-additive", "odd"]
    order = ["bilstm-additive", "average-additive", "bilstm-dot", "cnn-dot", "odd"]
    assert sorted(names, key=model_order) == order
    assert next(iter(VARIANTS)) == "original"


def test_figures_are_in_the_papers_order_and_svg_wins(tmp_path):
    for name in ("figure-10.svg", "figure-2.svg", "figure-2.png", "accuracy.png", "figure-2.csv"):
        (tmp_path / name).write_text("")
    assert [(picture.image, picture.numbers) for picture in gathering.pictures(tmp_path, "x")] == [
        ("x/figure-2.svg", "x/figure-2.csv"),
        ("x/figure-10.svg", ""),
        ("x/accuracy.png", ""),
    ]
