"""The page of Serrano & Smith 2019: schematics, files with their numbers, the same bytes twice."""

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.patches import Rectangle

from stages.engine.trained import TrainedRun
from stages.papers.serrano_smith import figures, report
from stages.papers.serrano_smith.tables import contingency, flip_table
from stages.papers.shared.drawing import schematic
from stages.settings.studies import Gate
from stages.statistics import bootstrap
from tests.counterfactual.test_erasure import tables as real_tables
from tests.papers import serrano_results as synthetic
from tests.papers.common import rows, written_json
from tests.papers.serrano_results import BOXES, YAHOO


def test_synthetic_tables_have_the_columns_of_real_ones():
    settings = SimpleNamespace(
        encoder=SimpleNamespace(kind="bigru"), score=SimpleNamespace(kind="additive")
    )
    run = SimpleNamespace(dataset=YAHOO, model="han-rnn", settings=settings, value=None, seed=1)
    keys = TrainedRun.keys.fget(SimpleNamespace(run=run))
    assert list(keys) == list(synthetic.about())
    assert keys | {"value": None} == synthetic.about() | {"value": None}
    for name, table in real_tables().items():
        assert set(synthetic.EXAMPLES[name]) == {*keys, *table.columns}, name


def bars(axis):
    """Values of the bars from left to right, by the line they stand on."""
    by_line = {}
    for bar in axis.patches:
        if isinstance(bar, Rectangle) and bar.get_width() == 0.3:
            by_line.setdefault(bar.get_y(), []).append((bar.get_x(), bar.get_height() / 1.1))
    return {y: [height for _, height in sorted(pairs)] for y, pairs in by_line.items()}


def test_figure_1_erases_the_largest_weight_and_renormalises():
    (axis,) = schematic(report.SCHEMATICS, "figure-1")[0].axes
    above, below = (bars(axis)[y] for y in (2.2, 0.2))
    weights, output = above[:4], above[4:]
    left, again, other = below[:4], below[4:8], below[8:]
    assert weights == pytest.approx([0.15, 0.5, 0.25, 0.1])
    assert left == pytest.approx([0.15, 0, 0.25, 0.1])
    assert again == pytest.approx([0.3, 0, 0.5, 0.2])
    assert (sum(output), sum(other)) == (pytest.approx(1), pytest.approx(1))
    assert output.index(max(output)) != other.index(max(other))  # the decision flips


def test_figure_2_has_two_convolutions_and_a_weight_for_each_word():
    (axis,) = schematic(report.SCHEMATICS, "figure-2")[0].axes
    labels = [text.get_text() for text in axis.texts]
    for label in ("embedding", "width 5", "width 3"):
        assert labels.count(label) == 5
    assert [text for text in labels if text.startswith("α")] == ["α1", "α2", "α3", "α4", "α5"]
    assert labels.count("linear classifier") == 1


@pytest.fixture(scope="module")
def run():
    return synthetic.fitting(documents=30)


def chosen(run, mode="paper"):
    return rows(run.single, ranking="attention", mode=mode)


@pytest.fixture
def calls(monkeypatch):
    """What sheets were drawn from; only the schematics are really drawn."""
    calls = []

    def blank(*args):
        calls.append(args)
        return plt.figure(figsize=(1, 1))

    for name in ("facets", "boxes"):
        monkeypatch.setattr(report.figures, name, blank)
    return calls


@pytest.fixture
def drawn(run, calls):
    """The numbers of every figure, and what it was drawn from."""
    return {name: draw()[1] for name, draw in report.drawings(run).items()}, calls


def test_every_figure_but_the_schematics_has_numbers(drawn):
    names = [f"figure-{n}" for n in range(1, 14)] + ["figure-7-as-coded", "figure-8-as-coded"]
    assert set(drawn[0]) == set(names)
    assert {name for name, table in drawn[0].items() if table is None} == {"figure-1", "figure-2"}


