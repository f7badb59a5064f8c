import numpy as np

from stages.corpora.vocabulary import model_ids, types_by_frequency, vocabulary_words
from stages.settings.datasets import Vocabulary

SPLITS = {"train": [["b", "a", "b"], ["b", "c"]], "dev": [["c", "d"]], "test": [["e", "a"]]}


def rule(minimum, of, counted_on):
    return Vocabulary(minimum=minimum, of=of, counted_on=counted_on)


def test_types_are_ranked_by_frequency_then_alphabet():
    documents = [document for split in SPLITS.values() for document in split]
    assert types_by_frequency(documents) == ["b", "a", "c", "d", "e"]


def test_document_frequency_is_not_token_count():
    # b occurs three times but in two documents; a and c in one each
    assert vocabulary_words(SPLITS, rule(2, "documents", "train")) == ["b"]
    assert vocabulary_words(SPLITS, rule(3, "tokens", "train")) == ["b"]
    assert vocabulary_words(SPLITS, rule(3, "documents", "train")) == []


def test_splits_that_count():
    assert vocabulary_words(SPLITS, rule(1, "documents", "train")) == ["a", "b", "c"]
    assert vocabulary_words(SPLITS, rule(2, "documents", "train+dev")) == ["b", "c"]
    assert vocabulary_words(SPLITS, rule(1, "tokens", "all")) == ["a", "b", "c", "d", "e"]


def test_ids_are_alphabetical_after_four_specials():
    ids = model_ids(["b", "a", "c", "d", "e"], ["a", "b", "c"])
    assert ids.tolist() == [5, 4, 6, 1, 1]
    assert ids.dtype == np.int32
