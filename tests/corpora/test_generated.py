"""Mock data and Sun & Lu's synthetic documents against their definitions."""

from collections import Counter
from itertools import pairwise

import pytest
from pydantic import ValidationError

from stages.corpora.generated.mock import read_lexicon
from tests.corpora.reading import error_of, examples_of

LISTS = {"negative": ["awful", "bad", "poor"], "positive": ["fine", "good"]}
FILES = {f"liu-{label}-words.txt": "\n".join(words) for label, words in LISTS.items()}
MOCK = {"train": 60, "test": 20, "shortest": 50, "longest": 53, "filler": "something"}
TWO = {"positive": 200, "negative": 100}
THREE = {"red": 40, "green": 60, "blue": 20}
SYNTHETIC = {
    "documents": TWO,
    "types_per_class": 5,
    "neutral_types": 30,
    "neutral_tokens": 10,
    "polarity_tokens": 2,
    "noise": 0.0,
}


def write(folder, texts):
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def mock(tmp_path):
    """Reads mock documents with some keys changed."""
    write(tmp_path, FILES)

    def documents(**changes):
        rule = {} if "quarters" in changes else {"informative": 2}
        return examples_of(tmp_path, "mock", "generated", **MOCK | rule | changes)

    return documents


@pytest.fixture
def synthetic(tmp_path):
    def documents(**changes):
        return examples_of(tmp_path, "sun-lu", "generated", **SYNTHETIC | changes)

    return documents


@pytest.mark.parametrize(("name", "expected"), [("mock", 30), ("synthetic", 133)])
def test_the_seed_decides_and_classes_are_interleaved(request, name, expected):
    documents = request.getfixturevalue(name)
    assert documents(seed=1) == documents(seed=1) != documents(seed=2)
    labels = [e.label for e in documents() if e.split != "test"]
    changes = sum(a != b for a, b in pairwise(labels))
    assert changes > expected / 2  # sorted classes would change once


def test_half_of_each_split_is_positive_and_an_odd_document_negative(mock):
    assert Counter((e.split, e.label) for e in mock(train=61)) == {
        ("train", "positive"): 30,
        ("train", "negative"): 31,
        ("test", "positive"): 10,
        ("test", "negative"): 10,
    }


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        *(({"informative": k}, dict.fromkeys((50, 51, 52, 53), k)) for k in (1, 2, 5, 10)),
        ({"quarters": 1}, {50: 12, 51: 13, 52: 13, 53: 13}),
        ({"quarters": 2}, {50: 25, 51: 26, 52: 26, 53: 26}),
        ({"quarters": 3}, {50: 38, 51: 38, 52: 39, 53: 40}),
        ({"quarters": 4}, {50: 50, 51: 51, 52: 52, 53: 53}),
    ],
)
def test_mock_k_has_k_words_of_its_class_and_mock_kq_k_quarters_of_the_length(mock, rule, wanted):
    counts = set()
    for example in mock(**rule):
        words = example.text.split(" ")
        informative = [word for word in words if word != "something"]
        assert set(informative) <= set(LISTS[example.label])
        counts.add((len(words), len(informative)))
    assert counts == set(wanted.items())  # every length occurs and no other


def test_every_position_can_be_informative_and_every_word_is_drawn(mock):
    texts = [e.text.split(" ") for e in mock(informative=10, longest=50)]
    drawn = [(i, word) for text in texts for i, word in enumerate(text) if word != "something"]
    assert {i for i, _ in drawn} == set(range(50))
    assert {word for _, word in drawn} == {*LISTS["negative"], *LISTS["positive"]}


def test_lists_are_latin_1_with_comments(tmp_path):
    (tmp_path / "liu-negative-words.txt").write_bytes(b"; Negative\n;\n\nna\xefve\nBad\nbad\n")
    (tmp_path / "liu-positive-words.txt").write_bytes(b";;;\r\n\r\na+\r\ngood\r\n")
    wanted = {"negative": ["bad", "naïve"], "positive": ["a+", "good"]}
    assert read_lexicon(tmp_path) == wanted


