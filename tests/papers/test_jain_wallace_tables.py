"""Tables of Jain & Wallace 2019: classes, undefined correlations, published numbers, bins."""

import numpy as np
import pandas as pd
import pytest

from stages.papers.jain_wallace import page, tables
from tests.papers import made

NAN = np.nan


def correlations(tau, predicted, dataset="rotten-tomatoes", encoder="bilstm", **columns):
    """The table of correlations of one model, by class."""
    cell = made.about(dataset, encoder)
    taus = made.taus(tau, cell, **columns).drop(columns="predicted")
    return tables.correlation_table(
        taus, made.instances(len(tau), cell, predicted=predicted)
    ).set_index("class")


def test_three_answers_are_split_and_four_are_not():
    three = tables.by_class(made.instances(6, predicted=[0, 1, 2, 0, 1, 2]))
    assert three["class"].value_counts().to_dict() == {"Overall": 6, "0": 2, "1": 2, "2": 2}
    four = tables.by_class(made.instances(6, predicted=[0, 1, 2, 3, 1, 2]))
    assert four["class"].value_counts().to_dict() == {"Overall": 6}


def test_each_model_is_split_by_its_own_answers():
    few = made.instances(4, made.about("babi-1", "average"), predicted=[7, 7, 9, 9])
    many = made.instances(4, made.about("babi-1", "bilstm"), predicted=[7, 8, 9, 10])
    found = tables.by_class(pd.concat([few, many])).groupby("encoder")["class"].unique()
    assert set(found["average"]) == {"7", "9", "Overall"}
    assert set(found["bilstm"]) == {"Overall"}


def test_only_the_first_seed_of_each_model_is_looked_at():
    both = [made.instances(2, made.about(seed=seed)) for seed in (3, 2)]
    other = made.instances(2, made.about(encoder="cnn", seed=5))
    found = tables.first_seed(pd.concat([*both, other]))
    assert found.groupby("model")["seed"].unique().map(list).to_dict() == {
        "bilstm-additive": [2],
        "cnn-additive": [5],
    }


@pytest.mark.parametrize(
    ("largest", "label"),
    [
        (0.0, "[0.00,0.25)"),
        (0.2499, "[0.00,0.25)"),
        (0.25, "[0.25,0.50)"),
        (0.5, "[0.50,0.75)"),
        (0.75, "[0.75,1.00)"),
        (1.0, "[0.75,1.00)"),
    ],
)
def test_the_quarter_of_the_largest_weight(largest, label):
    found = tables.attention_bin(pd.Series([largest], index=[41], dtype=np.float32))
    assert found.to_dict() == {41: label}


def test_undefined_correlations_are_left_out_of_the_mean_and_counted():
    found = correlations([0.1, NAN, 0.3, NAN], [0, 0, 0, 1])
    zero, one, overall = (found.loc[name] for name in ("0", "1", "Overall"))
    assert (zero["mean"], zero["std"], zero["n"], zero["undefined"]) == (0.2, 0.1, 2, 1)
    assert (one["n"], one["undefined"]) == (0, 1)
    assert np.isnan(one["mean"])
    assert np.isnan(one["std"])
    assert (overall["mean"], overall["n"], overall["undefined"]) == (0.2, 2, 2)
    assert found[["n", "undefined"]].dtypes.eq(np.int64).all()


def test_an_interval_surrounds_its_mean_and_the_significant_share_includes_five_percent():
    found = correlations([0.0, 1.0] * 8, 0, p=[0.05, 0.06] * 8).loc["0"]
    assert (found["mean"], found["std"], found["sig_frac"]) == (0.5, 0.5, 0.5)
    assert 0.2 < found["low"] < 0.5 < found["high"] < 0.8


