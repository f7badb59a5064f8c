"""The page of Serrano & Smith 2019: schematics, files with their numbers, the same bytes twice."""

from types import SimpleNamespace

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.patches import Rectangle

from stages.engine.trained import TrainedRun
from stages.papers.serrano_smith import figures, page, schematics
from stages.papers.serrano_smith.tables import contingency, flip_table
from stages.papers.shared.style import save_svg
from tests.counterfactual.test_erasure import tables as real_tables
from tests.papers import serrano_results as synthetic
from tests.papers.common import files, rows
from tests.papers.serrano_results import YAHOO


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
    (axis,) = schematics.draw_erasure().axes
    above, below = (bars(axis)[y] for y in (2.2, 0.2))
    weights, output = above[:4], above[4:]
    left, again, other = below[:4], below[4:8], below[8:]
    assert weights == pytest.approx([0.15, 0.5, 0.25, 0.1])
    assert left == pytest.approx([0.15, 0, 0.25, 0.1])
    assert again == pytest.approx([0.3, 0, 0.5, 0.2])
    assert (sum(output), sum(other)) == (pytest.approx(1), pytest.approx(1))
    assert output.index(max(output)) != other.index(max(other))  # the decision flips


def test_figure_2_has_two_convolutions_and_a_weight_for_each_word():
    (axis,) = schematics.draw_flat_model().axes
    labels = [text.get_text() for text in axis.texts]
    for label in ("embedding", "width 5", "width 3"):
        assert labels.count(label) == 5
    assert [text for text in labels if text.startswith("α")] == ["α1", "α2", "α3", "α4", "α5"]
    assert labels.count("linear classifier") == 1


@pytest.fixture(scope="module")
def run():
    return synthetic.whole()


def coded(run):
    return rows(run.single, ranking="attention", mode="as_coded")


@pytest.fixture
def written(run, tmp_path, monkeypatch):
    """Folder of all figures and what each was drawn from; only the schematics are really drawn."""
    calls = []

    def blank(*args):
        calls.append(args)
        return plt.figure(figsize=(1, 1))

    for name in ("facets", "boxes", "contingencies"):
        monkeypatch.setattr(page.figures, name, blank)
    page.write_figures(run, contingency(run.single), tmp_path, most=1)
    return tmp_path, calls


def test_every_figure_but_the_schematics_has_a_csv(written):
    folder = written[0]
    assert {path.stem for path in folder.glob("*.svg")} == {f"figure-{n}" for n in range(1, 14)}
    assert {path.stem for path in folder.glob("*.csv")} == {f"figure-{n}" for n in range(3, 14)}
    assert not plt.get_fignums()


def test_numbers_of_single_erasures_are_those_of_attention_as_coded(run, written):
    numbers = {n: pd.read_csv(written[0] / f"figure-{n}.csv") for n in (3, 4, 7, 8)}
    attention = coded(run)
    assert (len(numbers[3]), len(numbers[7])) == (2 * 30, 2 * 6 * 30)  # sets, models, documents
    assert numbers[7]["delta_js"].to_list() == pytest.approx(
        attention["delta_js"].to_list(), abs=1e-4
    )
    assert set(numbers[3]["model"]) == set(numbers[4]["model"]) == {"han-rnn"}
    assert len(numbers[8]) == (attention["delta_js"] < 0).sum() > 0
    assert (numbers[8]["delta_js"] < 0).all()


def test_numbers_of_boxes_and_contingencies_are_rows_of_the_tables(run, written):
    folder, calls = written
    flips = flip_table(run.multi).set_index(["dataset", "model", "ranking"])
    models = {5: 3, 6: 2, 10: 6, 11: 6}
    for number, count in models.items():
        shown = pd.read_csv(folder / f"figure-{number}.csv")
        assert len(shown) == 2 * count * 4  # sets, models, rankings of the paper
        keys = [(r.dataset, r.model, r.ranking) for r in shown.itertuples()]
        assert shown["mass_median"].to_list() == flips.loc[keys, "mass_median"].to_list()
    assert [args[2] for args in calls if len(args) == 4] == ["fraction"] * 3 + ["mass"]
    symbols = {9: ("attention", "i*"), 12: ("gradient", "i_g*"), 13: ("product", "i_p*")}
    drawn = [args for args in calls if len(args) == 2]
    for (number, (ranking, symbol)), args in zip(symbols.items(), drawn, strict=True):
        shown = pd.read_csv(folder / f"figure-{number}.csv")
        assert (set(shown["ranking"]), set(shown["mode"])) == ({ranking}, {"as_coded"})
        assert (len(shown), len(args[0]), args[1]) == (12, 12, symbol)


def test_plots_have_the_median_fraction_of_every_model_and_ranking(run, tmp_path):
    page.write_plots(run, tmp_path)
    table = pd.read_csv(tmp_path / "erasure.csv")
    assert list(table) == ["ranking", "dataset", "model", "fraction_median"]
    flips = flip_table(run.multi)
    assert table["fraction_median"].to_list() == flips["fraction_median"].dropna().to_list()


DRAWINGS = {
    "scatter": lambda run: figures.facets(coded(run), ["han-rnn"], figures.scatter, "x", "y"),
    "negatives": lambda run: figures.facets(coded(run), ["han-rnn"], figures.negatives, "x", "y"),
    "boxes": lambda run: figures.boxes(run.multi, ["han-rnn"], "fraction", "y"),
    "contingency": lambda run: figures.contingencies(contingency(coded(run)), "i*"),
    "erasure": lambda run: schematics.draw_erasure(),
    "flat model": lambda run: schematics.draw_flat_model(),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_figure_is_the_same_bytes_twice(name, run, tmp_path):
    for file in ("one.svg", "two.svg"):
        save_svg(DRAWINGS[name](run), tmp_path / file)
        plt.close("all")
    one, two = files(tmp_path).values()
    assert b"<svg" in one
    assert one == two
