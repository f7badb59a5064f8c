"""Tables, figures and metrics of Amini & Kosseim 2022, from synthetic results."""

from dataclasses import replace

import pandas as pd
import pytest

from stages.papers.amini_kosseim import figures, page, tables
from stages.papers.amini_kosseim.panels import MOCK, PANELS
from tests.papers import amini_results as synthetic
from tests.papers.common import files, rows, written_json

FITTING = synthetic.results()
DATASETS = (*synthetic.MOCK_SETS, *synthetic.REAL_SETS)
MINE = rows(FITTING.runs, dataset="mock-1", model="mlp", procedure="published", selected_on="dev")[
    "attefa"
]


def test_table_3_has_the_published_numbers_beside_ours():
    table = tables.table_3(FITTING).set_index(["panel", "model"])
    row = table.loc[("Mock-1", "MLP")]
    assert (row["attefa_published"], row["attefa_sd_published"]) == (0.8153, 0.0425)
    assert (row["jsd_published"], row["tvd_published"]) == (0.393, 0.231)
    assert (row["runs"], row["bases"], row["collapsed"]) == (9, 3, 0)
    assert row["attefa"] == pytest.approx(MINE.mean(), abs=1e-4)
    assert row["attefa_sd"] == pytest.approx(MINE.std(ddof=0), abs=1e-4)
    assert len(table) == 2 * len(DATASETS)


def table_1():
    split = {"classes": {"negative": 10, "positive": 12}, "mean_length": 75.0}
    stats = {name: {"splits": {"train": split, "test": split}} for name in DATASETS}
    return tables.table_1(stats, dict.fromkeys(stats, "stand-in"))


def test_table_1_names_what_was_not_run():
    table = table_1().set_index("panel")
    assert len(table) == len(PANELS)
    assert table.loc["Diabetes", "dataset"] == "not run"
    assert table.loc["Diabetes", "train_published"] == "6650/1416"
    assert (table.loc["Mock-2q", "train"], table.loc["Mock-2q", "train_length"]) == ("10/12", 75.0)
    assert table.loc["Mock-2q", "train_length_published"] == 75


def test_table_2_has_earlier_published_and_ours():
    row = tables.table_2(FITTING).set_index("panel").loc["IMDB"]
    assert (row["lstm_earlier"], row["lstm_published"], row["lstm"]) == (0.902, 0.908, 0.9)
    assert row["mlp_train_documents"] == 1000


def test_tables_4_and_5_list_every_run_after_the_published_ones():
    fourth, fifth = tables.table_4(FITTING), tables.table_5(FITTING)
    assert len(rows(fourth, source="ours")) == len(MOCK) * (9 + 3)
    row = rows(fourth, source="printed", panel="Mock-1", model="mlp")
    assert row.set_index("seed").loc["10", "attefa"] == 0.784
    assert set(rows(fifth, source="ours")["panel"]) == {"IMDB", "SST", "AgNews", "20News"}


def test_better_optimisation_is_below_the_published_procedure():
    table = tables.optimisation(FITTING).set_index(["panel", "procedure"])["attefa"]
    assert table["Mock-2", "lowest loss"] < 0.1 < table["Mock-2", "published"]


@pytest.mark.parametrize("name", ["figure_1", "figure_2", "trend", "restarts", "mass"])
def test_figures_show_what_their_tables_say(name):
    figure, table = getattr(figures, name)(FITTING)
    assert len(table)
    assert figure.axes
    for axis in figure.axes:
        assert axis.lines or axis.collections
    assert not table.columns.duplicated().any()


def test_plots_have_the_mean_over_runs_of_each_mock_set():
    table = tables.attefa_by_mock_set(FITTING)
    assert table["dataset"].drop_duplicates().tolist() == list(MOCK)
    shown = rows(table, dataset="Mock-1", model="mlp")["attefa"]
    assert shown.tolist() == pytest.approx([MINE.mean()], abs=1e-4)


def test_a_procedure_that_was_not_run_has_no_headline_number():
    without = replace(FITTING, runs=FITTING.runs[FITTING.runs["procedure"] != "warm"])
    assert page.headline(without)["attefa_mlp_warm"] is None


def test_figure_2_has_a_panel_for_each_set_with_a_curve():
    figure, table = figures.figure_2(FITTING)
    assert [axis.get_title() for axis in figure.axes] == ["SST: rotten-tomatoes", "IMDB"]
    assert sorted(rows(table, procedure="sweep", panel="SST")["strength"]) == [0.001, 0.1, 1.0]
    line = figure.axes[0].lines[0]
    assert line.get_xdata().tolist() == pytest.approx([0.1, 0.5, 0.68])


def test_mass_marks_collapsed_runs_apart():
    figure, table = figures.mass(FITTING)
    assert table.groupby("panel")["collapsed"].any().sum() == 3
    assert {line.get_marker() for line in figure.axes[0].lines} >= {"x", "o"}


def test_the_page_is_written_twice_with_the_same_bytes(tmp_path):
    for most in (1, 2):  # figures one by one, and side by side
        page.write(FITTING, table_1(), "laptop", tmp_path / str(most), most)
    one, two = (files(tmp_path / name) for name in ("1", "2"))
    assert one == two
    assert len(one) == 7 + 10 + 1 + 2  # tables, figures, plots, claims and metrics
    metrics = written_json(tmp_path / "1", "metrics.json")
    assert metrics["attefa_mlp_warm"] < metrics["attefa_mlp_published"]
    assert metrics["collapsed_runs"] == 27
    assert len(metrics) == 7
    assert written_json(tmp_path / "1", "claims.json")[0]["id"] == "AF1"


def test_one_data_set_alone_makes_a_page(tmp_path):
    few = synthetic.results(mock=("mock-1",), real=())
    page.write(few, table_1(), "smoke", tmp_path, None)
    bare = replace(few, instances=few.instances[:0], runs=few.runs[few.runs["model"] == "mlp"])
    assert isinstance(tables.table_3(bare), pd.DataFrame)