def test_numbers_of_single_erasures_are_those_of_the_item_that_claims_use(run, drawn):
    numbers = drawn[0]
    for suffix, mode in (("", "paper"), ("-as-coded", "as_coded")):
        attention, table = chosen(run, mode), numbers[f"figure-7{suffix}"]
        assert table["delta_js"].to_list() == attention["delta_js"].to_list()
        assert len(numbers[f"figure-8{suffix}"]) == (attention["delta_js"] < 0).sum() > 0
        assert (numbers[f"figure-8{suffix}"]["delta_js"] < 0).all()
    assert len(numbers["figure-3"]) == 2 * 30  # sets, documents
    assert set(numbers["figure-3"]["model"]) == set(numbers["figure-4"]["model"]) == {"han-rnn"}


def test_numbers_of_boxes_and_contingencies_are_rows_of_the_tables(run, drawn):
    numbers, calls = drawn
    flips = flip_table(run.multi).set_index(["dataset", "model", "ranking"])
    models = {5: 3, 6: 2, 10: 6, 11: 6}
    for number, count in models.items():
        shown = numbers[f"figure-{number}"]
        assert len(shown) == 2 * count * 4  # sets, models, rankings of the paper
        keys = [(r.dataset, r.model, r.ranking) for r in shown.itertuples()]
        assert shown["mass_median"].to_list() == flips.loc[keys, "mass_median"].to_list()
    assert [args[2] for args in calls if len(args) == 4] == ["fraction"] * 3 + ["mass"]
    symbols = {9: ("attention", "i*"), 12: ("gradient", "i_g*"), 13: ("product", "i_p*")}
    sheets = [args for args in calls if args[3] is figures.contingency_panel]
    for (number, (ranking, symbol)), args in zip(symbols.items(), sheets, strict=True):
        shown = numbers[f"figure-{number}"]
        assert (set(shown["ranking"]), set(shown["mode"])) == ({ranking}, {"as_coded"})
        assert (len(shown), args[4][1]) == (12, f"Remove {symbol}: decision flip?")


@pytest.mark.filterwarnings("ignore:'str' is not supported as a fill value")
@pytest.mark.parametrize("floor", [0.1, 0.9])  # all runs usable, none usable
@pytest.mark.usefixtures("calls")
def test_a_whole_page_is_written(run, tmp_path, monkeypatch, floor):
    monkeypatch.setattr(bootstrap, "REPEATS", 50)
    elsewhere = synthetic.fitting(("snli",), ("flan-rnn",), 5)
    stats = {name: {"n_test": 30} for name in (YAHOO, BOXES)}
    gate = Gate(floors={YAHOO: floor, BOXES: floor})
    better = replace(run, scores=run.scores.assign(accuracy=0.6))
    report.write_results(better, stats, elsewhere, gate, tmp_path, 1)
    written = {path.stem: pd.read_csv(path) for path in tmp_path.glob("tables/*.csv")}
    assert set(written) == {
        *("table-1", "table-2", "table-3", "contingency", "flips", "excluded", "fidelity"),
        *("other-models", "other-models-contingency"),
    }
    assert len(written["contingency"]) == 2 * 6 * 9
    assert len(written["flips"]) == 2 * 6 * 5
    assert written["excluded"]["of_one_item"].to_list() == [5] * 12
    assert set(written["other-models"]["n"]) == {5}
    assert len(list(tmp_path.glob("figures/*.svg"))) == 15
    assert len(written_json(tmp_path, "claims.json")) == 36
    metrics = written_json(tmp_path, "metrics.json")
    numbers = ["top_flips_attention", "fraction_attention", "fraction_gradient", "fidelity"]
    assert list(metrics) == [*numbers, "claims_hold", "claims_fail", "claims_undecided"]
    decided = sum(metrics[f"claims_{name}"] for name in ("hold", "fail", "undecided"))
    assert decided == 0 if floor > 0.6 else decided > 20


def test_headline_numbers_are_means_over_models_or_null():
    parts = [
        synthetic.single(10, YAHOO, model, top_flips=[True] * flips + [False] * (10 - flips))
        for model, flips in (("han-rnn", 2), ("flan-rnn", 5))
    ]
    attention = [
        synthetic.multi([count] * 3, YAHOO, m) for m, count in (("han-rnn", 1), ("flan-rnn", 2))
    ]
    flips = flip_table(pd.concat([*attention, synthetic.multi([0], ranking="gradient")]))
    assert report.headline(contingency(pd.concat(parts)), flips) == {
        "top_flips_attention": 35.0,
        "fraction_attention": 0.15,
        "fraction_gradient": None,
    }
