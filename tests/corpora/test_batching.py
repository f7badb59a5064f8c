import numpy as np

from stages.corpora.batching import Reader, SentenceReader, buckets
from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged

LENGTHS = np.array([3, 9, 1, 8, 2])


def corpus():
    part = Part(
        labels=np.array([0, 1]),
        text=Ragged.of([[0, 1, 2], [1]]),
        query=Ragged.of([[2], [0, 0]]),
        candidates=Ragged.of([[0, 2], [1]]),
    )
    ids = np.array([4, 5, 1], np.int32)  # the third type is not in the vocabulary
    return Corpus("toy", "question", False, ("x", "y", "z"), ("a", "b", "c"), ids, {"train": part})


def test_without_a_draw_batches_go_by_length():
    assert [b.tolist() for b in buckets(LENGTHS, 2)] == [[2, 4], [0, 3], [1]]


def test_cap_splits_long_batches_into_near_equal_parts():
    # four documents of 10 under a cap of 15 padded tokens: ceil(40/15) = 3 parts of ceil(4/3) = 2
    parts = buckets(np.full(4, 10), 4, cap=15)
    assert [len(part) for part in parts] == [2, 2]
    assert [len(part) for part in buckets(np.full(4, 10), 4, cap=10)] == [1, 1, 1, 1]


def test_cap_of_hierarchical_models_counts_the_longest_sentence():
    sentences = Ragged.of([[2, 4], [1, 1, 4], [6], [1, 5]])  # six tokens each
    part = Part(labels=np.zeros(4, int), text=Ragged.of([[0] * 6] * 4), sentences=sentences)
    corpus = Corpus("toy", "classification", False, ("x",), ("a",), np.array([4]), {"train": part})
    reader = SentenceReader(corpus, "train")
    parts = [batch.rows.tolist() for batch in reader.batches(4, cap=12)]
    assert parts == [[0, 1], [2, 3]]  # ceil(4 * 6 / 12) parts
    assert [len(batch.rows) for batch in reader.batches(2, cap=8)] == [2, 1, 1]


def test_every_document_once_and_little_padding():
    draw = np.random.default_rng(0)
    lengths = draw.integers(5, 200, 2000)
    parts = buckets(lengths, 32, draw, length_jitter=0.1)
    assert sorted(np.concatenate(parts)) == list(range(2000))
    padded = sum(len(part) * lengths[part].max() for part in parts)
    plain = [np.arange(i, min(i + 32, 2000)) for i in range(0, 2000, 32)]
    shuffled = sum(len(part) * lengths[part].max() for part in plain)
    assert padded / lengths.sum() < 1.15 < 1.7 < shuffled / lengths.sum()


def test_batches_come_in_random_order_fixed_by_the_draw():
    lengths = np.arange(1, 101)
    one, again, other = (
        [b.tolist() for b in buckets(lengths, 10, np.random.default_rng(s))] for s in (1, 1, 2)
    )
    assert one == again != other
    assert [max(b) for b in one] != sorted(max(b) for b in one)


def test_a_batch_is_padded_and_masked_at_the_boundary_tokens():
    batch = Reader(corpus(), "train").batch(np.array([0, 1]))
    assert batch.tokens.tolist() == [[2, 4, 5, 1, 3], [2, 5, 3, 0, 0]]
    assert batch.mask.astype(int).tolist() == [[0, 1, 1, 1, 0], [0, 1, 0, 0, 0]]
    assert batch.lengths.tolist() == [5, 3]
    assert batch.query.tolist() == [[2, 1, 3, 0], [2, 4, 4, 3]]
    assert batch.query_lengths.tolist() == [3, 4]
    assert batch.candidates.astype(int).tolist() == [[1, 0, 1], [0, 1, 0]]


def test_without_boundary_tokens_attention_is_allowed_everywhere():
    batch = Reader(corpus(), "train", add_boundary_tokens=False).batch(np.array([1, 0]))
    assert batch.tokens.tolist() == [[5, 0, 0], [4, 5, 1]]
    assert batch.mask.astype(int).tolist() == [[1, 0, 0], [1, 1, 1]]
    assert batch.labels.tolist() == [1, 0]


def test_without_length_jitter_batches_are_drawn_from_all_lengths():
    lengths = np.repeat([5, 500], 1000)
    parts = buckets(lengths, 100, np.random.default_rng(0), length_jitter=None)
    assert sorted(np.concatenate(parts)) == list(range(2000))
    shares = [np.mean(lengths[part] == 5) for part in parts]
    assert 0.3 < min(shares) <= max(shares) < 0.7  # by length every batch would have one only
