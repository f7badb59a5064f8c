"""Claims, tables, figures and metrics of Amini & Kosseim 2022 on synthetic results."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from stages.papers.amini_kosseim import evidence, figures, page, tables, verdicts
from stages.papers.amini_kosseim.panels import MOCK, PANELS
from stages.papers.shared.claims import stated
from tests.papers import amini_results as synthetic
from tests.papers.common import changed, check_records, files, record_of, rows, written_json

FITTING = synthetic.results()
RECORDS = {entry["id"]: entry for entry in verdicts.decided(FITTING, "paper")}


def decide(name, results, scale="paper"):
    return record_of(verdicts, name, results, scale)


def published(where, **columns):
    """The fitting results with runs of the published procedure changed."""
    return changed(FITTING, "runs", {"procedure": "published"} | where, **columns)


def swept(**columns):
    """The fitting results with documents of the sweep changed."""
    return changed(FITTING, "instances", {"procedure": "sweep"}, **columns)


LSTM, MLP = {"model": "lstm"}, {"model": "mlp"}
BETTER = {"procedure": ["warm", "longer"]}


def test_every_claim_holds_on_results_that_fit_it():
    check_records(list(RECORDS.values()), list(stated(verdicts.STATEMENTS)))
    assert all(entry["verdict"] == "holds" and entry["n"] > 0 for entry in RECORDS.values())


CONTRADICTING = {
    "AF1": lambda: changed(FITTING, "scores", {}, difference=-0.1),
    "AF2": lambda: published(LSTM | {"dataset": "imdb"}, attefa=0.6),
    "AF3": lambda: published(MLP, attefa=lambda t: 1 - t["attefa"]),
    "AF4": lambda: published(LSTM, attefa=lambda t: 0.1 - t["attefa"]),
    "AF5": lambda: published(MLP | {"dataset": "mock-1"}, attefa=0.3),
    "AF6": lambda: published(LSTM | {"dataset": "mock-2"}, sjsd=0.5),
    "AF7": lambda: published(MLP, sjsd=0.01),
    "AF8": lambda: published(MLP | {"dataset": "imdb"}, attefa=0.9),
    "AF9": lambda: published(LSTM | {"dataset": "mock-1"}, attefa=0.9),
    "AF10": lambda: published(
        MLP, attefa=lambda t: t["dataset"].map(synthetic.REAL_SETS).fillna(0) / 400
    ),
    "AF11": lambda: swept(stvd=0.6),
    "AF12": lambda: published(MLP, base_f1=lambda t: 0.99 - 0.01 * t["seed"]),
    "AF13": lambda: changed(FITTING, "runs", {"collapsed": True}, stvd=0.3),
    "AF14": lambda: changed(FITTING, "runs", BETTER, loss=5.0),
    "AF15": lambda: published({"selected_on": "test"}, attefa=lambda t: t["attefa"] + 0.1),
    "AF16": lambda: published(MLP, attefa=lambda t: 0.1 * t["adversary"]),
    "WP3": lambda: swept(stvd=0.6),
}


@pytest.mark.parametrize("name", RECORDS)
def test_every_claim_fails_on_results_that_contradict_it(name):
    assert decide(name, CONTRADICTING[name]())["verdict"] == "fails"


def test_scores_at_a_smaller_scale_are_listed_but_not_judged():
    entry = decide("AF1", FITTING, "laptop")
    assert entry["verdict"] == "not run"
    assert entry["reason"].startswith("scale is laptop: ")
    assert "imdb 0.00" in entry["reason"]


def test_what_was_not_run_is_not_decided():
    only = synthetic.results(mock=("mock-1",), real=())
    entries = {entry["id"]: entry for entry in verdicts.decided(only, "paper")}
    absent = {"AF1", "AF3", "AF4", "AF8", "AF9", "AF10", "AF11", "AF12", "AF13", "AF16", "WP3"}
    assert {name for name, entry in entries.items() if entry["verdict"] == "not run"} == absent
    assert all(entries[name]["reason"] for name in absent)


def test_one_run_has_no_interval():
    single = replace(FITTING, runs=rows(FITTING.runs, seed=1, adversary=1))
    assert decide("AF5", single)["verdict"] == "not run"


def test_noise_makes_a_claim_undecided():
    by_seed = {1: 0.1, 2: 0.8, 3: 0.9}
    noisy = published(MLP | {"dataset": "mock-1"}, attefa=lambda t: t["seed"].map(by_seed))
    assert decide("AF5", noisy)["verdict"] == "undecided"


def test_collapse_against_an_unsure_base_is_not_judged():
    entry = decide("AF13", changed(FITTING, "bases", {}, probability=0.7))
    assert entry["verdict"] == "not run"
    assert entry["reason"] == "0 of 27 collapsed runs are against a sure base"


def test_a_base_that_learnt_nothing_decides_nothing():
    """Its adversaries would make the claim fail."""
    first = MLP | {"dataset": "mock-1", "seed": 1}
    low = published(first, attefa=0.0)
    entry = decide("AF5", changed(low, "bases", first, predicted=1))
    assert entry["verdict"] == "holds"
    assert "commonest answer: mock-1 mlp 1; with them: " in entry["reason"]
    assert decide("AF5", low)["verdict"] == "undecided"


def test_no_far_attention_leaves_the_sweep_undecided():
    entry = decide("WP3", swept(jsd=0.1))
    assert entry["verdict"] == "not run"
    assert "no strength moves attention beyond 0.4" in entry["reason"]


def test_intervals_draw_bases_before_adversaries():
    """Nine runs that differ by base only are three observations, not nine."""
    runs = evidence.runs_of(FITTING, "imdb", "mlp").assign(attefa=lambda t: 0.1 * t["seed"])
    interval = evidence.mean_of(runs, "attefa", "imdb")
    assert interval.value == pytest.approx(0.2)
    assert (interval.low, interval.high) == pytest.approx((0.1, 0.3), abs=0.01)
    alike = runs.assign(attefa=lambda t: 0.1 * t["adversary"])
    narrow = evidence.mean_of(alike, "attefa", "imdb")
    assert narrow.high - narrow.low < interval.high - interval.low


def test_the_best_adversary_of_a_base_is_that_of_the_lowest_loss():
    best = evidence.best_runs(FITTING, "mock-1", "mlp")
    assert sorted(best["seed"]) == [1, 2, 3]
    assert set(best["procedure"]) == {"warm"}


def test_variances_by_hand():
    """Bases at .1, .2, .3; adversaries .01 to either side: .01 less a third of .0001."""
    runs = published(MLP, attefa=lambda t: 0.1 * t["seed"] + 0.01 * (t["adversary"] - 2))
    row = evidence.variances(runs, "mlp").iloc[0]
    assert row["between_adversaries"] == pytest.approx(1e-4)
    assert row["between_bases"] == pytest.approx(0.01 - 1e-4 / 3)
    assert (row["bases"], row["adversaries"]) == (3, 3)
    assert np.isclose(evidence.variances(FITTING, "lstm")["between_bases"].sum(), 0)


def test_rank_correlation_equals_scipy_with_ties_too():
    draw = np.random.default_rng(0)
    one, other = draw.integers(0, 5, 12), draw.integers(0, 5, (12, 30))
    correlations = evidence.spearman(one, other)
    assert correlations == pytest.approx([spearmanr(one, column).statistic for column in other.T])
    assert float(evidence.spearman(one, other[:, 0])) == pytest.approx(correlations[0])
    assert np.isnan(evidence.spearman(one, np.ones(12)))


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
    row = rows(fourth, source="published", panel="Mock-1", model="mlp")
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
