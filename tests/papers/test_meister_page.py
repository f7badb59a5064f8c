"""Tables and figures of Meister et al.: the paper's layout, and its numbers beside ours."""

import numpy as np
import pandas as pd
import pytest

from stages.papers.meister import figures, report, tables
from stages.papers.meister.panels import BAG, ENCODERS, MODELS, OURS
from stages.settings.studies import Gate
from tests.papers import meister_results as synthetic
from tests.papers.common import changed, files, legend, rows, ticks, written_json

RESULTS = synthetic.results()
NO_IMDB = synthetic.without(RESULTS, dataset="imdb")
TITLES = ["IMDb", "20-News", "SST: rotten-tomatoes"]
DRAWN = report.FIGURES
TABLE_2, MODEL_TABLE = tables.table_2(RESULTS), tables.model_table(RESULTS)


def test_table_1_has_the_published_numbers():
    table, shallow = (tables.table_1(RESULTS)[part] for part in (slice(12), slice(12, None)))
    assert table["published"].tolist()[:4] == [0.71, 0.75, 0.93, 0.72]
    assert table["published_sd"].tolist()[-3:] == [0.09, 0.06, 0.08]
    assert table["panel"].tolist() == ["IMDb", "20-News", "SST"] * 4
    assert table["model"].tolist()[::3] == list(MODELS.values())
    assert not table.isna().any().any()
    assert shallow["model"].tolist() == list(OURS.values())
    assert (table["train_documents"] == 1000).all()


def test_table_1_has_means_over_documents_and_over_states():
    table = tables.table_1(RESULTS).set_index(["model", "panel"])
    row = table.loc[("BiLSTM (Softmax)", "IMDb")]
    assert row["ours"] == pytest.approx(0.8, abs=0.01)
    assert row["difference"] == pytest.approx(row["ours"] - 0.71)
    assert row["low"] <= row["ours"] <= row["high"]
    assert row["n"] == synthetic.DOCUMENTS - 1
    assert row["over_states"] == pytest.approx(0.8, abs=0.01)
    assert row["over_states_sd"] == pytest.approx(0.005, abs=0.002)


def test_table_2_has_the_published_numbers():
    assert TABLE_2["published"].tolist() == [-0.935, -0.675, -0.866, -0.83, -0.409, -0.81]
    assert TABLE_2["model"].tolist()[::3] == list(ENCODERS.values())
    assert TABLE_2["panel"].tolist() == ["IMDb", "20-News", "SST"] * 2
    assert (TABLE_2["ours"] == 1).all()
    assert (TABLE_2["lambdas"] == 6).all()
    assert (TABLE_2["pooled"] > 0.8).all()
    # two lambdas leave every token its weight
    assert TABLE_2["with_achieved_sparsity"].tolist() == [0.966] * 6
    assert not TABLE_2.isna().any().any()


def test_an_encoder_that_did_not_run_leaves_gaps_and_no_lost_rows():
    few = synthetic.without(RESULTS, encoder="transformer")
    first, second = tables.table_1(few), tables.table_2(few)
    assert len(first) == 13
    assert first["ours"].notna().sum() == 7
    assert len(second) == 6
    assert second["ours"].notna().sum() == 3
    assert second["lambdas"].tolist() == [6, 6, 6, 0, 0, 0]


def test_every_model_and_lambda_has_one_row_of_its_own_means():
    expected = [(d, *model) for d in synthetic.DATASETS for model in synthetic.swept_models()]
    expected.append(("rotten-tomatoes", synthetic.SHALLOW, np.nan))
    columns = ["dataset", "model", "value"]
    pd.testing.assert_frame_equal(MODEL_TABLE[columns], pd.DataFrame(expected, columns=columns))
    assert (MODEL_TABLE["n"] == synthetic.DOCUMENTS).all()
    ranks = np.array([synthetic.rank(model, value) for _, model, value in expected])
    spread, taus = MODEL_TABLE["entropy_gradient_input"], MODEL_TABLE["tau weight gradient_input"]
    assert spread.to_numpy() == pytest.approx(0.6 + 0.05 * ranks, abs=0.01)
    assert taus.to_numpy() == pytest.approx(0.3 - 0.04 * ranks, abs=0.01)
    assert (MODEL_TABLE["entropy_missing"] == 1).all()
    assert MODEL_TABLE["correct"].eq(0.9).all()
    gaps = [name for name in MODEL_TABLE if MODEL_TABLE[name].isna().any()]
    assert all(name.startswith(("value", "searched_", "auc_", "projection_gap")) for name in gaps)


