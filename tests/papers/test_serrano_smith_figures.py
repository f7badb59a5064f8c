"""Figures of Serrano & Smith 2019: what is drawn where, and in which colour."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import PathPatch

from stages.papers.serrano_smith import figures, tables
from tests.papers import serrano_results as synthetic
from tests.papers.common import score, texts, ticks
from tests.papers.serrano_results import BOXES, RUNWAY

SPREAD = np.array([0, 1, 2, 3, 4])


def ran(**tables):
    """Results of the models in the tables."""
    run = synthetic.results(**tables)
    pairs = pd.concat([run.single, run.multi])[["dataset", "model"]].drop_duplicates()
    scores = [score(*pair, 0.5) for pair in pairs.to_numpy().tolist()]
    return replace(run, scores=pd.DataFrame(scores))


@pytest.fixture(scope="module")
def sheet():
    """All architectures; HANrnn ran on Yahoo and IMDB's stand-in, FLANnoenc on the latter only."""
    pairs = [(), (RUNWAY,), (RUNWAY, "flan-noenc")]
    run = ran(single=[synthetic.single(3, *pair) for pair in pairs])
    labels = ("weight", "output")
    figure = figures.facets(run, run.single, synthetic.MODELS, figures.scatter, labels)
    panels = {axis.get_title(): axis for axis in figure.axes}
    yield figure, panels
    plt.close(figure)


def test_a_sheet_has_four_data_sets_for_each_of_six_architectures(sheet):
    figure, panels = sheet
    assert len(figure.axes) == len(panels) == 24
    grid = np.array([axis.get_title() for axis in figure.axes]).reshape(6, 4)
    assert grid[0].tolist() == [
        *("HANrnn, Yahoo", "HANrnn, IMDB: rent-the-runway"),
        *("FLANrnn, Yahoo", "FLANrnn, IMDB: rent-the-runway"),
    ]
    assert grid[1].tolist() == [
        *("HANrnn, Amazon", "HANrnn, Yelp"),
        *("FLANrnn, Amazon", "FLANrnn, Yelp"),
    ]
    assert [title.split(",")[0] for title in grid[::2, 0]] == ["HANrnn", "HANconv", "HANnoenc"]
    assert (figure.get_supxlabel(), figure.get_supylabel()) == ("weight", "output")


def test_a_panel_that_was_not_run_is_labelled(sheet):
    panels = sheet[1]
    ran = ["HANrnn, Yahoo", "HANrnn, IMDB: rent-the-runway", "FLANnoenc, IMDB: rent-the-runway"]
    assert [title for title, axis in panels.items() if texts(axis) != ["not run"]] == ran
    assert all(panels[title].lines and not texts(panels[title]) for title in ran)


def test_titles_say_that_all_runs_are_below_the_gate():
    run = ran(single=[synthetic.single(3), synthetic.single(3, RUNWAY)])
    run = replace(run, below_gate=frozenset([RUNWAY]))
    figure = figures.facets(run, run.single, ["han-rnn"], figures.scatter, ("", ""))
    assert len(figure.axes) == 4  # of one architecture
    assert figure.axes[0].get_gridspec().get_geometry() == (2, 2)
    titles = [axis.get_title() for axis in figure.axes[:2]]
    assert titles == ["HANrnn, Yahoo", "HANrnn, IMDB: rent-the-runway (below the gate)"]


def test_a_sample_has_at_most_ten_points_of_each_bin_without_the_highest():
    alpha = [0.001] * 50 + [0.0049] * 50 + [0.0051] * 50 + [1.0] * 50
    rows = synthetic.single(200, delta_alpha=alpha, delta_js=np.arange(200) / 1000)
    kept = figures.even_sample(rows)
    counts = kept.groupby((kept["delta_alpha"] / 0.005).astype(int)).size()
    assert list(counts.index) == [0, 1, 200]
    assert counts.between(2, 10).all()
    assert not kept["instance"].duplicated().any()
    assert figures.even_sample(rows)["instance"].to_list() == kept["instance"].to_list()


