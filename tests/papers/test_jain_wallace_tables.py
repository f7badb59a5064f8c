"""Tables of Jain & Wallace 2019: classes, undefined correlations, published numbers, bins."""

import numpy as np
import pandas as pd
import pytest

from stages.papers.jain_wallace import report, tables
from tests.papers import jain_wallace_results as synthetic
from tests.papers.common import rows

NAN = np.nan


def correlations(tau, predicted, dataset="rotten-tomatoes", encoder="bilstm", **columns):
    """The table of correlations of one model, by class."""
    taus = synthetic.taus(tau, synthetic.about(dataset, encoder), predicted, **columns)
    return tables.correlation_table(taus).set_index("class")


def test_three_answers_are_split_and_four_are_not():
    three = tables.by_class(synthetic.instances(6, predicted=[0, 1, 2, 0, 1, 2]))
    assert three["class"].value_counts().to_dict() == {"Overall": 6, "0": 2, "1": 2, "2": 2}
    four = tables.by_class(synthetic.instances(6, predicted=[0, 1, 2, 3, 1, 2]))
    assert four["class"].value_counts().to_dict() == {"Overall": 6}


def test_each_model_is_split_by_its_own_answers():
    few = synthetic.instances(4, synthetic.about("babi-1", "average"), predicted=[7, 7, 9, 9])
    many = synthetic.instances(4, synthetic.about("babi-1", "bilstm"), predicted=[7, 8, 9, 10])
    classes = tables.by_class(pd.concat([few, many])).groupby("encoder")["class"].unique()
    assert set(classes["average"]) == {"7", "9", "Overall"}
    assert set(classes["bilstm"]) == {"Overall"}


def test_only_the_first_seed_of_each_model_is_kept():
    both = [synthetic.instances(2, synthetic.about(seed=seed)) for seed in (3, 2)]
    other = synthetic.instances(2, synthetic.about(encoder="cnn", seed=5))
    table = tables.first_seed(pd.concat([*both, other]))
    assert table.groupby("model")["seed"].unique().map(list).to_dict() == {
        "bilstm-additive": [2],
        "cnn-additive": [5],
    }


def test_the_quarter_of_the_largest_weight():
    largest = pd.Series([0.0, 0.2499, 0.25, 0.5, 0.75, 1.0], index=range(41, 47), dtype=np.float32)
    bins = tables.attention_bin(largest)
    first, second, third, last = tables.BINS
    assert bins.to_list() == [first, first, second, third, last, last]
    assert bins.index.equals(largest.index)


def test_undefined_correlations_are_left_out_of_the_mean_and_counted():
    table = correlations([0.1, NAN, 0.3, NAN], [0, 0, 0, 1])
    assert table["n"].to_dict() == {"0": 2, "1": 0, "Overall": 2}
    assert table["undefined"].to_dict() == {"0": 1, "1": 1, "Overall": 2}
    assert table.loc["0", ["mean", "std"]].to_list() == [0.2, 0.1]
    assert table.loc["1", ["mean", "std"]].isna().all()
    assert table.loc["Overall", "mean"] == 0.2
    assert table[["n", "undefined"]].dtypes.eq(np.int64).all()


def test_numbers_are_means_over_seeds_whose_documents_are_resampled_within():
    taus = [[0.1, 0.3, NAN], [0.5, 0.9, 0.7]]
    of_seeds = [synthetic.taus(tau, synthetic.about(seed=k)) for k, tau in enumerate(taus, 1)]
    row = tables.correlation_table(pd.concat(of_seeds)).set_index("class").loc["Overall"]
    assert (row["mean"], row["n"], row["undefined"], row["seeds"]) == (0.45, 2, 0, 2)
    assert row["std"] == pytest.approx((0.1 + np.std(taus[1])) / 2, abs=1e-4)
    assert row["low"] < 0.25  # replicates with the first seed alone
    assert row["high"] > 0.65
    moved = [synthetic.shuffled(m, synthetic.about(seed=k)) for k, m in ((1, [0.2]), (2, [0.6]))]
    grid = tables.permutation_grid(pd.concat(moved))
    assert grid[["median", "n", "seeds"]].to_numpy().tolist() == [[0.4, 1, 2]] * 2
    far = [synthetic.adversaries(m, synthetic.about(seed=k)) for k, m in ((1, [0.2]), (2, [0.6]))]
    grid = tables.adversarial_grid(pd.concat(far))
    assert grid[["mean", "share_above_half", "seeds"]].to_numpy().tolist() == [[0.4, 0.5, 2]] * 2


def test_an_interval_surrounds_its_mean_and_the_significant_share_includes_five_percent():
    row = correlations([0.0, 1.0] * 8, 0, p=[0.05, 0.06] * 8).loc["0"]
    assert (row["mean"], row["std"], row["sig_frac"]) == (0.5, 0.5, 0.5)
    assert 0.2 < row["low"] < 0.5 < row["high"] < 0.8


