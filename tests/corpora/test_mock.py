"""Mock documents against their definition, and the opinion lexicon they draw words from."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from stages.corpora.examples import Example
from stages.corpora.generated.mock import generate, read_lexicon
from stages.settings.errors import UserError
from stages.settings.seeds import generator
from stages.settings.sources import Mock

LEXICON = {"negative": ["awful", "bad", "poor"], "positive": ["fine", "good"]}


def source(**changes: Any) -> Mock:
    values = {"train": 60, "test": 20, "shortest": 50, "longest": 53, "filler": "something"}
    rule = {} if "quarters" in changes else {"informative": 2}
    return Mock.model_validate({"kind": "generated", "reader": "mock", **values, **rule, **changes})


def documents(seed: int = 1, **changes: Any) -> list[Example]:
    return list(generate(source(**changes), LEXICON, generator(seed, "mock")))


def informative(example: Example) -> list[str]:
    return [word for word in example.text.split(" ") if word != "something"]


def write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def test_half_of_each_split_is_positive_and_an_odd_document_negative() -> None:
    assert Counter((e.split, e.label) for e in documents(train=61)) == {
        ("train", "positive"): 30,
        ("train", "negative"): 31,
        ("test", "positive"): 10,
        ("test", "negative"): 10,
    }


def test_classes_are_interleaved() -> None:
    labels = [e.label for e in documents() if e.split == "train"]
    changes = sum(a != b for a, b in pairwise(labels))
    assert changes > 15  # 30 expected; sorted classes would change once


def test_every_length_occurs_and_no_other() -> None:
    assert {len(e.text.split(" ")) for e in documents()} == {50, 51, 52, 53}


@pytest.mark.parametrize("wanted", [1, 2, 5, 10])
def test_mock_k_has_k_words_of_its_own_class(wanted: int) -> None:
    for example in documents(informative=wanted):
        words = informative(example)
        assert len(words) == wanted
        assert set(words) <= set(LEXICON[example.label])


@pytest.mark.parametrize(
    ("quarters", "wanted"),
    [
        (1, {50: 12, 51: 13, 52: 13, 53: 13}),
        (2, {50: 25, 51: 26, 52: 26, 53: 26}),
        (3, {50: 38, 51: 38, 52: 39, 53: 40}),
        (4, {50: 50, 51: 51, 52: 52, 53: 53}),
    ],
)
def test_mock_kq_has_k_quarters_of_the_length(quarters: int, wanted: dict[int, int]) -> None:
    for example in documents(quarters=quarters):
        words = informative(example)
        assert len(words) == wanted[len(example.text.split(" "))]
        assert set(words) <= set(LEXICON[example.label])


def test_words_come_with_replacement_from_the_whole_list() -> None:
    drawn = [informative(e) for e in documents(informative=10)]
    assert any(len(set(words)) < len(words) for words in drawn)
    assert {word for words in drawn for word in words} == {"awful", "bad", "poor", "fine", "good"}


def test_every_position_can_be_informative() -> None:
    texts = [e.text.split(" ") for e in documents(informative=10, shortest=50, longest=50)]
    places = {i for words in texts for i, word in enumerate(words) if word != "something"}
    assert places == set(range(50))


def test_the_seed_decides() -> None:
    assert documents(seed=1) == documents(seed=1)
    assert documents(seed=1) != documents(seed=2)


def test_more_informative_words_than_fit_are_refused() -> None:
    with pytest.raises(ValidationError, match="informative 10 exceeds shortest 9"):
        documents(informative=10, shortest=9)


def test_lists_are_latin_1_with_comments(tmp_path: Path) -> None:
    (tmp_path / "liu-negative-words.txt").write_bytes(b"; Negative\n;\n\nna\xefve\nBad\nbad\n")
    (tmp_path / "liu-positive-words.txt").write_bytes(b";;;\r\n\r\na+\r\ngood\r\n")
    wanted = {"negative": ["bad", "naïve"], "positive": ["a+", "good"]}
    assert read_lexicon(tmp_path) == wanted


LISTS = {"liu-negative-words.txt": "bad\nsad\n", "liu-positive-words.txt": "good\nfun\n"}


def test_only_words_with_a_vector_are_used(tmp_path: Path) -> None:
    write(tmp_path, LISTS | {"vectors.txt": "4 2\nsad 0.1 0.2\ngood 0.3 0.4\nFun 1 1\n"})
    lexicon = read_lexicon(tmp_path, str(tmp_path / "vectors.txt"))
    assert lexicon == {"negative": ["sad"], "positive": ["good"]}


@pytest.mark.parametrize(
    ("changes", "vectors", "fault"),
    [
        ({"liu-positive-words.txt": None}, None, "needed: Hu & Liu's opinion lexicon"),
        ({"liu-negative-words.txt": "; none\n"}, None, "has no negative word that can be used"),
        ({"vectors.txt": "good 1\n"}, "vectors.txt", "has no negative word that can be used"),
        ({}, "vectors.txt", "is not there; it lists the words that mock documents may use"),
    ],
)
def test_an_incomplete_lexicon_is_refused(
    tmp_path: Path, changes: dict[str, str | None], vectors: str | None, fault: str
) -> None:
    texts = {name: text for name, text in (LISTS | changes).items() if text is not None}
    write(tmp_path, texts)
    with pytest.raises(UserError, match=fault):
        read_lexicon(tmp_path, vectors and str(tmp_path / vectors))
