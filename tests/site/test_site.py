"""Pages of the small site: content, links, private words, identical bytes when written twice."""

import json
import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from stages.site.writing import write
from tests.fixtures.project import digests
from tests.site import small_project

PAGES = (
    "index.html",
    "pages/jain-wallace.html",
    "pages/serrano-smith.html",
    "pages/sun-lu.html",
    "pages/meister.html",
    "pages/amini-kosseim.html",
    "pages/browse.html",
    "pages/examples.html",
    "pages/data.html",
    "run/index.html",
    "pages/benchmarks.html",
)


class Links(HTMLParser):
    """Link targets, ids and images of a page."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.ids, self.images = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.targets += [values[name] for name in ("href", "src") if values.get(name)]
        self.ids += [values["id"]] if "id" in values else []
        if tag == "img":
            self.images.append(values)


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """Of a project whose site is still to be written, in the current folder."""
    monkeypatch.chdir(tmp_path)
    return small_project.project(tmp_path)


def text_of(site, page):
    return (site.reports / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere_inside(site, page):
    links = Links(text_of(site, page))
    assert len(links.ids) == len(set(links.ids))
    for target in links.targets:
        if target == "data:,":
            continue
        assert not re.match(r"\w+:|//", target), target  # no other host
        path, _, anchor = target.partition("#")
        file = ((site.reports / page).parent / path).resolve() if path else site.reports / page
        assert file.is_file(), target
        if anchor:
            assert anchor in Links(file.read_text(encoding="utf-8")).ids, target


@pytest.mark.parametrize("page", PAGES)
def test_pictures_have_words_and_markup_stays_text(site, page):
    text = text_of(site, page)
    assert all(image["alt"].strip() for image in Links(text).images)
    assert small_project.HOSTILE not in text
    assert "<img src=x" not in text


def test_the_scoreboard_has_a_row_for_each_claim_and_marks_what_was_not_decided(site):
    text = text_of(site, "index.html")
    for records in small_project.CLAIMS.values():
        for record in records:
            assert f'<tr id="{record["id"]}"' in text
    assert 'data-paper="wiegreffe-pinter" data-verdict="holds"' in text
    assert text.count("not decided in this run") == 3
    assert 'href="pages/jain-wallace.html#table-1"' in text
    assert 'href="pages/sun-lu.html#supplement-2"' in text
    assert "because of JW10" in text
    # JW2 against; JW9 (fails), WP2 and SL8 for: two thirds are for it
    assert "<strong>Mostly yes.</strong>" in text


def test_a_paper_page_has_published_ours_and_difference_and_figures_in_order(site):
    text = text_of(site, "pages/jain-wallace.html")
    heads = re.findall(r"<th[^>]*>(score[^<]*)</th>", text)
    assert heads == ["score, published", "score, ours", "score, difference"]
    row = re.search(r'<td class="short">b</td>(.*?)</tr>', text, re.S)[1]
    assert re.findall(r">([\d.]+)<", row) == ["0.5", "0.75", "0.25"]
    figures = re.findall(r'<figure id="([\w-]+)">', text)
    assert figures == ["figure-1", "figure-2", "figure-10", "supplement-2"]
    assert 'href="../jain-wallace/figures/figure-1.csv"' in text
    assert "figures/figure-2.csv" not in text  # it has none
    assert "2 hold, 1 fails, 1 undecided, 1 not run" in text
    assert "dvc repro figures@jain-wallace" in text
    assert "data/timing.csv</code> does not exist" in text_of(site, "run/index.html")
    assert "The claims of this paper have not been decided" in text_of(site, "pages/meister.html")


def test_private_words_are_nowhere_in_the_site(site):
    pages = [path for path in site.reports.rglob("*") if path.is_file()]
    assert len(pages) > 15
    for path in pages:
        assert small_project.SECRET not in path.read_text(encoding="utf-8"), path
    assert "Private data sets, without documents on this page: tickets" in text_of(
        site, "pages/examples.html"
    )


def test_the_grid_has_every_panel_in_its_place_with_its_score(site):
    text = text_of(site, "pages/browse.html")
    assert text.count('<section class="grid"') == 2 * 2
    assert text.count('<figure class="panel"') == 2 * 2 * 6
    assert text.count("data-panel=") == 2 * 3
    assert text.count("0.81 accuracy, 0.75 F1") == 2
    section = text[text.index('data-set="imdb" data-analysis="gradients"') :]
    order = re.findall(r"<figcaption><b>([^<]+)</b>", section)
    assert order[:3] == ["BiLSTM, additive", "BiLSTM, scaled dot", "CNN, additive"]


def test_seconds_are_shown_when_they_are_there(tmp_path, settings):
    columns = "stage,item,seconds,cpu_seconds,peak_mb,scale,cores"
    rows = ("adversarial,jain-wallace,61.5,120,900,small,2", "report,,2.25,2,200,small,2")
    (tmp_path / "data/timing.csv").write_text("\n".join((columns, *rows)) + "\n")
    write(settings)
    run = (tmp_path / "reports/small/run/index.html").read_text()
    for text in ("61.5", "2.2", "peak MB", "study or data set", "On a machine with 2 cores"):
        assert text in run
    pages = sorted((tmp_path / "reports/small/pages").glob("*.html"))
    assert len(pages) == len(PAGES) - 2  # without the scoreboard and the run
    assert not any("61.5" in page.read_text() for page in pages)  # DVC keeps them: equal bytes


def test_the_run_has_the_sizes_that_plans_are_computed_from(site):
    sizes = pd.read_csv(site.reports / "run/sizes.csv")
    assert list(sizes) == ["dataset", "split", "documents", "mean_length"]
    assert set(sizes["dataset"]) == set(small_project.SETS)
    assert (sizes["documents"] == 20).all()
    assert (site.reports / "run/jobs.csv").is_file()


def test_the_first_page_of_all_scales_forwards_to_the_largest(tmp_path, settings):
    for larger, scale in ((False, "small"), (True, "large")):
        if larger:  # a report of a larger scale was written before
            (tmp_path / "reports/large").mkdir()
            (tmp_path / "reports/large/index.html").write_text("")
        write(settings)
        forward = (tmp_path / "reports/index.html").read_text()
        assert f'url={scale}/index.html"' in forward
        assert Links(forward).targets == [f"{scale}/index.html"]


def test_written_twice_it_is_the_same_bytes(tmp_path, settings):
    write(settings)
    first = digests(tmp_path / "reports")
    assert len(first) > 15
    write(settings)
    assert digests(tmp_path / "reports") == first


def test_the_data_of_the_examples_can_be_read_and_has_what_the_page_needs(site):
    text = text_of(site, "pages/examples.html")
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
    names = {one["dataset"] for one in data["examples"]}
    assert names == {"synthetic-1", "babi-1"}
    for one in data["examples"]:
        linear = one["dataset"] == "synthetic-1"
        assert (one["evidence"] is not None) == linear
        for strip in one["strips"].values():
            assert len(strip) == len(one["words"])
        assert {"gradient", "leave_one_out", "permutation", "adversary_2"} <= set(one["strips"])
    per_model = {}
    for one in data["examples"]:
        per_model.setdefault((one["dataset"], one["model"]), []).append(one["instance"])
    assert len(per_model) >= 3  # a model that is confident on no document has no example
    assert all(0 < len(shown) <= 2 for shown in per_model.values())
