"""Tests in this folder get the marker `slow` and start first: the others fill the cores after."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
LONGEST = ("test_smoke", "test_dag", "test_resume", "test_cluster")


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.slow)
    items.sort(key=_order)  # stable


def _order(item):
    slow = HERE in item.path.parents
    place = LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST)
    return (not slow, place)