def test_every_model_pair_and_class_has_one_row():
    grid = tables.correlation_table(synthetic.fitting(synthetic.TWO).taus)
    # six models, three pairs; classes 0, 1 and overall, and overall only
    assert len(grid) == 6 * 3 * (3 + 1)
    assert not grid.duplicated([*tables.KEYS, "pair", "class"]).any()


def test_quartiles_of_shuffling_by_class_and_largest_weight():
    medians = [0.0, 0.1, 0.2, 0.3, 0.4, 0.9]
    largest = [0.1, 0.1, 0.1, 0.1, 0.1, 0.8]
    table = tables.permutation_grid(synthetic.shuffled(medians, max_attention=largest))
    table = table.set_index(["class", "bin"])
    assert len(table) == 4
    small, large = (table.loc[("0", label)] for label in (tables.BINS[0], tables.BINS[3]))
    assert small[["q25", "median", "q75", "n"]].tolist() == [0.1, 0.2, 0.3, 5]
    assert large[["q25", "median", "q75", "n"]].tolist() == [0.9, 0.9, 0.9, 1]


def test_adversaries_by_epsilon():
    parts = [
        synthetic.adversaries([0.6, 0.2], best=[0.6, 0.4], feasible=[True, False]),
        synthetic.adversaries([0.1, 0.1], epsilon=0.01),
    ]
    table = tables.adversarial_grid(pd.concat(parts)).set_index(["class", "epsilon"])
    assert len(table) == 4
    wide = table.loc[("0", 0.05)]
    assert (wide["mean"], wide["median"], wide["share_above_half"]) == (0.4, 0.4, 0.5)
    assert (wide["mean_of_best_iterate"], wide["infeasible"], wide["n"]) == (0.5, 1, 2)
    assert table.loc[("0", 0.01), "mean"] == 0.1


def test_faithfulness_of_each_ranking():
    faithful = pd.concat(
        synthetic.documents(2, measure=name, comprehensiveness=lost, sufficiency=[0.0, 0.1])
        for name, lost in (("attention", [0.2, 0.4]), ("random", [0.0, 0.0]))
    ).assign(**synthetic.about())
    table = tables.faithfulness_table(faithful).set_index(["measure", "quantity"])
    assert table["mean"].xs("sufficiency", level="quantity").to_list() == [0.05, 0.05]
    lost = table.loc[("attention", "comprehensiveness")]
    assert lost[["mean", "low", "high", "n"]].to_list() == [0.3, 0.2, 0.4, 2]
    assert table.loc[("random", "comprehensiveness"), "mean"] == 0.0


@pytest.fixture(scope="module")
def table_1():
    def about(name, model, per_class, f1=0.7):
        test = {"n": sum(per_class), "per_class": per_class, "f1": f1, "accuracy": 0.6}
        sizes = {"train_documents": 61, "train_tokens": 1254}
        return {"dataset": name, "name": model, "scores": {"test": test}} | sizes

    answers = {"rotten-tomatoes": [10, 11], "snli": [5, 5, 5], "babi-1": [5, 5, 5, 5]}
    models = [about(name, "bilstm-additive", counts) for name, counts in answers.items()]
    models.append(about("rotten-tomatoes", "bilstm-additive", [10, 11], 0.8))  # another seed
    models.append(about("rotten-tomatoes", "cnn-additive", [10, 11], 0.1))
    stats = {name: {"vocabulary": 77, "stands_for": f"stands for {name}"} for name in answers}
    return tables.table_1(models, stats).set_index("panel")


def test_table_1_has_the_twelve_published_data_sets_beside_what_ours_were_trained_on(table_1):
    assert len(table_1) == 12
    sst = table_1.loc["SST"]
    assert (sst["dataset"], sst["stands_for"]) == ("rotten-tomatoes", "stands for rotten-tomatoes")
    assert (sst["vocab_size_published"], sst["vocab_size"]) == ("16175", 77)
    assert (sst["train_size_published"], sst["train_size"]) == ("3034/3321", 61)
    assert (sst["avg_length_published"], sst["avg_length"]) == ("19", 20.6)
    assert (sst["test_size_published"], sst["test_size"]) == ("863/862", "10/11")
    assert (sst["score_published"], sst["score"]) == ("0.81", 0.75)  # the mean of two seeds
    # SNLI train in our order of classes: contradiction, entailment, neutral
    assert table_1.loc["SNLI", "train_size_published"] == "183187/183416/182764"
    assert table_1.loc["SNLI", "score"] == 0.6  # accuracy, not F1
    assert table_1.loc["bAbI 1", "test_size"] == "20"  # more than three answers: documents


