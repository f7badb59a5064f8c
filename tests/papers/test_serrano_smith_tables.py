"""Tables of Serrano & Smith 2019: percentages, published numbers, first flips, sizes and scores."""

import numpy as np
import pandas as pd
import pytest

from stages.corpora.corpus import Part
from stages.corpora.ragged import Ragged
from stages.papers.serrano_smith import tables
from stages.papers.serrano_smith.panels import PANELS
from stages.papers.shared.results import shown
from tests.nn import toy
from tests.papers import serrano_results as synthetic
from tests.papers.common import rows, score
from tests.papers.serrano_results import BOXES, COMPLAINTS, RUNWAY, YAHOO

SHARES = ["both", "only_top", "only_random", "neither"]
UNTYPED = pytest.mark.filterwarnings("ignore:'str' is not supported as a fill value")
PUBLISHED = [f"{name}_published" for name in SHARES]


def test_the_papers_own_data_set_goes_before_a_stand_in():
    assert shown(PANELS, [RUNWAY, "imdb-10", "imdb", "snli"]) == {"IMDB": "imdb-10"}
    everything = shown(PANELS, [COMPLAINTS, BOXES, YAHOO, RUNWAY])
    assert list(everything) == ["Yahoo", "IMDB", "Amazon", "Yelp"]
    assert shown(PANELS, [COMPLAINTS])["Yelp"] == COMPLAINTS


EIGHT = ([True] * 4 + [False] * 4, [1, 0, 0, 0, 1, 1, 0, 0], [12.5, 37.5, 25, 25])
# expected flips split a document: (.25 + .5) / 4, (.75 + .5) / 4, .75 / 4, (.25 + 1) / 4
FOUR = ([True, True, False, False], [0.25, 0.5, 0.75, 0], [18.75, 31.25, 18.75, 31.25])


@pytest.mark.parametrize(
    ("mode", "flips"), [("paper", EIGHT), ("as_coded", EIGHT), ("expected", FOUR)]
)
def test_contingency_by_hand(mode, flips):
    top, other, shares = flips
    erased = synthetic.single(len(top), mode=mode, top_flips=top, random_flips=other)
    row = tables.contingency(erased).iloc[0]
    assert row[SHARES].to_list() == shares
    assert (row["top_flips"], row["random_flips"], row["n"]) == (50.0, 37.5, len(top))
    assert row[SHARES].sum() == 100


def test_models_rankings_and_modes_are_counted_apart():
    parts = [
        synthetic.single(3, top_flips=True),
        synthetic.single(5, mode="expected"),
        synthetic.single(4, ranking="gradient"),
        synthetic.single(2, YAHOO, "flan-rnn"),
    ]
    table = tables.contingency(pd.concat(parts)).set_index(["model", "ranking", "mode"])
    assert table["n"].to_dict() == {
        ("han-rnn", "attention", "paper"): 3,
        ("han-rnn", "attention", "expected"): 5,
        ("han-rnn", "gradient", "paper"): 4,
        ("flan-rnn", "attention", "paper"): 2,
    }
    assert table["only_top"].to_list() == [100, 0, 0, 0]


@pytest.fixture(scope="module")
def grid():
    return tables.contingency(synthetic.fitting((RUNWAY, BOXES), documents=30).single)


def test_published_percentages_are_joined_to_as_coded_rows_only(grid):
    beside = grid[grid[PUBLISHED].notna().any(axis=1)]
    assert set(beside["mode"]) == {"as_coded"}
    # two sets: HANrnn by attention (Table 2), and six models by product (Figure 13)
    assert len(beside) == 2 * (1 + 6)
    models = beside.groupby("ranking")["model"].agg(set).to_dict()
    assert models == {"attention": {"han-rnn"}, "product": set(synthetic.MODELS)}
    assert beside[PUBLISHED].notna().all(axis=None)


@pytest.mark.parametrize(
    ("dataset", "model", "ranking", "published"),
    [
        (RUNWAY, "han-rnn", "attention", [2.2, 12.2, 1.4, 84.2]),
        (BOXES, "han-rnn", "attention", [2.7, 7.6, 2.7, 87.1]),
        (BOXES, "han-rnn", "product", [4.5, 10.5, 0.8, 84.2]),
        (RUNWAY, "flan-noenc", "product", [0.6, 36.2, 0.1, 63.1]),
    ],
)
def test_a_published_percentage_is_that_of_its_panel_model_and_ranking(
    grid, dataset, model, ranking, published
):
    row = rows(grid, dataset=dataset, model=model, ranking=ranking, mode="as_coded")
    assert row[PUBLISHED].to_numpy().tolist() == [published]


