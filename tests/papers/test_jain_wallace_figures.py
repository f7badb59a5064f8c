"""Panels, sheets, bars and the exhaustive grid: contents, places and reproducible bytes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgb

from stages.papers.jain_wallace import claims, figures, report
from stages.papers.jain_wallace.tables import BINS, OVERALL
from stages.papers.shared.rules import records
from stages.papers.shared.style import save_svg
from stages.papers.shared.writing import write_figures
from stages.settings.studies import Gate
from tests.papers import jain_wallace_results as synthetic
from tests.papers.common import changed, files, texts
from tests.papers.jain_wallace_results import BOTH, GRADIENT, LOO


def heights(axis):
    """Bars of each class by colour."""
    by_colour = {}
    for bars in axis.collections:
        tops = [float(bar.vertices[:, 1].max()) for bar in bars.get_paths()]
        by_colour.setdefault(to_hex(bars.get_facecolor()[0]), []).extend(tops)
    return by_colour


@pytest.fixture(scope="module")
def drawn():
    """Figure 2 of a run that has SST's stand-in under BiLSTM, and IMDB under both encoders."""
    rows = [
        synthetic.taus([0.1, 0.2, 0.9], predicted=[0, 0, 1]),
        synthetic.taus([0.1], synthetic.about("imdb")),
        synthetic.taus([0.1], synthetic.about("imdb", "average")),
        synthetic.taus([0.1], synthetic.about("snli", "average", "dot")),
    ]
    results = replace(synthetic.results(taus=rows), below_gate=frozenset({"snli"}))
    figure = figures.sheet(results, results.taus, figures.tau_histogram, "tau", "share")
    panels = {axis.get_title(): axis for axis in figure.axes}
    yield figure, panels
    plt.close(figure)


def test_a_sheet_has_every_data_set_under_two_encoders(drawn):
    figure, panels = drawn
    assert len(figure.axes) == len(panels) == 24
    first, second, third, fourth, *_, last = panels
    assert (first, second) == ("SST: rotten-tomatoes (BiLSTM)", "SST: rotten-tomatoes (Average)")
    assert (third, fourth, last) == (
        "IMDB (BiLSTM)",
        "IMDB (Average)",
        "SNLI (Average) (below the gate)",
    )
    assert (figure.get_supxlabel(), figure.get_supylabel()) == ("tau", "share")


def test_a_panel_that_was_not_run_has_the_reason(drawn):
    panels = drawn[1]
    assert texts(panels["SST: rotten-tomatoes (Average)"]) == [figures.GATED]
    assert texts(panels["SNLI (Average) (below the gate)"]) == [
        figures.GATED
    ]  # dot attention is not on the sheet
    assert texts(panels["Diabetes (BiLSTM)"])[0].startswith("MIMIC-III may not be passed on")
    assert texts(panels["IMDB (BiLSTM)"]) == []
    assert panels["IMDB (BiLSTM)"].collections
    assert not panels["Anemia (Average)"].collections


def test_bars_of_each_class_sum_to_one(axis):
    rows = synthetic.taus([-1, -1, 0.5, 1, np.nan, 0.3], predicted=[0, 0, 0, 1, 1, 1])
    figures.tau_histogram(axis, rows)
    by_colour = heights(axis)
    zero, one = by_colour[figures.COLOURS["0"]], by_colour[figures.COLOURS["1"]]
    assert len(by_colour) == 2
    assert (len(zero), len(one)) == (30, 30)
    assert (sum(zero), sum(one)) == (pytest.approx(1), pytest.approx(1))
    assert zero[0] == pytest.approx(2 / 3)
    assert one[29] == pytest.approx(1 / 2)  # the missing value is no document
    assert axis.get_xlim() == (-1, 1)


def test_divergences_have_forty_bins_and_the_last_takes_what_is_beyond(axis):
    figures.divergence_histogram(axis, synthetic.adversaries([0.0, 0.35, 0.6931, 0.9]))
    (bars,) = heights(axis).values()
    assert len(bars) == 40
    assert (bars[0], bars[39]) == (0.25, 0.5)
    assert axis.get_xlim() == (0, 0.7)


@pytest.mark.parametrize(
    ("predicted", "groups"),
    [
        ([1, 0, 1], {"0": [0], "1": [1, 1]}),
        ([2], {"2": [2]}),
        ([17, 30, 17, 41], {"0": [17, 17], "1": [30], "2": [41]}),
        ([0, 1, 2, 3], {OVERALL: [0, 1, 2, 3]}),
        # no class takes the place of another
        ([1, 5], {"0": [1], "1": [5]}),
        ([0, 2, 9], {"0": [0], "1": [2], "2": [9]}),
        ([2, 5, 9], {"0": [2], "1": [5], "2": [9]}),
    ],
)
def test_classes_are_split_up_to_three_and_words_take_their_rank(predicted, groups):
    split = figures.split(synthetic.instances(len(predicted), predicted=predicted))
    assert {name: rows["predicted"].to_list() for name, rows in split.items()} == groups