def test_released_numbers_stand_beside_the_same_data_set_model_pair_and_class():
    found = correlations([0.5, 0.6], [0, 1])["released"]
    assert found.to_dict() == {"0": 0.3432, "1": 0.3637, "Overall": 0.3512}
    average = correlations([0.5, 0.6], [0, 1], encoder="average")["released"]
    assert average.to_dict() == {"0": 0.6112, "1": 0.5996, "Overall": 0.6058}
    both = correlations([0.5, 0.6], [0, 1], pair=made.BOTH)["released"]
    assert both["Overall"] == 0.6559
    assert both[["0", "1"]].isna().all()
    assert correlations([0.5], [0], pair="attention-random")["released"].isna().all()


def test_a_run_without_any_data_set_of_the_paper_has_nothing_released_beside_it():
    assert correlations([0.5], [0], dataset="yelp")["released"].isna().all()


def test_joining_released_numbers_keeps_every_row_once():
    run = made.whole()
    grid = tables.correlation_table(run.taus.drop(columns="predicted"), run.instances)
    # two sets, six models, three pairs; classes 0 and 1 and all together
    assert len(grid) == 2 * 6 * 3 * 3
    assert not grid.duplicated([*tables.CELL, "pair", "class"]).any()


def test_quartiles_of_shuffling_by_class_and_largest_weight():
    medians = [0.0, 0.1, 0.2, 0.3, 0.4, 0.9]
    largest = [0.1, 0.1, 0.1, 0.1, 0.1, 0.8]
    found = tables.permutation_grid(made.shuffled(medians, max_attention=largest))
    found = found.set_index(["class", "bin"])
    assert len(found) == 4
    small, large = (found.loc[("0", label)] for label in (tables.BINS[0], tables.BINS[3]))
    assert small[["q25", "median", "q75", "n"]].tolist() == [0.1, 0.2, 0.3, 5]
    assert large[["q25", "median", "q75", "n"]].tolist() == [0.9, 0.9, 0.9, 1]
    assert (small["released"], large["released"]) == (0.0271, 0.107)
    assert found.loc["Overall", "released"].isna().all()


def test_adversaries_by_epsilon():
    rows = [
        made.adversaries([0.6, 0.2], best=[0.6, 0.4], feasible=[True, False]),
        made.adversaries([0.1, 0.1], epsilon=0.01),
    ]
    found = tables.adversarial_grid(pd.concat(rows)).set_index(["class", "epsilon"])
    assert len(found) == 4
    wide = found.loc[("0", 0.05)]
    assert (wide["mean"], wide["median"], wide["share_above_half"]) == (0.4, 0.4, 0.5)
    assert (wide["mean_of_best_iterate"], wide["infeasible"], wide["n"]) == (0.5, 1, 2)
    assert found.loc[("0", 0.01), "mean"] == 0.1
    assert wide["released"] == 0.4804


def test_released_adversaries_stand_beside_their_own_epsilon_only():
    found = tables.adversarial_grid(made.adversaries([0.1, 0.1], epsilon=0.01))
    assert found["released"].isna().all()


def test_faithfulness_of_each_ranking():
    rows = pd.concat(
        made.documents(2, measure=name, comprehensiveness=lost, sufficiency=[0.0, 0.1])
        for name, lost in (("attention", [0.2, 0.4]), ("random", [0.0, 0.0]))
    ).assign(**made.about())
    found = tables.faithfulness_table(rows).set_index("measure")
    assert found["comprehensiveness"].to_dict() == {"attention": 0.3, "random": 0.0}
    assert found["sufficiency"].to_list() == [0.05, 0.05]
    assert found["n"].to_list() == [2, 2]
    assert found.loc["attention", "comprehensiveness_low"] == 0.2
    assert found.loc["attention", "comprehensiveness_high"] == 0.4