def test_a_stand_in_has_no_published_number_when_the_papers_own_set_ran():
    both = [synthetic.single(2, name, mode="as_coded") for name in (RUNWAY, "imdb-10")]
    published = tables.contingency(pd.concat(both)).set_index("dataset")["both_published"]
    assert published["imdb-10"] == 2.2
    assert np.isnan(published[RUNWAY])


@UNTYPED
def test_models_of_another_study_have_no_published_numbers():
    elsewhere = tables.contingency(synthetic.single(2, "snli", mode="as_coded"))
    assert elsewhere[PUBLISHED].isna().all(axis=None)


@pytest.mark.filterwarnings("error")
def test_models_of_another_study_are_tabled_without_a_warning():
    tables.contingency(synthetic.single(2, "snli"))


def test_joining_published_numbers_keeps_every_row_once(grid):
    assert len(grid) == 2 * 6 * 3 * 3  # sets, models, rankings, modes
    assert not grid.duplicated(["dataset", "model", "ranking", "mode"]).any()
    np.testing.assert_allclose(grid[SHARES].sum(axis=1), 100, atol=0.01)


def test_the_papers_own_tables_sum_to_100():
    values = tables.published()
    values = values[values["quantity"].isin(SHARES)]
    totals = values.groupby(["where", "panel", "model", "ranking"])["value"].agg(["sum", "size"])
    assert len(totals) == 4 + 24
    assert totals["size"].eq(4).all()
    assert totals["sum"].between(99.85, 100.15).all()


def test_table_2_is_hanrnn_by_attention_in_all_modes(grid):
    table = tables.table_2(grid)
    assert table[["dataset", "model", "mode"]].to_numpy().tolist() == [
        [name, "han-rnn", mode] for name in (RUNWAY, BOXES) for mode in synthetic.MODES
    ]
    attention = rows(grid, ranking="attention", model="han-rnn")
    assert table["both"].to_list() == attention["both"].to_list()


def test_documents_that_never_flip_are_left_out_of_their_own_ranking_and_counted():
    parts = [
        synthetic.multi([1, 2, 3, 10, 0, 0], mass=[0.1, 0.2, 0.3, 1.0, 9, 9]),
        synthetic.multi([2, 2, 2, 2, 4, 6], ranking="gradient"),
    ]
    table = tables.flip_table(pd.concat(parts)).set_index("ranking")
    attention, gradient = table.loc["attention"], table.loc["gradient"]
    assert (attention["n"], attention["never"]) == (6, 2)
    assert (gradient["n"], gradient["never"]) == (6, 0)
    quartiles = ["q25", "median", "q75"]
    # fractions .1 .2 .3 1; places .75, 1.5 and 2.25 of them
    for quantity in ("fraction", "mass"):
        assert attention[[f"{quantity}_{q}" for q in quartiles]].to_list() == [0.175, 0.25, 0.475]
    assert gradient[[f"fraction_{q}" for q in quartiles]].to_list() == [0.2, 0.2, 0.35]


def first_flips(*args, **columns):
    return tables.flip_table(synthetic.multi(*args, **columns)).iloc[0]


def test_shares_above_half_and_only_when_empty_are_of_documents_that_flip():
    row = first_flips([5, 6, 10, 4, 0], length=[10, 10, 10, 4, 10])
    assert row["above_half"] == 75.0  # .5 is not above one half
    assert row["only_when_empty"] == 50.0
    assert (row["n"], row["never"]) == (5, 1)


def test_flips_towards_the_mean_context_have_their_own_count_and_never():
    row = first_flips([10, 0, 4, 2], count_to_mean=[0, 0, 6, 2])
    assert (row["never"], row["never_to_mean"]) == (1, 2)
    assert (row["fraction_median"], row["fraction_median_to_mean"]) == (0.4, 0.4)


def test_only_the_first_random_order_counts():
    orders = [
        synthetic.multi([erased] * 3, ranking="random", order=n)
        for n, erased in enumerate((2, 9, 9))
    ]
    table = tables.flip_table(pd.concat(orders))
    assert (table["n"].to_list(), table["fraction_median"].to_list()) == ([3], [0.2])


def test_a_model_whose_documents_never_flip_has_counts_but_no_quartiles():
    row = first_flips([0, 0, 0])
    assert (row["n"], row["never"]) == (3, 3)
    assert row[["fraction_median", "mass_q25", "above_half", "only_when_empty"]].isna().all()


def test_documents_of_one_item_are_counted_as_excluded():
    lengths = [1, 4, 2, 1, 5]
    parts = [
        synthetic.instances(lengths, any_single_flips=[True, True, False, True, False]),
        synthetic.instances([1, 1], YAHOO, "flan-rnn"),
    ]
    table = tables.excluded(pd.concat(parts)).set_index("model")
    han, flan = table.loc["han-rnn"], table.loc["flan-rnn"]
    assert (han["documents"], han["of_one_item"], han["mean_items"]) == (5, 2, 2.6)
    assert han["any_single_flips"] == 33.33  # of the three that have several items
    assert (flan["documents"], flan["of_one_item"]) == (2, 2)
    assert np.isnan(flan["any_single_flips"])


