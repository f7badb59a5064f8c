"""Mock documents against their definition, and the three layouts of the opinion lexicon."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from stages.corpora.examples import Example
from stages.corpora.generated.mock import generate, read_lexicon
from stages.settings.errors import UserError
from stages.settings.seeds import generator
from stages.settings.sources import Mock

LEXICON = {"negative": ["awful", "bad", "poor"], "positive": ["fine", "good"]}
SCRIPT = """/*
; cite "Mining and Summarizing." and "Analyzing
; Opinions" and 'this'
*/
module.exports = [%s];
"""


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
    with pytest.raises(UserError, match="informative 10 does not fit into a document of 9 words"):
        documents(informative=10, shortest=9)


def test_vader_keeps_alphabetic_words_by_sign(tmp_path: Path) -> None:
    rows = [
        ":)\t2.0\t1\t[1]",
        "Good\t1.9\t0.9\t[2]",
        "bad\t-2.5\t0.6\t[3]",
        "naïve\t-1.1\t1\t[4]",
        "flat\t0.0\t1\t[0]",
        "bad\t-2.5\t0.6\t[3]",
        "fed up\t-1.8\t1\t[5]",
        "able\t1\t1\t[6]",
    ]
    write(tmp_path, {"vader_lexicon.txt": "\n".join(rows) + "\n"})
    assert read_lexicon(tmp_path) == {"negative": ["bad", "naïve"], "positive": ["able", "good"]}


def test_scripts_are_read_without_their_comment(tmp_path: Path) -> None:
    negative, positive = "'naïve', '2-faced','f**k', 'no good'", "\"zippy\", 'a+', 'A+'"
    files = {"negativeWords.js": SCRIPT % negative, "positiveWords.js": SCRIPT % positive}
    write(tmp_path, files)
    wanted = {"negative": ["2-faced", "f**k", "naïve"], "positive": ["a+", "zippy"]}
    assert read_lexicon(tmp_path) == wanted


def test_original_lists_are_latin_1_below_a_header(tmp_path: Path) -> None:
    (tmp_path / "negative-words.txt").write_bytes(b"; Negative\n;\n\nna\xefve\nbad\n")
    (tmp_path / "positive-words.txt").write_bytes(b";;;\r\n\r\na+\r\ngood\r\n")
    wanted = {"negative": ["bad", "naïve"], "positive": ["a+", "good"]}
    assert read_lexicon(tmp_path) == wanted


def test_the_lists_of_the_paper_come_before_vader(tmp_path: Path) -> None:
    files = {"negative-words.txt": "bad\n", "positive-words.txt": "good\n"}
    write(tmp_path, files | {"vader_lexicon.txt": "sad\t-1\t1\t[]\nfun\t1\t1\t[]\n"})
    assert read_lexicon(tmp_path) == {"negative": ["bad"], "positive": ["good"]}


@pytest.mark.parametrize("present", [[], ["positive-words.txt"], ["words.csv"]])
def test_another_folder_is_refused(tmp_path: Path, present: list[str]) -> None:
    write(tmp_path, dict.fromkeys(present, "good\n"))
    with pytest.raises(UserError) as error:
        read_lexicon(tmp_path)
    assert str(error.value) == (
        f"{tmp_path} holds no opinion lexicon; allowed: negative-words.txt with positive-words.txt,"
        " negativeWords.js with positiveWords.js, vader_lexicon.txt"
    )


def test_a_lexicon_without_one_class_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"vader_lexicon.txt": "fun\t1\t1\t[]\n"})
    with pytest.raises(UserError, match="no negative word"):
        read_lexicon(tmp_path)