def table_1():
    def split(count):
        classes = {"negative": count, "positive": count + 1}
        return {"documents": 2 * count + 1, "mean_length": 20.5, "classes": classes}

    stats = {
        name: {"vocabulary": 77, "splits": {"train": split(30), "test": split(10)}}
        for name in ("rotten-tomatoes", "snli")
    }
    answers = dict.fromkeys(["kitchen", "hall", "garden", "office"], 5)
    several = {"documents": 20, "mean_length": 6.0, "classes": answers}
    stats["babi-1"] = {"vocabulary": 19, "splits": {"train": several, "test": several}}
    scores = pd.DataFrame(
        [
            {"dataset": name, "model": model, "f1": f1, "accuracy": 0.6}
            for name in stats
            for model, f1 in (("bilstm-additive", 0.7), ("cnn-additive", 0.1))
        ]
    )
    stands_for = {name: f"stands for {name}" for name in stats}
    return tables.table_1(stats, scores, stands_for).set_index("panel")


def test_table_1_has_the_twelve_data_sets_printed_beside_ours():
    found = table_1()
    assert len(found) == 12
    sst = found.loc["SST"]
    assert (sst["dataset"], sst["stands_for"]) == ("rotten-tomatoes", "stands for rotten-tomatoes")
    assert (sst["vocabulary_printed"], sst["vocabulary"]) == ("16175", 77)
    assert (sst["train_printed"], sst["train"]) == ("3034/3321", "30/31")
    assert (sst["test_printed"], sst["test"]) == ("863/862", "10/11")
    assert (sst["score_printed"], sst["score"]) == ("0.81", 0.7)
    # SNLI train in our order of classes: contradiction, entailment, neutral
    assert found.loc["SNLI", "train_printed"] == "183187/183416/182764"
    assert found.loc["SNLI", "score"] == 0.6  # accuracy, not F1
    assert found.loc["bAbI 1", "train"] == "20"  # more than three answers: documents


def test_table_1_says_why_a_set_is_absent():
    found = table_1()
    assert (found.loc["IMDB", "dataset"], found.loc["IMDB", "score"]) == ("not run", "")
    assert found.loc["IMDB", "score_printed"] == "0.88"
    assert found.loc["Diabetes", "stands_for"].startswith("MIMIC-III may not be passed on; run")


def test_table_2_has_the_printed_rows_and_ours_where_there_are_any():
    grid = correlations([0.2, 0.4, NAN], [0, 0, 0], p=[0.01, 0.5, NAN]).reset_index()
    found = tables.table_2(grid)
    assert len(found) == 21
    assert not found[[c for c in found if c.endswith((" n", " undefined"))]].isna().any(axis=None)
    rows = found.set_index(["panel", "class"])
    sst = rows.loc[("SST", "0")]
    assert sst["gradient bilstm printed"] == "0.40 ± 0.21"
    assert sst["gradient average printed"] == "0.69 ± 0.15"
    assert sst["leave_one_out bilstm printed"] == "0.34 ± 0.20"
    assert sst["gradient bilstm"] == "0.30 ± 0.10"
    assert (sst["gradient bilstm n"], sst["gradient bilstm undefined"]) == (2, 1)
    assert (sst["gradient average"], sst["gradient average n"]) == ("", 0)
    assert rows.loc[("SST", "1"), "gradient bilstm"] == ""
    assert rows.loc[("SNLI", "2"), "dataset"] == "not run"
    assert rows.loc[("bAbI 1", "Overall"), "gradient bilstm printed"] == "0.23 ± 0.19"


def test_all_tables_are_written_and_counts_are_never_empty(tmp_path):
    run = made.whole()
    run.taus.loc[run.taus["instance"] < 3, ["tau", "p"]] = NAN
    faithful = run.instances.assign(measure="attention", comprehensiveness=0.1, sufficiency=0.2)
    grid = page.write_tables(run, faithful, tmp_path)
    assert (grid.loc[grid["class"] == "Overall", "undefined"] == 3).all()
    names = {"correlation", "table-2", "permutation", "adversarial", "faithfulness"}
    assert {path.stem for path in tmp_path.glob("*.csv")} == names
    for name in names - {"table-2"}:
        counts = pd.read_csv(tmp_path / f"{name}.csv")["n"]
        assert counts.dtype == np.int64
