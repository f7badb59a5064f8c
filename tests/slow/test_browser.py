"""The site in a real browser, from disk and from a web server."""

import json
import math
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

import pytest

from tests.site import small_project
from tests.site.test_site import PAGES
from tests.slow.browsing import Browser


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return small_project.site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def browser():
    chromium = Browser()
    yield chromium
    chromium.driver.quit()


@pytest.fixture(scope="module")
def server(site):
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site.reports)))
    threading.Thread(target=http.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{http.server_port}/"
    http.shutdown()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_without_error_or_outside_request(browser, site, server, page):
    for base in (f"file://{site.reports}/", server):
        browser.open(base + page)
        assert browser.problems() == []
        urls = browser.requests()
        assert base + page in urls
        assert all(url.startswith((base, "data:")) for url in urls), urls


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page", PAGES)
def test_no_page_is_wider_than_the_window(browser, site, page, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.open(f"file://{site.reports}/{page}")
    assert browser.run("return document.documentElement.scrollWidth") <= width
    browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_markup_in_documents_and_claims_is_inert(browser, site):
    for page in ("index.html", "pages/jain-wallace.html", "pages/examples.html"):
        browser.open(f"file://{site.reports}/{page}")
        assert browser.run("return window.hit") is None
        shown = browser.run("return document.querySelector('main').innerText")
        assert small_project.HOSTILE in shown  # it reads as it was written
    browser.choose("[name=dataset]", "babi-1")
    for button in browser.run("return document.querySelectorAll('[data-variant]').length") * [0]:
        browser.run("document.querySelectorAll('[data-variant]')[arguments[0]].click()", button)
    assert browser.run("return window.hit") is None


def rows_shown(browser):
    return browser.run(
        "return Array.from(document.querySelectorAll('.claims tbody tr'))"
        ".filter(r => r.offsetParent !== null).map(r => r.id)"
    )


def test_the_filter_shows_the_selection_and_keeps_it_in_the_url(browser, site):
    browser.open(f"file://{site.reports}/index.html")
    assert len(rows_shown(browser)) == 7
    browser.choose("[name=verdict]", "fails")
    assert rows_shown(browser) == ["JW9", "SL1"]
    browser.choose("[name=paper]", "sun-lu")
    assert rows_shown(browser) == ["SL1"]
    assert browser.run("return document.getElementById('count').textContent") == "1 of 7 claims"
    address = browser.driver.current_url
    browser.open(address)
    assert rows_shown(browser) == ["SL1"]
    browser.choose("[name=paper]", "wiegreffe-pinter")
    assert rows_shown(browser) == []
    browser.choose("[name=verdict]", "")
    assert rows_shown(browser) == ["WP2"]
    browser.open(f"file://{site.reports}/index.html#analysis=permutation")
    assert rows_shown(browser) == ["JW9", "JW10"]


def test_a_table_sorts_by_number_and_back(browser, site):
    browser.open(f"file://{site.reports}/pages/jain-wallace.html")
    column = (
        "return Array.from(document.querySelectorAll('#table-1 tbody tr'))"
        ".map(r => r.cells[1].textContent)"
    )
    assert browser.run(column) == ["0.5", "9"]
    browser.click("#table-1 th:nth-child(2) button")
    assert browser.run(column) == ["0.5", "9"]
    browser.click("#table-1 th:nth-child(2) button")
    assert browser.run(column) == ["9", "0.5"]
    browser.click("#table-1 th:nth-child(3) button")  # 0.75 and 10 as text would be 0.75, 10 too
    assert browser.run(column) == ["0.5", "9"]
    browser.click("#table-1 th:nth-child(1) button")
    assert browser.run(column) == ["9", "0.5"]  # panel a, then b


def sections(browser):
    return browser.run(
        "return Array.from(document.querySelectorAll('section.grid'))"
        ".filter(s => !s.hidden).map(s => s.dataset.set + ' ' + s.dataset.analysis)"
    )


def test_the_grid_has_permalinks_arrows_and_pairs(browser, site):
    from selenium.webdriver.common.keys import Keys

    page = f"file://{site.reports}/pages/browse.html"
    browser.open(f"{page}#set=snli&analysis=permutation")
    assert sections(browser) == ["snli permutation"]
    browser.keys(Keys.ARROW_LEFT)
    assert sections(browser) == ["imdb permutation"]
    browser.keys(Keys.ARROW_UP)
    assert sections(browser) == ["imdb gradients"]
    browser.click("[data-panel='gradients/imdb+cnn+dot']")
    browser.keys(Keys.ARROW_DOWN)
    browser.click("[data-panel='permutation/imdb+bilstm+additive']")
    browser.open(browser.driver.current_url)
    assert sections(browser) == ["imdb permutation"]
    pictures = browser.run(
        "return Array.from(document.querySelectorAll('#pair img')).map(i => i.src)"
    )
    names = [address.split("grid/")[1].replace("%2B", "+") for address in pictures]
    assert names == ["gradients/imdb+cnn+dot.svg", "permutation/imdb+bilstm+additive.svg"]
    browser.open(f"{page}#set=nothing&analysis=%3Cscript%3E&compare=no+such")
    assert sections(browser) == ["imdb gradients"]
    assert browser.problems() == []


def test_without_script_everything_can_be_read(browser, site):
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(f"file://{site.reports}/pages/examples.html")
        strips = browser.driver.find_elements("css selector", ".static .strip")
        assert len(strips) > 6
        assert all(strip.is_displayed() for strip in strips)
        assert strips[0].text
        browser.open(f"file://{site.reports}/pages/browse.html")
        shown = browser.driver.find_elements("css selector", "section.grid")
        assert len(shown) == 4
        assert all(section.is_displayed() for section in shown)
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def data_of(site):
    text = (site.reports / "pages/examples.html").read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])["examples"]