def test_table_1_has_the_reason_why_a_data_set_is_absent(table_1):
    imdb = table_1.loc["IMDB"]
    assert (imdb["dataset"], imdb["score"], imdb["score_published"]) == ("not run", "", "0.88")
    reason = table_1.loc["Diabetes", "stands_for"]
    assert reason.startswith("MIMIC-III may not be passed on; run")


def test_table_2_has_the_published_numbers_beside_ours():
    parts = [
        correlations([0.2, 0.4, NAN], [0, 0, 0], p=[0.01, 0.5, NAN]),
        correlations([0.8], [1], "snli", "average"),
        correlations([0.8], [1], "snli", "cnn"),  # not in Table 2
        correlations([0.8], [1], pair=synthetic.BOTH),
    ]
    table = tables.table_2(pd.concat(parts).reset_index())
    assert table["dataset"].to_list() == ["rotten-tomatoes", "snli"]  # as in the paper
    sst, snli = table.to_dict("records")
    assert (sst["mean_published"], sst["std_published"], sst["sig_frac_published"]) == (
        *(0.4, 0.21, 0.59),
    )
    assert (sst["mean"], sst["std"], sst["n"], sst["undefined"]) == (0.3, 0.1, 2, 1)
    assert sst["sig_frac"] == pytest.approx(1 / 3, abs=1e-4)
    assert (snli["class"], snli["encoder"], snli["mean_published"]) == ("1", "average", 0.53)


@pytest.fixture(scope="module")
def fidelity():
    run = synthetic.fitting(synthetic.TWO)
    grids = (
        tables.correlation_table(run.taus),
        tables.permutation_grid(run.shuffled),
        tables.adversarial_grid(run.adversaries),
    )
    table = tables.fidelity_table(*grids, run.scores)
    assert not table.duplicated(["where", "cell", "dataset"]).any()
    return table.set_index(["where", "dataset", "cell"])


def test_fidelity_has_published_and_released_numbers_with_their_noise(fidelity):
    def cell(where, name, dataset="rotten-tomatoes"):
        return fidelity.loc[(where, dataset, name)]

    tau = cell("Table 2", "attention-gradient bilstm-additive 0 mean")
    assert (tau["published"], tau["noise"]) == (0.4, 0.1)
    assert cell("Table 2", "attention-gradient bilstm-additive 0 std")["noise"] == 0.06
    released = cell("released tables", "attention-gradient bilstm-additive 0 mean")
    assert (released["published"], released["noise"]) == (0.3432, 0.1)
    adversary = cell("released tables", "adversarial bilstm-additive 0 mean")
    assert (adversary["published"], adversary["noise"]) == (0.4804, 0.05)
    moved = cell("released tables", "permutation [0.75,1.00) bilstm-additive 0 median")
    assert moved["published"] == 0.107
    score = cell("Table 1", "table-1 bilstm-additive Overall score")
    assert (score["published"], score["ours"], score["inside"]) == (0.81, 0.9, False)
    # 1.96 sqrt(2 * .59 * .41 / 100), a hundred documents of the class
    share = cell("Table 2", "attention-gradient bilstm-additive 0 sig_frac")
    assert share["noise"] == pytest.approx(1.96 * np.sqrt(2 * 0.59 * 0.41 / 100), abs=1e-3)
    assert not fidelity["own_data"].any()  # stand-ins
    assert "babi-1" in fidelity.index.get_level_values("dataset")


def test_all_tables_are_there_and_counts_are_never_empty(table_1):
    run = synthetic.fitting(synthetic.TWO)
    run.taus.loc[run.taus["instance"] < 3, ["tau", "p"]] = NAN
    faithful = run.instances.assign(measure="attention", comprehensiveness=0.1, sufficiency=0.2)
    by_name = report.all_tables(run, faithful, table_1.reset_index())
    grid = by_name["correlation"]
    assert (grid.loc[grid["class"] == "Overall", "undefined"] == 3).all()
    names = {"correlation", "permutation", "adversarial", "faithfulness"}
    assert set(by_name) == {*names, "table-1", "table-2", "fidelity"}
    assert all(by_name[name]["n"].dtype == np.int64 for name in names)


def test_taus_for_plots_are_means_over_documents_by_data_set_encoder_and_measure():
    run = synthetic.fitting(synthetic.TWO)
    table = tables.tau_table(tables.correlation_table(run.taus))
    assert list(table) == ["dataset", "encoder", "measure", "label", "tau"]
    assert len(table) == 2 * 3 * 2  # additive attention only
    cnn = rows(run.taus, model="cnn-additive", pair=synthetic.LOO, dataset="babi-1")
    shown = table.set_index(["dataset", "encoder", "measure"])["tau"]
    assert shown["babi-1", "cnn", "leave_one_out"] == pytest.approx(cnn["tau"].mean(), abs=1e-4)
