"""Sun & Lu's synthetic documents against their definition."""

import re
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from pydantic import ValidationError

from stages.corpora.examples import Example
from stages.corpora.generated.sun_lu import generate
from stages.settings.seeds import generator
from stages.settings.sources import SunLu

TWO = {"positive": 200, "negative": 100}
THREE = {"red": 40, "green": 60, "blue": 20}


def documents(seed: int = 1, **changes: Any) -> list[Example]:
    values = {"documents": TWO, "types_per_class": 5, "neutral_types": 30, "noise": 0.0}
    sizes = {"neutral_tokens": 10, "polarity_tokens": 2}
    section = {"kind": "generated", "reader": "sun-lu", **values, **sizes, **changes}
    return list(generate(SunLu.model_validate(section), generator(seed, "sun-lu")))


def groups(example: Example) -> Counter[str]:
    """How many tokens of each group, parsed from the names."""
    return Counter(re.sub(r"\d+$", "", token) for token in example.text.split(" "))


def polarity(example: Example) -> str:
    """The class whose tokens the document has."""
    (group,) = set(groups(example)) - {"neutral"}
    return group


@pytest.mark.parametrize("classes", [TWO, THREE])
def test_each_class_has_its_documents_and_no_split(classes: dict[str, int]) -> None:
    examples = documents(documents=classes)
    assert Counter(e.label for e in examples) == classes
    assert {(e.split, e.query, e.candidates) for e in examples} == {("", "", ())}


def test_a_document_has_distinct_tokens_of_two_groups() -> None:
    for example in documents():
        assert groups(example) == {"neutral": 10, example.label: 2}
        assert len(set(example.text.split(" "))) == 12


def test_every_type_is_used_and_numbered_from_zero() -> None:
    tokens = {token for e in documents() for token in e.text.split(" ")}
    neutral = {f"neutral{i}" for i in range(30)}
    assert tokens == neutral | {f"{name}{i}" for name in TWO for i in range(5)}


def test_polarity_tokens_stand_anywhere() -> None:
    texts = [e.text.split(" ") for e in documents()]
    places = {i for tokens in texts for i, t in enumerate(tokens) if not t.startswith("neutral")}
    assert places == set(range(12))


def test_documents_come_in_random_order() -> None:
    labels = [e.label for e in documents()]
    changes = sum(a != b for a, b in pairwise(labels))
    assert changes > 80  # 133 expected; sorted classes would change once


def test_noise_of_more_classes_is_the_next_class_round() -> None:
    counts = Counter((e.label, polarity(e)) for e in documents(documents=THREE, noise=0.1))
    assert counts == {
        ("red", "red"): 36,
        ("red", "green"): 4,
        ("green", "green"): 54,
        ("green", "blue"): 6,
        ("blue", "blue"): 18,
        ("blue", "red"): 2,
    }


def test_noisy_documents_keep_their_sizes() -> None:
    for example in documents(noise=0.5):
        assert groups(example) == {"neutral": 10, polarity(example): 2}


def test_the_seed_decides() -> None:
    assert documents(seed=1) == documents(seed=1)
    assert documents(seed=1) != documents(seed=2)


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
def test_impossible_counts_and_ambiguous_class_names_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        documents(**changes)