def test_a_sample_leaves_out_the_single_highest_point_and_keeps_lonely_ones():
    rows = synthetic.single(4, delta_alpha=[0.1, 0.2, 0.3, 0.4], delta_js=[0.2, 0.5, 0.1, 0.5])
    kept = figures.even_sample(rows)
    assert len(kept) == 3  # of two equal highest points one stays
    assert {0, 2} < set(kept["instance"])
    assert len(figures.even_sample(synthetic.single(1))) == 1


def test_a_sample_has_the_same_bin_for_the_end_of_the_axis_and_just_before_it():
    rows = synthetic.single(60, delta_alpha=[0.996, 1.0] * 30)
    assert len(figures.even_sample(rows)) <= 10


def test_scatter_has_the_axes_of_the_paper(axis):
    rows = synthetic.single(3, delta_alpha=[0.1, 0.5, 0.9], delta_js=[0.1, 0.2, 0.3])
    figures.scatter(axis, rows)
    (line,) = axis.lines
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([0.1, 0.5], [0.1, 0.2])
    assert axis.get_ylim() == (-0.05, 0.45)
    assert list(axis.get_xticks()) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])


def test_negatives_are_counted_by_their_difference_in_weight(axis):
    moved = [-0.1] * 6 + [0.0, 0.2]
    alpha = [0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.5, 0.5]
    figures.negatives(axis, synthetic.single(8, delta_js=moved, delta_alpha=alpha))
    bars = [bar for bar in axis.patches if bar.get_height()]
    assert [bar.get_height() for bar in bars] == [4, 2]
    assert bars[0].get_x() == pytest.approx(0.1)
    assert bars[1].get_x() + bars[1].get_width() == pytest.approx(0.9)


def test_negatives_have_at_most_fifty_bars_and_their_absence_is_labelled(axis):
    alpha = np.append(np.linspace(0.1, 0.2, 500), 0.9)  # bins of .0126 would be 64
    figures.negatives(axis, synthetic.single(501, delta_js=-0.1, delta_alpha=alpha))
    assert len(axis.patches) == 50
    other = plt.subplots()[1]
    figures.negatives(other, synthetic.single(3))
    assert texts(other) == ["no negative difference"]


def five(start, ranking, *pair):
    """Five documents of ten items from `start` on, and one that never flips."""
    return synthetic.multi([*(start + SPREAD), 0], *pair, ranking=ranking, mass=start / 10)


@pytest.fixture(scope="module")
def box_sheet():
    starts = {"product": 4, "gradient": 3, "attention": 2, "random": 1, "centred": 5}
    rows = [five(start, name) for name, start in starts.items()]
    second = synthetic.multi([9] * 5, ranking="random", order=1)
    run = ran(multi=[*rows, second, five(6, "attention", RUNWAY, "flan-rnn")])
    figure = figures.boxes(run, ["han-rnn", "flan-rnn"], "fraction", "Fractions Removed")
    yield figure
    plt.close(figure)


def test_boxes_have_the_papers_order_and_colours(box_sheet):
    han, flan = box_sheet.axes
    boxes = [patch for patch in han.patches if isinstance(patch, PathPatch)]
    colours = [to_hex(box.get_facecolor()).upper() for box in boxes]
    assert colours == ["#2589CC", "#80D4FF", "#D4F3FF", "#FFFFFF"]
    edges = [box.get_path().get_extents() for box in boxes]
    middles = [(edge.x0 + edge.x1) / 2 for edge in edges]
    assert middles == pytest.approx([-0.285, -0.095, 0.095, 0.285])
    # quartiles of start / 10 + (0, .1, .2, .3, .4); documents that never flip are left out
    assert [edge.y0 for edge in edges] == pytest.approx([0.2, 0.3, 0.4, 0.5])
    assert [edge.y1 for edge in edges] == pytest.approx([0.4, 0.5, 0.6, 0.7])
    (one,) = (patch for patch in flan.patches if isinstance(patch, PathPatch))
    assert one.get_path().get_extents().x0 == pytest.approx(1 - 0.095 - 0.08)