def test_correlations_for_plots_are_ordered_by_projection():
    table = tables.correlation(RESULTS)
    assert list(table) == ["lambda", "model", "dataset", "tau"]
    one = rows(table, dataset="imdb", model="bilstm")
    assert one["lambda"].tolist() == ["softmax", "-100", "-10", "-1", "0", "0.5", "0.75"]
    expected = [0.3, *(0.3 - 0.04 * np.arange(6))]
    assert one["tau"].to_numpy() == pytest.approx(expected, abs=0.01)
    assert rows(table, model="bag")["lambda"].tolist() == ["softmax"] * 3


def test_baselines_are_untrained_and_trained():
    table = tables.baseline_table(RESULTS)
    trained, untrained = (rows(table, state=name) for name in ("trained", "untrained"))
    assert set(trained["model"]) == {*MODELS, BAG, synthetic.SHALLOW}
    assert len(trained) == 3 * 5 + 1
    assert set(untrained["model"]) == {
        "bilstm-softmax",
        "transformer-softmax",
        BAG,
        synthetic.SHALLOW,
    }
    assert len(untrained) == 3 * 3 + 1
    assert untrained["entropy_states"].to_numpy() == pytest.approx(0.4, abs=0.01)
    assert trained["entropy_states"].to_numpy() == pytest.approx(0.805, abs=0.01)
    assert not table.isna().any().any()


@pytest.mark.parametrize("name", DRAWN)
def test_panels_have_titles_and_numbers(name):
    figure, table = DRAWN[name](RESULTS)
    counts = {"figure-1": 24, "figure-2": 12, "figure-3": 24, "accuracy": 72}
    assert len(table) == counts[name]
    assert not table.isna().any().any()
    expected = TITLES[:1] if name == "figure-3" else TITLES
    assert [axis.get_title() for axis in figure.axes] == expected


def test_figure_1_has_boxes_of_inputs_and_states_for_the_four_models():
    figure, table = figures.figure_1(RESULTS)
    first, *_, last = figure.axes
    assert first.get_ylabel() == r"Kendall $\tau_b$ with attention"
    assert {axis.get_ylim() for axis in figure.axes} == {(-1.02, 1.02)}
    assert ticks(first) == [name.replace(" (", "\n(") for name in MODELS.values()]
    assert legend(last) == ["inputs", "states"]
    assert all(len(axis.patches) == 8 for axis in figure.axes)
    assert (table["n"] == synthetic.DOCUMENTS - 1).all()
    medians = table.groupby("importance")["q50"].mean()
    assert medians["states"] == pytest.approx(0.7, abs=0.01)
    assert ((table["q25"] < table["q50"]) & (table["q50"] < table["q75"])).all()


def test_figure_2_pools_projections():
    figure, table = figures.figure_2(RESULTS)
    first, *_, last = figure.axes
    assert first.get_ylabel() == "Normalised entropy"
    assert {axis.get_ylim() for axis in figure.axes} == {(-0.02, 1.02)}
    assert ticks(first) == [name.replace(" (", "\n(") for name in ENCODERS.values()]
    assert legend(last) == ["gradient", "leave-one-out"]
    assert (table["n"] == 7 * (synthetic.DOCUMENTS - 1)).all()
    spread = rows(table, importance="gradient")["mean"]
    assert spread.to_numpy() == pytest.approx(0.6 + 0.05 * 15 / 7, abs=0.01)


def test_figure_3_falls_along_lambda():
    figure, table = figures.figure_3(RESULTS)
    (axis,) = figure.axes
    assert axis.get_xlabel() == r"$\lambda$ of sparsegen (0: sparsemax)"
    assert axis.get_ylabel() == r"Mean $\tau_b$(attention, importance)"
    assert ticks(axis) == ["-100", "-10", "-1", "0", ".5", ".75"]
    measures = [label for label, _ in figures.MEASURES.values()]
    assert legend(axis) == [f"{e}, {m}" for e in ENCODERS.values() for m in measures]
    assert set(table["dataset"]) == {"imdb"}
    for _, line in table.groupby(["encoder", "importance"]):
        assert line["lambda"].tolist() == list(synthetic.SUPPORT)
        assert line["mean"].is_monotonic_decreasing
    places = axis.transData.transform([(k, 0) for k in synthetic.SUPPORT])[:, 0]
    assert (np.diff(places) > 0.08 * np.ptp(places)).all()  # far enough apart to read


