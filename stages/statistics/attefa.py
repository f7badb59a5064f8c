"""AtteFa, the faithfulness of attention, and its parts (Amini & Kosseim 2022, section 3).

AtteFa = min(sTVD / sJSD, 1), of means over documents; high is called faithful. What it does when an
adversary gives up, or when the base's attention leaves little to move, follows in closed form.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LARGEST = float(np.log(2))  # of the Jensen-Shannon divergence


def attefa(change: float, divergence: float) -> float:
    """From the mean scaled change of the output and the mean Jensen-Shannon divergence."""
    scaled = divergence / LARGEST
    return min(change / scaled, 1.0) if scaled > 0 else 1.0


def farthest(mass: Floats) -> Floats:
    """Largest divergence from attention that gives `mass` to some tokens and the rest to others,
    all of which share one score: reached by moving everything onto the others."""
    p = np.clip(np.asarray(mass, np.float64), 0.0, 1 - 1e-12)
    rest = 1 - p
    of_base = p * np.log(2) + rest * np.log(rest / (1 - p / 2))
    found: Floats = (of_base - np.log(1 - p / 2)) / 2
    return found


def of_constant(mass: Floats) -> Floats:
    """AtteFa of an adversary with a constant output against a sure and balanced base."""
    found: Floats = np.minimum(0.5 / (farthest(mass) / LARGEST), 1.0)
    return found
