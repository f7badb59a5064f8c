"""Tables and figures of Sun & Lu: layout, published numbers beside ours, metrics."""

import math
from dataclasses import replace

import numpy as np
import pytest

from stages.corpora.corpus import Part
from stages.corpora.ragged import Ragged
from stages.papers.sun_lu import figures, report, tables
from stages.papers.sun_lu.panels import RATIOS
from stages.settings.studies import Gate
from tests.nn import toy
from tests.papers import sun_lu_results as synthetic
from tests.papers.common import changed, legend, rows, texts, ticks, written_json

RESULTS = synthetic.results(seeds=(1, 2))
DRAWINGS = report.drawings(RESULTS, Gate(), synthetic.dots())


def corpus():
    part = Part(np.array([0, 1, 1]), Ragged.of([[0, 1], [1], [0, 1, 2]]))
    parts = dict.fromkeys(("train", "dev", "test"), part)
    return toy.corpus_of(parts, "abc", labels=("negative", "positive"))


def test_noise_is_shown_by_its_share_beside_the_published_level():
    table = tables.noise_table(RESULTS).set_index("noise_percent")
    assert table["dataset"].tolist() == [
        *("synthetic-1", "synthetic-noise-2", "synthetic-2", "synthetic-noise-10")
    ]
    assert table["polarity_size"].tolist() == pytest.approx([16, 12, 9, 6], rel=0.05)
    assert table["polarity_size_published"].fillna(0).tolist() == [16, 0, 9, 0]
    assert (table["seeds"] == 2).all()
    assert (table[["auc_positive", "auc_negative", "auc_polarity"]] > 0.9).all(axis=None)
    without = replace(RESULTS, tokens=rows(RESULTS.tokens, dataset="synthetic-1"))
    assert tables.noise_table(without)["polarity_size"].notna().tolist() == [True] + [False] * 3


def test_table_1_has_published_counts_beside_ours():
    table = tables.table_1(RESULTS, {"rotten-tomatoes": corpus()}).set_index("quantity")
    assert table.loc["avg_length", ["published", "ours"]].tolist() == [18, 2]
    assert table.loc["vocab_size", ["published", "ours"]].tolist() == [16174, 6]
    assert table.loc["train_size_positive", ["published", "ours"]].tolist() == [3610, 2]
    assert table.loc["test_size_negative", ["published", "ours"]].tolist() == [912, 1]
    assert table.loc["train_size_all_dp-l", "ours"] == 1000  # of 6920
    assert (table["panel"] == "SST").all()


def test_table_2_has_every_published_accuracy():
    table = tables.table_2(RESULTS)
    assert table["published"].notna().sum() == 4 * 4 * 7
    row = rows(table, panel="SST", model="dp", value=10).iloc[0]
    assert row["published"] == 82.2
    assert row["ours"] == pytest.approx(80)
    assert row["difference"] == pytest.approx(-2.2)
    assert row["seeds"] == 2
    lambdas = rows(table, panel="SST", model="dp")["value"].tolist()
    assert lambdas == sorted(lambdas)
    assert set(RATIOS.values()) <= set(table["dataset"])


def test_fidelity_has_every_accuracy_and_every_bar():
    table = tables.fidelity_table(RESULTS)
    assert table["where"].value_counts().to_dict() == {"Table 2": 112, "Supplement Figure 7": 5}
    row = rows(table, dataset="rotten-tomatoes", cell="DP, lambda 10").iloc[0]
    assert (row["published"], row["ours"], row["own_data"]) == (0.822, 0.8, False)
    bar = rows(table, cell="V.W, 2:5").iloc[0]  # a misprint for 5:1
    assert (bar["dataset"], bar["published"], bar["ours"]) == (RATIOS["5:1"], 58, 40.5)


def test_accuracies_for_plots_are_means_over_seeds_and_data_sets_by_lambda():
    table = tables.accuracy_table(RESULTS)
    assert list(table)[:2] == ["lambda", "log10_lambda"]
    assert {"dp", "dp-l", "dp-a", "ad"} <= set(table)
    assert table["lambda"].is_unique
    assert table["lambda"].is_monotonic_increasing
    row = table.set_index("lambda").loc[20.0]
    assert row["dp"] == 0.802  # of every data set
    assert row["log10_lambda"] == pytest.approx(math.log10(20))


def test_groups_have_sizes_and_examples():
    table = tables.group_table(RESULTS)
    sst = table[table["panel"] == "SST"].set_index("group")
    assert sst["published"].to_dict() == {"positive": 412, "negative": 265, "neutral": 1384}
    assert (sst["ours"] == 30).all()
    assert sst.loc["positive", "examples"].split()[0] == "positive29"  # the most frequent
    three = table[table["panel"] == "20News II"].set_index("group")["published"]
    assert three.to_dict() == {"motorcycles": 49, "medicine": 268, "guns": 192, "neutral": 164}


