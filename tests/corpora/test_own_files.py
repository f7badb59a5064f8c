"""A CSV file of the user's own, described by six lines of the catalogue, to a corpus."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from stages.corpora.prepare import labelled, prepare
from stages.corpora.readers import read
from stages.corpora.selection import Limits
from stages.settings.errors import UserError
from tests.fixtures.project import catalogue_of


@pytest.fixture
def tickets(tmp_path, monkeypatch):
    """The data set, and a function that writes its file."""
    monkeypatch.chdir(tmp_path)
    Path("data/own").mkdir(parents=True)

    def write(labels):
        lines = [f"ticket {i} has a word{i % 5},{label}\n" for i, label in enumerate(labels)]
        Path("data/own/tickets.csv").write_text("body,urgent\n" + "".join(lines))

    return catalogue_of().datasets["tickets"], write


def corpus_of(dataset):
    removed = Counter()
    draw = np.random.default_rng(0)
    data = labelled(read(dataset.text, dataset.source, draw), dataset, removed)
    limits = dict.fromkeys(("train", "dev", "test"), Limits(None, None, None, None, None))
    return prepare("tickets", data, dataset, limits, draw, removed), removed


def test_six_lines_are_enough(tickets):
    dataset, write = tickets
    write(["yes", "no"] * 50 + [""])
    corpus, removed = corpus_of(dataset)
    assert (corpus.labels, corpus.private) == (("no", "yes"), True)
    assert {split: len(part) for split, part in corpus.parts.items()} == {
        "train": 72,
        "dev": 8,
        "test": 20,
    }
    assert np.bincount(corpus.parts["test"].labels).tolist() == [10, 10]
    assert "word4" not in corpus.words  # it has a digit, which the recipe `clean` replaces
    assert {"ticket", "has", "a", "qqq"} == set(corpus.words[4:])
    assert removed["outside_labels"] == 1


def test_a_file_with_one_class_is_refused_without_quoting_it(tickets):
    dataset, write = tickets
    write(["secret"] * 10)
    with pytest.raises(
        UserError, match=r"^data/own/tickets\.csv: the examples have 1 different"
    ) as e:
        corpus_of(dataset)
    assert "secret" not in str(e.value)


def test_a_missing_file_is_named(tickets):
    dataset, _ = tickets
    with pytest.raises(UserError, match=r"^data/own/tickets\.csv is not there"):
        corpus_of(dataset)