def test_accuracy_is_drawn_with_achieved_support():
    figure, table = figures.accuracy(RESULTS)
    first, *_, last = figure.axes
    assert first.get_ylabel() == "Test accuracy; share of tokens with weight"
    assert {axis.get_ylim() for axis in figure.axes} == {(0, 1.02)}
    assert legend(last) == [f"{e}: {what}" for e in ENCODERS for what in ("accuracy", "support")]
    means = rows(table, dataset="imdb", encoder="bilstm").set_index("quantity")["mean"]
    assert means["support"].to_numpy() == pytest.approx(list(synthetic.SUPPORT.values()))
    assert means["accuracy"].to_numpy() == pytest.approx(0.9 - 0.01 * np.arange(6))


@pytest.mark.parametrize("name", ["figure-1", "figure-2", "accuracy"])
def test_a_set_that_did_not_run_has_no_panel(name):
    figure, table = DRAWN[name](NO_IMDB)
    assert [axis.get_title() for axis in figure.axes] == TITLES[1:]
    assert "imdb" not in set(table["dataset"])


def test_figure_3_is_labelled_when_imdb_did_not_run():
    figure, table = figures.figure_3(NO_IMDB)
    assert figure.axes[0].get_title() == "IMDb: not run"
    assert len(table) == 0
    assert list(table.columns) == list(figures.figure_3(RESULTS)[1].columns)


def test_published_cells_beside_ours():
    table = tables.fidelity_table(RESULTS)
    assert table["where"].tolist() == ["Table 1"] * 12 + ["Table 2"] * 6
    assert (table["own_data"] == ~table["cell"].str.endswith("SST")).all()
    news = table.iloc[1]  # .80 beside .75 with a deviation of .12; then tau of 15 pairs of lambdas
    assert (news["cell"], news["noise"]) == ("BiLSTM (Softmax), 20-News", 0.12)
    assert news["inside"]
    expected = 2 * 1.96 * np.sqrt(2 * 0.0325 * 0.9675 / 15)
    assert table["noise"].iloc[12] == pytest.approx(expected, abs=1e-3)
    assert not table["inside"].iloc[12:].any()  # ours rise


def test_panels_below_the_gate_say_so():
    poor = changed(RESULTS, "scores", {"dataset": "imdb"}, accuracy=0.6)
    some = changed(poor, "scores", {"model": "bilstm-softmax"}, accuracy=0.6)
    usable = some.drawn(Gate(floors=dict.fromkeys(synthetic.DATASETS, 0.7)))
    for draw in DRAWN.values():
        assert draw(usable)[0].axes[0].get_title() == "IMDb (below the gate)"
    counts = figures.figure_1(usable)[1].set_index(["dataset", "model"])["n"]
    assert (counts["rotten-tomatoes", "bilstm-softmax"] == 0).all()
    assert figures.figure_1(usable)[0].axes[-1].get_xlim() == (-0.5, 3.5)  # its place stays empty


def test_the_whole_page_twice_with_the_same_bytes(tmp_path):
    results = synthetic.results(("imdb",))
    for name in ("one", "two"):
        report.write_results(results, Gate(), tmp_path / name, None)
    one, two = (files(tmp_path / name) for name in ("one", "two"))
    shown = {f"figures/{name}.{kind}" for name in DRAWN for kind in ("svg", "csv")}
    counted = {f"tables/{name}.csv" for name in report.TABLES}
    assert set(one) == shown | counted | {"plots/correlation.csv", "claims.json", "metrics.json"}
    assert one == two
    metrics = written_json(tmp_path / "one", "metrics.json")
    assert metrics.pop("entropy_states") == pytest.approx(0.8, abs=0.01)
    assert (metrics["claims_hold"], metrics["claims_fail"]) == (13, 1)  # the prose, not Table 2
    assert len(metrics) <= 6  # and the mean accuracy
    assert len(written_json(tmp_path / "one", "claims.json")) == 16


def test_a_page_without_imdb_can_be_read(tmp_path):
    report.write_results(synthetic.results(("rotten-tomatoes",)), Gate(), tmp_path, None)
    for name in ("claims.json", "metrics.json"):
        written_json(tmp_path, name)
    for path in tmp_path.rglob("*.csv"):
        assert len(pd.read_csv(path).columns) > 1
