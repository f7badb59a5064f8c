"""Attention weights shuffled among the tokens of a document (Jain & Wallace 2019, section 4.4)."""

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stages.counterfactual.outputs import outputs_under
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Output
from stages.statistics.divergences import total_variation

Floats = NDArray[np.float32]


@torch.no_grad()
def permuted_changes(
    model: AttentionModel, output: Output, count: int, seeds: NDArray[np.int64]
) -> Tensor:
    """Total variation (B, count) between the output and that under each permutation."""
    weights = output.weights.numpy()
    shuffled = permutations(weights, output.encoded.mask.numpy(), count, seeds)
    under = outputs_under(model, output.encoded)(torch.from_numpy(shuffled))
    return total_variation(under, model.probabilities(output.logits).unsqueeze(1))


@numba.njit(cache=True, nogil=True)
def permutations(
    weights: Floats, mask: NDArray[np.bool_], count: int, seeds: NDArray[np.int64]
) -> Floats:
    """Weights (B, T) in `count` random orders (B, count, T); masked places stay as they are.

    One seed per document (B,), so that a document's draws do not depend on the batch.
    """
    rows, width = weights.shape
    shuffled = np.empty((rows, count, width), np.float32)
    for row in range(rows):
        np.random.seed(seeds[row])  # noqa: NPY002 - compiled code has no other generator
        places = np.flatnonzero(mask[row])
        for draw in range(count):
            shuffled[row, draw] = weights[row]
            for last in range(len(places) - 1, 0, -1):
                other = np.random.randint(0, last + 1)  # noqa: NPY002
                a, b = places[last], places[other]
                weight = shuffled[row, draw, a]
                shuffled[row, draw, a] = shuffled[row, draw, b]
                shuffled[row, draw, b] = weight
    return shuffled