def readout(browser, one):
    """The readout under a document: prediction, TVD, JSD and largest weight."""
    return browser.run(
        "return Object.fromEntries(Array.from(document.getElementById(arguments[0])"
        ".querySelectorAll('[data-name]')).map(s => [s.dataset.name, s.lastChild.textContent]))",
        one["id"],
    )


def press(browser, one, selector):
    browser.run(
        "document.getElementById(arguments[0]).querySelector(arguments[1]).click()",
        one["id"],
        selector,
    )


def expected(one, output):
    """Label and probability that the page should show for an output."""
    if len(output) == 1:
        yes = output[0] > 0.5
        return one["labels"][yes], output[0] if yes else 1 - output[0]
    best = max(range(len(output)), key=output.__getitem__)
    return one["labels"][best], output[best]


def test_the_strip_buttons_show_the_output_of_the_model(browser, site):
    checked = 0
    for one in data_of(site):
        browser.open(f"file://{site.reports}/pages/examples.html#{quote(one['id'])}")
        own = site.answers[f"{one['id']}+original"]
        for variant in ("original", "permutation", "uniform", "adversary_1", "adversary_2"):
            press(browser, one, f"[data-variant={variant}]")
            output = site.answers[f"{one['id']}+{variant}"]
            label, probability = expected(one, output)
            numbers = readout(browser, one)
            name, _, number = numbers["prediction"].rpartition(" ")
            assert name == label
            assert float(number) == pytest.approx(probability, abs=1e-4)
            gap = sum(abs(a - b) for a, b in zip(output, own, strict=True))
            moved = gap if len(own) == 1 else gap / 2
            assert float(numbers["TVD"]) == pytest.approx(moved, abs=1e-4)
            checked += 1
    assert checked >= 5 * 6  # kinds of weights, documents


def divergence(p, q):
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    parts = [
        a * math.log(a / m) for side in (p, q) for a, m in zip(side, middle, strict=True) if a > 0
    ]
    return sum(parts) / 2


def test_a_moved_weight_renormalises_the_rest_and_predicts_as_the_model_would(browser, site):
    one = next(one for one in data_of(site) if one["evidence"] and len(one["words"]) > 4)
    browser.open(f"file://{site.reports}/pages/examples.html#{quote(one['id'])}")
    article = f'[id="{one["id"]}"]'
    press(browser, one, ".live .word:nth-of-type(2)")
    browser.type(f"{article} input[type=number]", "0.6")
    weights = list(one["strips"]["original"])
    others = 1 - weights[1]
    weights = [0.6 if t == 1 else w * 0.4 / others for t, w in enumerate(weights)]
    logit = one["bias"][0] + sum(
        w * evidence[0] for w, evidence in zip(weights, one["evidence"], strict=True)
    )
    label, probability = expected(one, [1 / (1 + math.exp(-logit))])
    numbers = readout(browser, one)
    name, _, number = numbers["prediction"].rpartition(" ")
    assert name == label
    assert float(number) == pytest.approx(probability, abs=1e-4)
    jsd = divergence(weights, one["strips"]["original"])
    assert float(numbers["JSD"]) == pytest.approx(jsd, abs=1e-4)
    browser.type(f"{article} input[type=range]", "1")
    assert float(readout(browser, one)["largest weight"]) == 1
    browser.type(f"{article} input[type=range]", "0")  # from all the weight to none: shared evenly
    even = 1 / (len(one["words"]) - 1)
    assert float(readout(browser, one)["largest weight"]) == pytest.approx(even, abs=1e-4)
    press(browser, one, ".back")
    assert readout(browser, one)["JSD"] == "0.0000"


def test_dragging_a_word_up_gives_it_weight(browser, site):
    from selenium.webdriver.common.action_chains import ActionChains

    one = next(one for one in data_of(site) if one["evidence"] and len(one["words"]) > 4)
    browser.open(f"file://{site.reports}/pages/examples.html#{quote(one['id'])}")
    word = browser.driver.find_element(
        "css selector", f'[id="{one["id"]}"] .live .word:nth-of-type(3)'
    )
    before = float(word.get_attribute("title").split()[1])
    ActionChains(browser.driver).click_and_hold(word).move_by_offset(0, -30).release().perform()
    after = float(word.get_attribute("title").split()[1])
    assert after == pytest.approx(min(1, before + 0.2), abs=0.01)


def test_the_farthest_attention_is_the_pipelines_adversary(browser, site):
    examples = [one for one in data_of(site) if one["farthest"]]
    assert {one["dataset"] for one in examples} == {"synthetic-1", "babi-1"}
    for one in examples:
        browser.open(f"file://{site.reports}/pages/examples.html#{quote(one['id'])}")
        press(browser, one, ".farthest")
        pressed = browser.run(
            "return document.getElementById(arguments[0])"
            ".querySelector('[data-variant][aria-pressed=true]').dataset.variant",
            one["id"],
        )
        assert pressed == one["farthest"]
        assert float(readout(browser, one)["TVD"]) <= 0.01 + 1e-4
        movable = browser.run(
            "return document.getElementById(arguments[0]).querySelector('input') !== null",
            one["id"],
        )
        assert movable == (one["evidence"] is not None)