def part(words, sentences=None):
    return Part(
        np.zeros(len(words), np.int64),
        Ragged.of([[0] * n for n in words]),
        sentences=None if sentences is None else Ragged.of([[1] * n for n in sentences]),
    )


def test_sizes_count_all_documents_words_and_sentences():
    parts = {"train": part([1, 3], [1, 2]), "dev": part([5], [3]), "test": part([7, 9], [4, 5])}
    whole = toy.corpus_of(parts, ("x",), labels=("a", "b", "c"))
    sizes = tables.sizes(whole, trained=1)  # of two training documents
    assert sizes == {
        "avg_words": 5.0,
        "sd_words": 2.8,  # the root of 8, over all five
        "n_train_plus_dev": 2,
        "n_test": 2,
        "n_classes": 3,
        "avg_sentences": 3.0,
        "sd_sentences": 1.4,  # the root of 2
    }


def test_a_corpus_without_sentences_has_no_sizes_of_them():
    parts = dict.fromkeys(("train", "dev", "test"), part([1]))
    sizes = tables.sizes(toy.corpus_of(parts, ("x",)), 1)
    assert not [name for name in sizes if "sentences" in name]
    row = tables.table_1({BOXES: sizes}).iloc[0]
    assert row["avg_sentences_published"] == 4.3
    assert "avg_sentences" not in row


def test_table_1_has_published_sizes_beside_ours_in_the_papers_order():
    table = tables.table_1({COMPLAINTS: {"n_test": 20}, YAHOO: {"n_test": 10, "n_classes": 10}})
    assert table[["panel", "dataset"]].to_numpy().tolist() == [
        ["Yahoo", YAHOO],
        ["Yelp", COMPLAINTS],
    ]
    assert table["n_test_published"].to_list() == [50000, 50000]
    assert table["n_test"].to_list() == [10, 20]
    assert table["avg_words_published"].to_list() == [104, 125]
    assert (table["n_classes_published"].to_list(), table["n_classes"][0]) == ([10, 5], 10)


def compared(single=synthetic.single(2), multi=synthetic.multi([1]), scores=None):  # noqa: B008
    grid, flips = tables.contingency(single), tables.flip_table(multi)
    return tables.compared(grid, flips, synthetic.results().scores if scores is None else scores)


def test_fidelity_has_every_published_percentage_of_what_ran():
    run = synthetic.fitting(documents=30)
    cells = compared(run.single, run.multi, run.scores)
    table = tables.fidelity_table(cells)
    counts = {"Table 2": 2 * 4, "Table 3": 12, "Figure 6": 4, "Figure 13": 12 * 4}
    assert table.groupby("where").size().to_dict() == counts
    assert set(table.loc[table["own_data"], "dataset"]) == {YAHOO}
    row = table[table["cell"] == "Amazon han-rnn  test_accuracy_pct"].iloc[0]
    assert (row["published"], row["ours"], row["difference"]) == (0.569, 0.8, 0.231)
    pooled = (0.569 + 0.8) / 2
    assert row["noise"] == pytest.approx(1.96 * (2 * pooled * (1 - pooled) / 5000) ** 0.5, abs=1e-3)
    assert not row["inside"]


def test_fidelity_allows_for_rounding_and_binomial_noise():
    flips = [True] * 10 + [False] * 90
    erased = synthetic.single(100, mode="as_coded", top_flips=flips)
    table = tables.fidelity_table(compared(erased)).set_index("cell")
    only_top = table.loc["Yahoo han-rnn attention only_top"]
    assert (only_top["published"], only_top["ours"], only_top["inside"]) == (0.087, 0.1, True)
    assert table.loc["Yahoo han-rnn attention only_random", "inside"]


def test_table_3_has_published_accuracy_beside_ours():
    entries = [
        score(BOXES, "flan-conv", 0.61234, n=400),
        score(YAHOO, "han-noenc", 0.7, n=300),
        score(YAHOO, "han-rnn", 0.4, n=300),
        score(YAHOO, "han-rnn", 0.6, n=300) | {"seed": 2},
        score("snli", "han-rnn", 0.9, n=100),
    ]
    table = tables.table_3(compared(scores=pd.DataFrame(entries)))
    columns = ["panel", "dataset", "model", "accuracy_published", "accuracy", "n"]
    assert table[columns].to_numpy().tolist() == [
        ["Yahoo", YAHOO, "HANrnn", 74.6, 50.0, 300],
        ["Yahoo", YAHOO, "HANnoenc", 73.1, 70.0, 300],
        ["Amazon", BOXES, "FLANconv", 54.4, 61.2, 400],
    ]
    assert table["n"].dtype == np.int64