def test_only_words_with_a_vector_are_used(tmp_path):
    write(tmp_path, FILES | {"vectors.txt": "4 2\npoor 0.1 0.2\ngood 0.3 0.4\nFine 1 1\n"})
    lexicon = read_lexicon(tmp_path, str(tmp_path / "vectors.txt"))
    assert lexicon == {"negative": ["poor"], "positive": ["good"]}


@pytest.mark.parametrize(
    ("changes", "vectors", "fault"),
    [
        ({"liu-positive-words.txt": None}, None, "needed: Hu & Liu's opinion lexicon"),
        ({"liu-negative-words.txt": "; none\n"}, None, "has no negative word that can be used"),
        ({"vectors.txt": "good 1\n"}, "vectors.txt", "has no negative word that can be used"),
        ({}, "vectors.txt", "is not there; it lists the words that mock documents may use"),
    ],
)
def test_an_incomplete_lexicon_is_refused(tmp_path, changes, vectors, fault):
    write(tmp_path, {name: text for name, text in (FILES | changes).items() if text is not None})
    vectors = vectors and str(tmp_path / vectors)
    assert fault in error_of(
        tmp_path, "mock", "generated", **MOCK | {"informative": 2, "vectors": vectors}
    )


def groups(example):
    """How many tokens of each group, parsed from the names."""
    return Counter(token.rstrip("0123456789") for token in example.text.split(" "))


@pytest.mark.parametrize("classes", [TWO, THREE])
def test_each_class_has_its_documents_and_no_split(synthetic, classes):
    examples = synthetic(documents=classes)
    assert Counter(e.label for e in examples) == classes
    assert {(e.split, e.query) for e in examples} == {("", "")}


def test_a_document_has_distinct_tokens_of_two_groups_in_any_order(synthetic):
    examples = synthetic()
    tokens = [e.text.split(" ") for e in examples]
    assert all(groups(e) == {"neutral": 10, e.label: 2} for e in examples)
    assert all(len(set(document)) == 12 for document in tokens)
    places = {i for document in tokens for i, t in enumerate(document) if "neutral" not in t}
    assert places == set(range(12))
    every_type = {f"neutral{i}" for i in range(30)} | {
        f"{name}{i}" for name in TWO for i in range(5)
    }
    assert {token for document in tokens for token in document} == every_type


def test_noise_has_the_tokens_of_the_next_class_round(synthetic):
    counts = Counter()
    for example in synthetic(documents=THREE, noise=0.1):
        (group,) = set(groups(example)) - {"neutral"}
        assert groups(example) == {"neutral": 10, group: 2}
        counts[example.label, group] += 1
    assert counts == {
        ("red", "red"): 36,
        ("red", "green"): 4,
        ("green", "green"): 54,
        ("green", "blue"): 6,
        ("blue", "blue"): 18,
        ("blue", "red"): 2,
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"neutral_tokens": 31}, "neutral_tokens 31 exceeds neutral_types 30"),
        ({"polarity_tokens": 6}, "polarity_tokens 6 exceeds types_per_class 5"),
        ({"documents": {"positive": 3}}, "documents\n.*at least 2 items"),
        ({"documents": {"positive": 3, "neutral": 3}}, "class name 'neutral'"),
        ({"documents": {"class1": 3, "class11": 3}}, "class name 'class1'"),
        ({"documents": {"very good": 3, "bad": 3}}, "class name 'very good'"),
        ({"documents": {"": 3, "bad": 3}}, "class name ''"),
    ],
)
def test_impossible_counts_and_ambiguous_class_names_are_refused(synthetic, changes, message):
    with pytest.raises(ValidationError, match=message):
        synthetic(**changes)


def test_more_informative_words_than_fit_are_refused(mock):
    with pytest.raises(ValidationError, match="informative 10 exceeds shortest 9"):
        mock(informative=10, shortest=9)
