"""Claims, tables, figures and metrics of Amini & Kosseim 2022 on synthetic results."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import linregress, spearmanr

from stages.papers.amini_kosseim import claims, evidence, figures, page, tables
from stages.papers.amini_kosseim.claims import CLAIMS, MEASUREMENTS
from stages.papers.amini_kosseim.panels import MOCK, PANELS, REAL
from stages.papers.shared.rules import records
from stages.settings.studies import Gate
from tests.papers import amini_results as synthetic
from tests.papers import common
from tests.papers.amini_results import with_runs
from tests.papers.common import changed, check_records, files, rows, written_json

GATE = Gate()
FITTING = synthetic.results()
RECORDS = {entry["id"]: entry for entry in records(CLAIMS, MEASUREMENTS, FITTING, GATE)}


def decide(name, results):
    return common.record_of(claims, name, results, GATE)


def published(where, **columns):
    """The fitting results with runs of the published procedure changed."""
    return with_runs(FITTING, {"procedure": "published"} | where, **columns)


def swept(**columns):
    """The fitting results with documents of the sweep changed."""
    return changed(FITTING, "instances", {"procedure": "sweep"}, **columns)


LSTM, MLP = {"model": "lstm"}, {"model": "mlp"}
BETTER = {"procedure": ["warm", "longer"]}


def test_every_claim_holds_on_results_that_fit_it():
    check_records(list(RECORDS.values()), list(MEASUREMENTS))
    assert {n: e["reason"] for n, e in RECORDS.items() if e["verdict"] != "holds"} == {}
    assert all(entry["n"] > 0 and entry["seeds"] > 0 for entry in RECORDS.values())


CONTRADICTING = {
    "AF1": lambda: changed(FITTING, "scores", LSTM, f1=0.8),
    "AF2": lambda: published(LSTM, stvd=0.8),
    "AF3": lambda: published(MLP, stvd=lambda t: 1 - t["stvd"]),
    "AF4": lambda: published(LSTM, stvd=lambda t: 30 * t["stvd"]),
    "AF5": lambda: published(MLP | {"dataset": "mock-1"}, stvd=0.3),
    "AF6": lambda: published({}, jsd=0.4),
    "AF7": lambda: published(MLP, jsd=0.01),
    "AF8": lambda: published(MLP | {"dataset": "imdb"}, stvd=0.8),
    "AF9": lambda: published(LSTM | {"dataset": synthetic.MOCK_SETS}, stvd=0.2),
    "AF10": lambda: changed(FITTING, "bases", {}, length=lambda t: np.sin(t["instance"])),
    "AF11": lambda: swept(stvd=0.6),
    "AF12": lambda: changed(FITTING, "runs", MLP, base_f1=lambda t: 0.99 - 0.01 * t["seed"]),
    "AF13": lambda: changed(FITTING, "runs", {"collapsed": True}, stvd=0.3),
    "AF14": lambda: changed(FITTING, "runs", BETTER, loss=5.0),
    "AF15": lambda: published({"model": evidence.ON_TEST}, stvd=lambda t: t["stvd"] + 0.1),
    "AF16": lambda: changed(FITTING, "runs", MLP, attefa=lambda t: 0.1 * t["adversary"]),
    "WP3": lambda: swept(stvd=0.6),
}
BY_SEED = {1: 0.1, 2: 0.8, 3: 0.9}
BETWEEN = {  # where no mixture of documents or runs lies between
    "AF1": lambda: changed(FITTING, "scores", LSTM, f1=0.88),
    "AF13": lambda: changed(FITTING, "runs", {"collapsed": True, "seed": 1}, stvd=0.45),
    "AF14": lambda: changed(FITTING, "runs", BETTER | {"seed": [1, 2]}, loss=5.0),
    "AF15": lambda: published(
        {"model": evidence.ON_TEST, "seed": 1}, stvd=lambda t: t["stvd"] + 0.06
    ),
    "AF16": lambda: changed(
        FITTING, "runs", MLP | {"dataset": "imdb"}, attefa=lambda t: 0.1 * t["adversary"]
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_every_claim_fails_on_results_that_contradict_it(name):
    entry = decide(name, CONTRADICTING[name]())
    assert entry["verdict"] == "fails", entry["reason"]


@pytest.mark.parametrize("name", RECORDS)
def test_a_claim_is_undecided_between_the_two(name):
    if name in BETWEEN:
        assert decide(name, BETWEEN[name]())["verdict"] == "undecided"
    else:
        common.undecided_between(claims, name, FITTING, CONTRADICTING[name](), GATE)


@pytest.mark.parametrize("name", RECORDS)
def test_no_claim_is_decided_by_bases_below_the_gate(name):
    entry = decide(name, changed(FITTING, "scores", {}, accuracy=0.65, f1=0.65))
    assert entry["verdict"] == "not run"
    assert "reaches 0.65, gate 0.75" in entry["reason"]


def test_scores_after_less_training_are_listed_but_not_judged():
    entry = decide("AF1", changed(FITTING, "scores", {}, train_documents=500))
    assert entry["verdict"] == "not run"
    assert "too few documents: imdb lstm 0.00 with 500" in entry["reason"]


def test_what_was_not_run_is_not_decided():
    only = synthetic.results(mock=("mock-1",), real=())
    entries = {entry["id"]: entry for entry in records(CLAIMS, MEASUREMENTS, only, GATE)}
    decided = {name for name, entry in entries.items() if entry["verdict"] != "not run"}
    assert decided == {"AF2", "AF5", "AF6", "AF7", "AF14"}
    assert entries["AF3"]["reason"] == "not run at this scale: fewer than four Mock sets"


def test_one_run_is_decided_by_its_documents():
    entry = decide("AF5", replace(FITTING, runs=rows(FITTING.runs, seed=1, adversary=1)))
    assert (entry["runs"], entry["verdict"]) == (1, "holds")
    assert "one seed" in entry["reason"]


def test_collapse_against_an_unsure_base_is_not_judged():
    entry = decide("AF13", changed(FITTING, "bases", {}, probability=0.7))
    assert entry["verdict"] == "not run"
    assert "0 of 36 collapsed runs are against a sure base" in entry["reason"]


def test_a_base_below_the_gate_decides_nothing():
    """Its adversaries would leave the claim undecided."""
    first = MLP | {"dataset": "mock-1", "seed": 1}
    low = published(first, stvd=0.01)
    entry = decide("AF5", changed(low, "scores", first, f1=0.6))
    assert entry["verdict"] == "holds"
    assert "Left out: mock-1 mlp reaches 0.60, gate 0.75" in entry["reason"]
    assert decide("AF5", low)["verdict"] == "undecided"


def test_no_far_attention_leaves_the_sweep_undecided():
    entry = decide("WP3", swept(jsd=0.1))
    assert entry["verdict"] == "not run"
    assert "no strength moves attention beyond 0.4" in entry["reason"]


def test_intervals_draw_documents_bases_and_adversaries():
    """Nine runs that differ by base only are three observations, not nine."""
    imdb = MLP | {"dataset": "imdb"}
    widths = []
    for spread in ("seed", "adversary"):
        results = published(imdb, stvd=lambda t, by=spread: 0.1 * t[by], jsd=evidence.LARGEST)
        values = evidence.estimates(results, evidence.runs_of(results, "imdb", "mlp"))
        assert values[0] == pytest.approx(0.2)
        widths.append(np.ptp(np.percentile(values[1:], (2.5, 97.5))))
    assert widths[0] == pytest.approx(0.2, abs=0.05)
    assert 0.01 < widths[1] < widths[0] / 1.5


def test_the_best_adversary_of_a_base_is_that_of_the_lowest_loss():
    best = evidence.optimised(FITTING)
    best = best[(best["way"] == evidence.BEST) & (best["dataset"] == "mock-1")]
    assert best["seed"].tolist() == [1, 2, 3]
    assert set(best["procedure"]) == {"warm"}


def test_variances_by_hand():
    """Bases at .1, .2, .3; adversaries .01 to either side: .01 less a third of .0001."""
    runs = changed(
        FITTING, "runs", MLP, attefa=lambda t: 0.1 * t["seed"] + 0.01 * (t["adversary"] - 2)
    )
    table = evidence.variances(runs)
    assert set(table["model"]) == {"mlp"}  # the LSTM has one adversary against each base
    row = table.iloc[0]
    assert row["between_adversaries"] == pytest.approx(1e-4)
    assert row["between_bases"] == pytest.approx(0.01 - 1e-4 / 3)
    assert (row["bases"], row["adversaries"]) == (3, 3)


def test_rank_correlation_and_slope_equal_scipy_with_ties_too():
    draw = np.random.default_rng(0)
    one, other = draw.integers(0, 5, (2, 30, 12)).astype(float)
    pairs = list(zip(one, other, strict=True))
    assert evidence.spearman(one, other) == pytest.approx([spearmanr(*p).statistic for p in pairs])
    assert evidence.slope(one, other) == pytest.approx([linregress(*p).slope for p in pairs])
    assert np.isnan(evidence.spearman(one[0], np.ones(12)))


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
    fourth, fifth = page.TABLES["table-4"](FITTING), page.TABLES["table-5"](FITTING)
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
    assert page.headline(without)["attefa_mlp_warm"] is None


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
        page.write(FITTING, table_1(), GATE, tmp_path / str(most), most)
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
    page.write(few, table_1(), GATE, tmp_path, None)
    assert written_json(tmp_path, "metrics.json")["claims_fail"] == 0