def test_statistics_by_run():
    table = tables.statistics_table(RESULTS)
    row = rows(table, dataset="imdb", model="dp", value=10).iloc[0]
    assert (row["auc_positive"], row["auc_polarity"], row["unseen"]) == (1, 1, 3)
    skewed = rows(table, dataset=RATIOS["1:5"])
    assert len(skewed) == 2  # a run without token scores keeps its row


@pytest.mark.parametrize(
    ("name", "panels"),
    [("figure-2", 6), ("figure-3", 3), ("figure-4", 2), ("figure-5", 1), ("supplement-28", 2)],
)
def test_panels_are_the_papers(name, panels):
    figure, table = DRAWINGS[name]()
    assert len(figure.axes) == panels
    assert len(table) > 0
    assert not table.isna().any().any()


def test_figure_2_labels_markers_and_order():
    figure, _ = DRAWINGS["figure-2"]()
    labels = [axis.get_ylabel() for axis in figure.axes]
    assert labels == ["Polarity Score"] * 3 + ["Attention Score"] * 3
    assert {axis.get_xlabel() for axis in figure.axes} == {"Token Index"}
    assert legend(figure.axes[0]) == ["Pos", "Neg", "Neutral"]
    assert figure.axes[0].get_title().startswith("SST: rotten-tomatoes")
    assert figure.axes[1].get_title().startswith("IMDB, DP")


def test_figure_3_shows_the_three_classes_in_the_papers_colours():
    figure, _ = DRAWINGS["figure-3"]()
    *classes, last = legend(figure.axes[2])
    assert last == "Neutral"
    assert set(classes) == set(synthetic.LABELS)


def test_figure_5_has_the_papers_axis():
    figure, table = DRAWINGS["figure-5"]()
    axis = figure.axes[0]
    assert axis.get_ylabel() == "Average Attention Weight"
    assert axis.get_ylim() == (0, pytest.approx(0.7))
    assert ticks(axis) == ["Pos", "Neg", "Neutral"]
    assert (table["test_count"] > 0).all()


def test_a_data_set_that_was_not_run_is_an_empty_panel_marked_so():
    tokens, scores = (t[t["dataset"] != "imdb"] for t in (RESULTS.tokens, RESULTS.scores))
    few = replace(RESULTS, tokens=tokens, scores=scores)
    figure, _ = figures.sheet(few, figures.SHEETS["figure-2"])
    assert texts(figure.axes[1]) == ["not run"]
    assert figure.axes[1].get_title().startswith("IMDB")


@pytest.mark.parametrize("number", range(1, 13))
def test_supplement_figures(number):
    figure, table = DRAWINGS[f"supplement-{number}"]()
    assert len(table) > 0
    panels = {3: 4, 4: 4} | dict.fromkeys((1, 5, 8, 9, 10), 2)
    assert len(figure.axes) == panels.get(number, 1)
    assert not any("not run" in text for axis in figure.axes for text in texts(axis))


def test_supplement_7_has_all_ratios_and_the_published_values():
    _, table = figures.supplement_7(RESULTS)
    assert table["ratio"].tolist() == list(RATIOS)
    assert table["published"].tolist()[:4] == [1, -43, -62, 43]


def test_lines_are_means_over_seeds():
    _, table = DRAWINGS["supplement-6"]()
    assert (table["seeds"] == 2).all()
    end = rows(table, group="positive-positive", epoch=5)
    assert end["mean"].tolist() == [2.0]


def test_figures_survive_runs_below_the_gate_and_mark_them():
    poor = changed(RESULTS, "scores", {}, accuracy=0.3)
    drawings = report.drawings(poor, Gate(), synthetic.dots())
    titles = [axis.get_title() for axis in drawings["figure-2"]()[0].axes]
    assert all(title.endswith("(below the gate)") for title in titles)
    empty = {name: getattr(poor, name).iloc[:0] for name in ("tokens", "traces", "runs")}
    for draw in report.drawings(replace(poor, **empty), Gate(), synthetic.dots()[:0]).values():
        draw()


def test_the_report_has_every_figure_with_its_numbers_and_seven_metrics(tmp_path):
    texts = {"rotten-tomatoes": corpus()}
    report.write_results(RESULTS, Gate(), texts, synthetic.dots(), tmp_path, None)
    pictures = {p.stem for p in (tmp_path / "figures").glob("*.svg")}
    assert {f"figure-{n}" for n in range(1, 6)} <= pictures
    assert {f"supplement-{n}" for n in range(1, 14)} <= pictures
    numbers = {p.stem for p in (tmp_path / "figures").glob("*.csv")}
    assert pictures - numbers == {"figure-1"}  # a schematic
    assert (tmp_path / "claims.json").is_file()
    assert (tmp_path / "plots/accuracy.csv").is_file()
    metrics = written_json(tmp_path, "metrics.json")
    assert metrics["dp_accuracy_10"] == pytest.approx(0.8)
    assert len(metrics) == 7