def test_violins_stand_by_largest_weight_with_the_small_ones_on_top(axis):
    values = [0.0, 0.1, 0.2, 0.7, 0.8, 0.9]
    largest = [0.1, 0.1, 0.1, 0.9, 0.9, 0.9]
    figures.shuffled_violins(axis, synthetic.shuffled(values, max_attention=largest))
    bottom, top = axis.get_ylim()
    assert (bottom, top) == (3.5, -0.5)  # upside down: place 0 is on top
    labels = [label.get_text() for label in axis.get_yticklabels()]
    assert (labels, list(axis.get_yticks())) == (list(BINS), [0, 1, 2, 3])
    small, large = (body.get_paths()[0].get_extents() for body in axis.collections)
    assert (small.y0 + small.y1) / 2 == pytest.approx(0)
    assert (large.y0 + large.y1) / 2 == pytest.approx(3)
    assert small.x1 < 0.3 < 0.6 < large.x0
    assert axis.get_xlim() == (-0.05, 1.05)


def test_violins_show_quartiles_and_fewer_than_three_documents_as_dots(axis):
    values, largest = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.1] * 5 + [0.6] * 2
    figures.divergence_violins(axis, synthetic.adversaries(values, max_attention=largest))
    assert len(axis.collections) == 1
    upright = [line for line in axis.lines if line.get_linestyle() != "None"]
    assert [line.get_xdata()[0] for line in upright] == pytest.approx([0.1, 0.2, 0.3])
    (dots,) = (line for line in axis.lines if line.get_marker() == "." and len(line.get_xdata()))
    assert list(dots.get_xdata()) == [0.5, 0.6]
    assert set(dots.get_ydata()) == {2.0}
    assert axis.get_xlim() == (-0.05, 0.7)


def test_classes_are_side_by_side_in_a_bin(axis):
    rows = synthetic.shuffled([0.1, 0.2, 0.3] * 2, predicted=[0, 0, 0, 1, 1, 1], max_attention=0.1)
    figures.shuffled_violins(axis, rows)
    one, other = (body.get_paths()[0].get_extents() for body in axis.collections)
    assert ((one.y0 + one.y1) / 2, (other.y0 + other.y1) / 2) == pytest.approx((-0.2, 0.2))
    assert other.y0 >= one.y1


def test_densities_have_three_lines_over_an_area_of_one(axis):
    values = np.linspace(-0.3, 0.3, 20)
    shifts = {LOO: 0.0, GRADIENT: 0.1, BOTH: 0.3}
    rows = [synthetic.taus(values + shift, pair=pair) for pair, shift in shifts.items()]
    figures.densities(axis, pd.concat([*rows, synthetic.taus(values, pair="attention-random")]))
    assert [line.get_linestyle() for line in axis.lines] == ["-", "--", ":"]
    for line, centre in zip(axis.lines, shifts.values(), strict=True):
        x, y = line.get_data()
        assert np.trapezoid(y, x) == pytest.approx(1, abs=0.01)
        assert np.trapezoid(x * y, x) == pytest.approx(centre, abs=0.01)
    assert axis.get_xlim() == (-1, 1)


def test_bars_have_a_line_at_the_mean_of_those_above_the_gate():
    rows = [
        {"dataset": "rotten-tomatoes", "value": 0.1, "low": 0.05, "high": 0.2, "below_gate": False},
        {"dataset": "snli", "value": 0.4, "low": 0.3, "high": 0.5, "below_gate": False},
        {"dataset": "boolq", "value": 0.9, "low": 0.8, "high": 1.0, "below_gate": True},
    ]
    taus = [synthetic.taus([0.1], synthetic.about(row["dataset"])) for row in rows]
    results = replace(synthetic.results(taus=taus), below_gate=frozenset({"boolq"}))
    axis = figures.bars(results, pd.DataFrame(rows))[0].axes[0]
    assert [bar.get_width() for bar in axis.patches] == [0.1, 0.9, 0.4]
    assert [bar.get_y() + bar.get_height() / 2 for bar in axis.patches] == pytest.approx([0, 7, 11])
    assert [bar.get_alpha() for bar in axis.patches] == [0.8, 0.25, 0.8]
    intervals = sorted(tuple(lines.get_segments()[0][:, 0]) for lines in axis.collections)
    assert intervals[:2] == [pytest.approx((0.05, 0.2)), pytest.approx((0.3, 0.5))]
    upright = [line.get_xdata()[0] for line in axis.lines if len(set(line.get_xdata())) == 1]
    assert upright[-2:] == [0, pytest.approx(0.25)]
    labels = [label.get_text() for label in axis.get_yticklabels()]
    assert len(labels) == 12
    assert (labels[0], labels[1], labels[11]) == ("SST: rotten-tomatoes", "IMDB", "SNLI")
    assert labels[7] == "CNN QA: boolq (below the gate)"
    assert len(texts(axis)) == 9
    assert texts(axis)[0] == figures.GATED


