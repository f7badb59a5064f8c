"""Erasure along all rankings against the literal loop, and how its cost grows."""

import pytest
import torch

from tests.benchmarks import erasure_cost
from tests.benchmarks.measuring import ratio


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_a_thousand_documents_of_200_tokens_and_ten_classes():
    few, many = erasure_cost.documents(20, 200), erasure_cost.documents(1000, 200)
    ratio(
        "erasure",
        lambda: erasure_cost.erase_one_by_one(few),
        20,
        lambda: erasure_cost.erase(many),
        1000,
        50,
    )


def test_fast_and_slow_agree():
    given = erasure_cost.documents(20, 200)
    fast = [found.tolist() for found in erasure_cost.erase(given)]
    assert fast == erasure_cost.erase_one_by_one(given)


def test_cost_grows_linearly_in_tokens():
    table = erasure_cost.measured()
    print("\n" + table.to_string(index=False))
    assert table["per_token"].max() < 2 * table["per_token"].min()
