"""Tables, figures and the page of Amini & Kosseim on synthetic results."""

from dataclasses import replace

import pytest

from stages.papers.amini_kosseim import figures, report, tables
from stages.papers.amini_kosseim.panels import MOCK, PANELS, REAL
from stages.settings.studies import Gate
from tests.papers import amini_results as synthetic
from tests.papers.common import changed, files, rows, written_json

GATE = Gate()
FITTING = synthetic.results()

DATASETS = (*synthetic.MOCK_SETS, *synthetic.REAL_SETS)
MINE = rows(FITTING.runs, dataset="mock-1", model="mlp", procedure="published", selected_on="dev")[
    "attefa"
]


def test_table_3_has_the_published_numbers_beside_ours():
    table = tables.table_3(FITTING).set_index(["panel", "model"])
    row = table.loc[("Mock-1", "mlp")]
    assert (row["attefa_published"], row["attefa_sd_published"]) == (0.8153, 0.0425)
    assert (row["jsd_published"], row["tvd_published"]) == (0.393, 0.231)
    assert (row["runs"], row["bases"], row["collapsed"]) == (9, 3, 0)
    assert row["attefa"] == pytest.approx(MINE.mean(), abs=1e-4)
    assert row["attefa_sd"] == pytest.approx(MINE.std(ddof=0), abs=1e-4)
    assert len(table) == 2 * len(DATASETS)


def table_1():
    split = {"classes": {"negative": 10, "positive": 12}, "mean_length": 75.0}
    stats = {name: {"splits": {"train": split, "test": split}} for name in DATASETS}
    return tables.table_1(FITTING, stats, dict.fromkeys(stats, "stand-in"))


def test_table_1_has_what_was_trained_on():
    table = table_1().set_index("panel")
    assert len(table) == len(PANELS)
    assert table.loc["Diabetes", "dataset"] == "not run"
    assert table.loc["Diabetes", "train_published"] == "6650/1416"
    row = table.loc["Mock-2q"]
    assert (row["test"], row["test_length"]) == ("10/12", 75.0)
    assert (row["lstm_train"], row["mlp_adversaries_train"]) == (60000, 100)


def test_table_2_has_earlier_published_and_ours():
    table = tables.table_2(FITTING).set_index(["panel", "model"])
    row = table.loc[("IMDB", "lstm")]
    assert (row["f1_earlier"], row["f1_published"], row["f1"]) == (0.902, 0.908, 0.9)
    assert row["train_documents"] == 60000
    assert len(table) == 2 * len(DATASETS)


def test_tables_4_and_5_have_ours_beside_the_published_runs():
    fourth, fifth = report.TABLES["table-4"](FITTING), report.TABLES["table-5"](FITTING)
    assert fourth["seed"].notna().sum() == len(MOCK) * (9 + 3)
    row = rows(fourth, panel="Mock-1", model="mlp").iloc[0]
    assert (row["seed_published"], row["attefa_published"], row["seed"]) == ("10", 0.784, 1)
    assert row["attefa"] == pytest.approx(MINE.iloc[0], abs=1e-4)
    assert row["train_documents"] == 100
    assert fourth["panel"].drop_duplicates().tolist() == list(MOCK)
    assert set(fifth["panel"]) == set(REAL) - {"Diabetes", "Anemia"}


def test_fidelity_has_every_cell_of_tables_2_and_3():
    table = tables.fidelity(FITTING)
    assert len(table) == 2 * len(DATASETS) * 6
    row = rows(table, cell="Mock-1 mlp attefa").iloc[0]
    assert (row["published"], row["noise"], row["inside"]) == (0.8153, 0.0425, False)
    assert not row["own_data"]
    assert rows(table, cell="IMDB lstm base F1")["own_data"].all()


def test_better_optimisation_is_below_the_published_procedure():
    table = tables.optimisation(FITTING).set_index(["dataset", "way"])["attefa"]
    assert table["mock-2", "lowest loss"] < 0.1 < table["mock-2", "published"]


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
    assert report.headline(without)["attefa_mlp_warm"] is None


def test_figure_2_has_published_runs_ours_and_the_swept_loss():
    figure, table = figures.figure_2(FITTING)
    titles = [axis.get_title() for axis in figure.axes]
    assert titles == [
        "Diabetes: no usable run",
        "Anemia: no usable run",
        "SST: rotten-tomatoes",
        "IMDB",
    ]
    assert sorted(rows(table, source="sweep", panel="SST")["strength"]) == [0.001, 0.1, 1.0]
    assert len(rows(table, source="published", panel="Anemia")) == 9
    line = figure.axes[2].lines[2]
    assert line.get_xdata().tolist() == pytest.approx([0.1, 0.5, 0.68])


def test_figures_of_data_sets_below_the_gate_say_so():
    poor = changed(FITTING, "scores", {"dataset": "imdb"}, f1=0.5)
    figure, _ = figures.figure_2(poor.drawn(GATE))
    assert figure.axes[3].get_title() == "IMDB (below the gate)"


def test_mass_marks_collapsed_runs_apart():
    figure, table = figures.mass(FITTING)
    assert table.groupby("panel")["collapsed"].any().sum() == 3
    assert {line.get_marker() for line in figure.axes[0].lines} >= {"x", "o"}


def test_the_page_is_written_twice_with_the_same_bytes(tmp_path):
    for most in (1, 2):  # figures one by one, and side by side
        report.write_results(FITTING, table_1(), GATE, tmp_path / str(most), most)
    one, two = (files(tmp_path / name) for name in ("1", "2"))
    assert one == two
    assert len(one) == 8 + 10 + 1 + 2  # tables, figures, plots, claims and metrics
    metrics = written_json(tmp_path / "1", "metrics.json")
    assert metrics["attefa_mlp_warm"] < metrics["attefa_mlp_published"]
    assert len(metrics) == 7
    assert written_json(tmp_path / "1", "claims.json")[0]["id"] == "AF1"


@pytest.mark.parametrize("kept", [["mock-1"], []])
def test_few_runs_or_none_make_a_page(tmp_path, kept):
    few = synthetic.results(mock=("mock-1",), real=())
    few = replace(few, runs=rows(few.runs, dataset=kept))
    report.write_results(few, table_1(), GATE, tmp_path, None)
    assert written_json(tmp_path, "metrics.json")["claims_fail"] == 0
