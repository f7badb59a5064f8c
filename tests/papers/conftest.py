"""A panel to draw on; figures that a test leaves open are closed."""

import pytest
from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


@pytest.fixture
def axis():
    return plt.subplots()[1]
