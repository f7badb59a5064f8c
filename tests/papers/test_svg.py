"""Compacted pictures are the same pictures, and dense scatter plots are rasterised."""

import re
from io import StringIO
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest

from stages.papers.shared.style import DENSE, save_svg
from stages.papers.shared.svg import compact

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@pytest.fixture
def drawn():
    figure, axis = plt.subplots()
    axis.hist(np.random.default_rng(0).normal(size=200), bins=12, color="#7570b3", ec="black")
    axis.plot([-1, 0.123456, 1], [3, 20.98765, 4], "--", label="a < b & c")
    axis.set_title("style='x' d=1.23456")
    axis.legend()
    yield figure
    plt.close(figure)


def plain(figure):
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def parts(text):
    """Everything drawn, in order: tag, places, style (by its class, if it has one), text."""
    root = ElementTree.fromstring(text)
    sheet = "".join(e.text or "" for e in root.iter() if e.tag.endswith("style"))
    rules = dict(re.findall(r"\.(s\d+)\{([^}]*)\}", sheet))
    elements = []
    for element in root.iter():
        tag = element.tag.rsplit("}", 1)[-1]
        if tag not in ("path", "use", "text"):
            continue
        style = element.get("style") or rules.get(element.get("class", ""), "")
        places = " ".join(element.get(name, "") for name in ("d", "x", "y", "transform"))
        elements.append((tag, style, element.text or "", places))
    return elements


def test_nothing_moves_by_more_than_a_hundredth_of_a_point(drawn):
    whole = plain(drawn)
    small = compact(whole)
    assert len(small) < 0.8 * len(whole)
    before, after = parts(whole), parts(small)
    assert len(before) == len(after) > 30
    for (tag, style, text, places), other in zip(before, after, strict=True):
        assert other[:3] == (tag, style, text)
        one, two = ([float(n) for n in NUMBER.findall(p)] for p in (places, other[3]))
        assert one == pytest.approx(two, abs=0.00501)
        letters = [re.sub(r"[^A-Za-z]", "", NUMBER.sub("", p)) for p in (places, other[3])]
        assert letters[0] == letters[1]


def test_a_style_used_three_times_becomes_a_class():
    one = '<style>*{a: b}</style><path d="M 1.0049 -0.001" style="fill: red"/>'
    text = compact(one + '<path style="fill: red"/>' * 2 + '<path style="fill: blue"/>')
    assert text == (
        '<style>*{a: b}.s0{fill: red}</style><path d="M 1 0" class="s0"/>'
        '<path class="s0"/><path class="s0"/><path style="fill: blue"/>'
    )


@pytest.mark.parametrize("points", [DENSE // 2, DENSE])
def test_points_become_an_image_only_where_they_are_dense(tmp_path, points):
    figure, axis = plt.subplots()
    places = np.random.default_rng(0).random((2, points))
    axis.scatter(*places)
    axis.plot(*places[:, :2], "o")
    save_svg(figure, tmp_path / "one.svg")
    save_svg(figure, tmp_path / "two.svg")
    plt.close(figure)
    text = (tmp_path / "one.svg").read_text()
    assert ("<image" in text) == (points + 2 > DENSE)
    assert text.count("<text") > 5
    assert text == (tmp_path / "two.svg").read_text()
