"""AtteFa, the faithfulness of attention, and its parts (Amini & Kosseim 2022, section 3).

AtteFa = min(sTVD / sJSD, 1), of means over documents; high is called faithful. `of_constant` and
`farthest` are closed forms for an adversary with a constant output and for the largest divergence.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LARGEST = float(np.log(2))  # of the Jensen-Shannon divergence


def attefa(change: float, divergence: float) -> float:
    """AtteFa from the mean scaled change of the output and the mean Jensen-Shannon divergence."""
    scaled = divergence / LARGEST
    return min(change / scaled, 1.0) if scaled > 0 else 1.0


def farthest(mass: Floats) -> Floats:
    """Largest divergence from attention that puts `mass` on some tokens and 1 - mass on others.

    The others share one score; the maximum is reached with all weight on them.
    """
    p = np.clip(np.asarray(mass, np.float64), 0.0, 1 - 1e-12)
    rest = 1 - p
    of_base = p * np.log(2) + rest * np.log(rest / (1 - p / 2))
    return np.asarray((of_base - np.log(1 - p / 2)) / 2)


def of_constant(mass: Floats) -> Floats:
    """AtteFa of a constant output at the largest divergence from a confident, balanced base."""
    return np.asarray(np.minimum(0.5 / (farthest(mass) / LARGEST), 1.0))
