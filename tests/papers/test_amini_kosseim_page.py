"""Tables, figures and metrics of Amini & Kosseim's page, from made results."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from stages.papers.amini_kosseim import figures, page, tables
from stages.papers.amini_kosseim.panels import MOCK
from tests.papers import amini_made as made

FITTING = made.results()


def test_table_3_has_the_printed_numbers_beside_ours():
    table = tables.table_3(FITTING).set_index(["panel", "model"])
    row = table.loc[("Mock-1", "MLP")]
    assert (row["attefa_printed"], row["attefa_sd_printed"]) == (0.8153, 0.0425)
    assert (row["jsd_printed"], row["tvd_printed"]) == (0.393, 0.231)
    assert (row["runs"], row["bases"], row["collapsed"]) == (9, 3, 0)
    runs = FITTING.runs
    mine = runs[
        (runs["dataset"] == "mock-1")
        & (runs["model"] == "mlp")
        & (runs["procedure"] == "published")
    ]
    mine = mine[mine["selected_on"] == "dev"]["attefa"]
    assert row["attefa"] == pytest.approx(mine.mean(), abs=1e-4)
    assert row["attefa_sd"] == pytest.approx(mine.std(ddof=0), abs=1e-4)
    assert len(table) == 2 * (len(made.MOCK_SETS) + len(made.REAL_SETS))


def test_table_1_names_what_was_not_run():
    table = tables.table_1(made.STATS, made.STANDS_FOR).set_index("panel")
    assert len(table) == made.KNOWN
    assert table.loc["Diabetes", "dataset"] == "not run"
    assert table.loc["Diabetes", "train_printed"] == "6650/1416"
    assert (table.loc["Mock-2q", "train"], table.loc["Mock-2q", "train_length"]) == ("10/12", 75.0)
    assert table.loc["Mock-2q", "train_length_printed"] == 75


def test_table_2_has_earlier_printed_and_ours():
    row = tables.table_2(FITTING).set_index("panel").loc["IMDB"]
    assert (row["lstm_earlier"], row["lstm_printed"], row["lstm"]) == (0.902, 0.908, 0.9)
    assert row["mlp_train_documents"] == 1000


def test_tables_4_and_5_list_every_run_after_the_printed_ones():
    fourth, fifth = tables.table_4(FITTING), tables.table_5(FITTING)
    ours = fourth[fourth["source"] == "ours"]
    assert len(ours) == len(MOCK) * (9 + 3)
    printed = fourth[fourth["source"] == "printed"]
    row = printed[(printed["panel"] == "Mock-1") & (printed["model"] == "mlp")]
    assert row.set_index("seed").loc["10", "attefa"] == 0.784
    assert set(fifth.loc[fifth["source"] == "ours", "panel"]) == {"IMDB", "SST", "AgNews", "20News"}


def test_better_optimisation_stands_below_the_published_procedure():
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


def test_figure_2_has_a_panel_for_each_set_with_a_curve():
    figure, table = figures.figure_2(FITTING)
    assert [axis.get_title() for axis in figure.axes] == ["SST: rotten-tomatoes", "IMDB"]
    swept = table[(table["procedure"] == "sweep") & (table["panel"] == "SST")]
    assert sorted(swept["strength"]) == [0.001, 0.1, 1.0]
    line = figure.axes[0].lines[0]
    assert line.get_xdata().tolist() == pytest.approx([0.1, 0.5, 0.68])


def test_mass_marks_collapsed_runs_apart():
    figure, table = figures.mass(FITTING)
    assert table.groupby("panel")["collapsed"].any().sum() == 3
    assert {line.get_marker() for line in figure.axes[0].lines} >= {"x", "o"}


def test_the_page_is_written_twice_with_the_same_bytes(tmp_path):
    written = []
    for most in (1, 2):  # figures one by one, and side by side
        folder = tmp_path / str(most)
        for part in ("tables", "figures"):
            (folder / part).mkdir(parents=True)
        page.write_tables(FITTING, made.STATS, made.STANDS_FOR, folder / "tables")
        page.write_figures(FITTING, folder / "figures", most)
        page.write_verdicts(FITTING, "laptop", folder)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        written.append({str(f.relative_to(folder)): f.read_bytes() for f in files})
    assert written[0] == written[1]
    assert len(written[0]) == 7 + 10 + 2
    metrics = json.loads(written[0]["metrics.json"], parse_constant=pytest.fail)
    assert metrics["attefa_mlp_warm"] < metrics["attefa_mlp_published"]
    assert metrics["collapsed_runs"] == 27
    assert json.loads(written[0]["claims.json"])[0]["id"] == "AF1"


def test_one_data_set_alone_makes_a_page(tmp_path):
    few = made.results(mock=("mock-1",), real=())
    (tmp_path / "figures").mkdir()
    page.write_figures(few, tmp_path / "figures", None)
    page.write_verdicts(few, "smoke", tmp_path)
    bare = replace(few, instances=few.instances[:0], runs=few.runs[few.runs["model"] == "mlp"])
    assert isinstance(tables.table_3(bare), pd.DataFrame)