def test_bars_and_claims_have_the_same_numbers():
    run = synthetic.fitting()
    poor = changed(run, "scores", {"dataset": "snli"}, f1=0.6, accuracy=0.6)
    entries = {entry["id"]: entry for entry in records(claims, poor, Gate())}
    for figure, name in ((3, "JW5b"), (4, "JW6"), (5, "JW7")):
        table = report.bar_table(poor.drawn(Gate()), figure).set_index("dataset")
        assert table.index[table["below_gate"]].to_list() == ["snli"]
        mean = table.loc[~table["below_gate"], "value"].mean()
        assert mean == pytest.approx(entries[name]["ours"], abs=1e-4)
    assert table.loc["imdb", ["value", "n"]].to_list() == [pytest.approx(0.375), synthetic.N]


def test_figures_survive_results_without_any_usable_run(tmp_path):
    write_figures(report.drawings(synthetic.results()), tmp_path, 5, None)
    assert len(list(tmp_path.glob("*.svg"))) == 7


def test_every_figure_stands_beside_its_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(report.figures, "sheet", lambda *_: plt.figure(figsize=(1, 1)))
    run = synthetic.fitting(synthetic.TWO)
    write_figures(report.drawings(run), tmp_path, 5, None)
    names = {f"figure-{number}" for number in range(2, 9)}
    assert {path.stem for path in tmp_path.glob("*.svg")} == names
    assert {path.stem for path in tmp_path.glob("*.csv")} == names
    shown = pd.read_csv(tmp_path / "figure-7.csv")
    assert len(shown) == 2 * 2 * synthetic.N  # sets, encoders, documents; one epsilon, one seed
    assert set(shown["epsilon"]) == {0.05}
    assert set(shown["model"]) == {"bilstm-additive", "average-additive"}
    assert set(pd.read_csv(tmp_path / "figure-2.csv")["pair"]) == {GRADIENT}


def test_the_grid_has_every_experiment_for_every_model_of_the_first_seed():
    drawn = report.grid(synthetic.fitting(synthetic.TWO))
    rows = {name: draw.args[0] for name, draw in drawn.items()}
    assert len(rows) == 6 * 2 * 6
    assert all(set(table["seed"]) == {1} for table in rows.values())
    one = rows["adversarial-histogram/babi-1+cnn+dot"]
    assert (len(one), set(one["epsilon"])) == (synthetic.N, {0.05})
    assert set(rows["gradients/babi-1+cnn+dot"]["pair"]) == {GRADIENT}
    assert set(rows["leave-one-out/babi-1+cnn+dot"]["pair"]) == {LOO}


def test_a_picture_of_the_grid_is_the_same_bytes_twice(tmp_path):
    every = report.grid(synthetic.fitting(synthetic.TWO))
    chosen = {name: draw for name, draw in every.items() if name.endswith("/babi-1+cnn+dot")}
    assert len(chosen) == 6
    for most in (1, 2):  # processes
        write_figures(chosen, tmp_path / str(most), 5, most, cropped=False)
    one, two = (files(tmp_path / name) for name in ("1", "2"))
    assert one == two
    assert set(one) == {f"{name}.svg" for name in chosen}  # numbers are in the tables
    assert all(b"<svg" in picture for picture in one.values())
    assert len(set(one.values())) == 6
    assert not plt.get_fignums()


def test_pictures_have_one_size_and_empty_ones_say_so(tmp_path):
    for tau, shown in ((0.1, []), (np.nan, ["no document has a value"])):
        figure, _ = figures.picture(synthetic.taus([tau]), figures.tau_histogram, "tau", "share")
        save_svg(figure, tmp_path / "one.svg", cropped=False)
        assert 'viewBox="0 0 224 206"' in (tmp_path / "one.svg").read_text()
        assert texts(figure.axes[0]) == shown


def test_colours_are_those_of_the_legend(drawn):
    (legend,) = drawn[0].legends
    assert legend.get_texts()[-1].get_text() == "all classes"
    assert [handle.get_facecolor()[:3] for handle in legend.legend_handles] == [
        to_rgb(figures.COLOURS[key]) for key in ("0", "1", "2", OVERALL)
    ]
