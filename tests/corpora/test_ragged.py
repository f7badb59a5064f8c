import numpy as np

from stages.corpora.ragged import Ragged

ROWS = [[5, 6, 7], [], [8]]


def test_rows_come_back():
    ragged = Ragged.of(ROWS)
    assert [ragged[i].tolist() for i in range(3)] == ROWS
    assert ragged.lengths.tolist() == [3, 0, 1]
    assert len(ragged) == 3
    some = ragged.rows(np.array([2, 1]))
    assert [some[i].tolist() for i in range(2)] == [[8], []]


def test_wrapping_puts_both_ends_around_every_row():
    wrapped = Ragged.of(ROWS).wrapped(2, 3)
    assert [wrapped[i].tolist() for i in range(3)] == [[2, 5, 6, 7, 3], [2, 3], [2, 8, 3]]


def test_padding_fills_the_rectangle_in_the_order_asked_for():
    ragged = Ragged.of(ROWS)
    assert ragged.padded(np.array([2, 0])).tolist() == [[8, 0, 0], [5, 6, 7]]
    assert ragged.padded(np.array([1])).shape == (1, 0)
    assert Ragged.of([[], []]).padded(np.array([0, 1])).shape == (2, 0)