def test_boxes_name_their_rankings_models_and_what_was_not_run(box_sheet):
    (legend,) = box_sheet.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        *("Random", "Attention", "Gradient", "Attn * Grad"),
    ]
    assert [axis.get_title() for axis in box_sheet.axes] == ["HANrnn", "FLANrnn"]
    assert ticks(box_sheet.axes[0]) == ["Yahoo", "IMDB: rent-the-runway", "Amazon", "Yelp"]
    # two sets that were not run, one of the other model only
    assert [texts(axis) for axis in box_sheet.axes] == [["not run"] * 3] * 2
    assert list(box_sheet.axes[0].get_yticks()) == [0, 0.25, 0.5, 0.75, 1]
    assert box_sheet.get_supylabel() == "Fractions Removed"


def test_masses_have_their_own_colours_and_values():
    figure = figures.boxes(ran(multi=five(3, "random")), ["han-rnn"], "mass", "")
    (box,) = (p for p in figure.axes[0].patches if isinstance(p, PathPatch))
    assert to_hex(box.get_facecolor()).upper() == "#A970FF"
    assert box.get_path().get_extents().y1 == pytest.approx(0.3)


def test_outliers_lie_beyond_one_and_a_half_of_the_box():
    # quartiles .1 and .2: points above .35 are outliers
    run = ran(multi=synthetic.multi([1, 1, 1, 1, 2, 2, 2, 3, 9]))
    figure = figures.boxes(run, ["han-rnn"], "fraction", "")
    (dots,) = (line for line in figure.axes[0].lines if line.get_marker() == "d")
    assert list(dots.get_ydata()) == [0.9]
    assert list(dots.get_xdata()) == pytest.approx([-0.095])


def grid():
    top, other = [True] * 4 + [False] * 4, [1.0, 0, 0, 0, 1.0, 1.0, 0, 0]
    rows = synthetic.single(8, BOXES, mode="as_coded", top_flips=top, random_flips=other)
    return ran(single=rows), tables.contingency(rows)


def test_contingencies_colour_the_one_sided_squares():
    labels = ("Remove random: decision flip?", "Remove i*: decision flip?")
    figure = figures.facets(*grid(), synthetic.MODELS, figures.contingency_panel, labels)
    assert len(figure.axes) == 24
    axis = figure.axes[4]  # second row, first column: HANrnn on Amazon
    assert axis.get_title() == "HANrnn, Amazon: amazon-boxes"
    colours = {patch.get_xy(): to_rgb(patch.get_facecolor()) for patch in axis.patches}
    # x: does the random item flip; y: does the top item, yes above no
    yes, no = 0, 1
    assert colours == {
        (yes, yes): to_rgb("white"),
        (no, yes): to_rgb("#DAE8FC"),
        (yes, no): to_rgb("#F8A102"),
        (no, no): to_rgb("white"),
    }
    assert axis.get_ylim() == (2, 0)
    for labels in (axis.get_xticklabels(), axis.get_yticklabels()):
        assert [label.get_text() for label in labels] == ["Yes", "No"]
    assert figure.get_supxlabel() == "Remove random: decision flip?"
    assert figure.get_supylabel() == "Remove i*: decision flip?"


def test_contingencies_show_ours_with_the_published_number_below(axis):
    figures.contingency_panel(axis, grid()[1])
    by_square = {}
    for text in axis.texts:
        x, y = text.get_position()
        by_square.setdefault((int(x), int(y)), []).append(text.get_text())
    assert by_square == {
        (0, 0): ["12.5", "published 2.7"],
        (1, 0): ["37.5", "published 7.6"],
        (0, 1): ["25.0", "published 2.7"],
        (1, 1): ["25.0", "published 87.1"],
    }
    other = plt.subplots()[1]
    figures.contingency_panel(other, grid()[1].assign(both_published=np.nan))
    assert texts(other)[:2] == ["12.5", "37.5"]
