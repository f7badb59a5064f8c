"""Entropies of influence and their agreement with attention per document (Meister et al. 2021)."""

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from stages.corpora.batching import Batch, Reader
from stages.importance.coverage import mass_of_top, support_auc
from stages.importance.dispersion import (
    farthest,
    normalised_entropy,
    on_output,
    on_states,
    projection_gap,
    without_states,
)
from stages.importance.leave_one_out import leave_one_out
from stages.importance.tables import batches_with_outputs, by_token_of, joined
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs, Output
from stages.nn.metrics import predicted
from stages.nn.projections.sparsegen import Sparsegen
from stages.nn.projections.sparsemax import Sparsemax
from stages.statistics.kendall import kendall

Floats = NDArray[np.float64]


def dispersion_tables(
    model: AttentionModel, reader: Reader, positions: int, draw: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Tables `instances` (entropies, support, the farthest attention), `states` and `taus`."""
    parts = []
    for batch, inputs, output in batches_with_outputs(model, reader):
        measures = on_output(model, inputs) | {
            "without_input": leave_one_out(model, inputs),
            "without_state": without_states(model, output),
        }
        instances = _instances(model, batch, output, measures, draw)
        states = state_entropies(model, batch, positions, draw)
        means = states.groupby("instance")["entropy"].mean()
        instances["entropy_states"] = instances["instance"].map(means)
        taus = _taus(batch, output, measures)
        parts.append({"instances": instances, "states": states, "taus": taus})
    return joined(parts)


def state_entropies(
    model: AttentionModel, batch: Batch, positions: int, draw: np.random.Generator
) -> pd.DataFrame:
    """Normalised entropy of the influence of inputs on some states of each document."""
    inputs = Inputs.of(batch)
    rows, places = [], []
    for row, mask in enumerate(batch.mask):
        tokens = np.flatnonzero(mask)
        if len(tokens) > positions:
            tokens = draw.choice(tokens, positions, replace=False)
        rows += [row] * len(tokens)
        places += sorted(tokens.tolist())
    norms = on_states(model, inputs, torch.tensor(rows), torch.tensor(places))
    entropy = normalised_entropy(norms, inputs.mask[torch.tensor(rows)])
    first = batch.mask.argmax(1)[rows]
    return pd.DataFrame(
        {"instance": batch.rows[rows], "position": places - first, "entropy": entropy.numpy()}
    )


def _instances(
    model: AttentionModel,
    batch: Batch,
    output: Output,
    measures: dict[str, torch.Tensor],
    draw: np.random.Generator,
) -> pd.DataFrame:
    mask = output.encoded.mask
    answers = predicted(model.probabilities(output.logits).double().numpy())
    support = (output.weights > 0) & mask
    gradient = measures["gradient_input"]
    random = torch.from_numpy(draw.exponential(size=tuple(mask.shape))) * mask  # flat Dirichlet
    values = {"attention": output.weights, "chance": random, **measures}
    entropies = {
        f"entropy_{name}": normalised_entropy(value, mask).numpy() for name, value in values.items()
    }
    gap = np.full(len(mask), np.nan)
    if isinstance(model.projection, Sparsemax | Sparsegen):
        rate = getattr(model.projection, "rate", 1.0)  # the factor of scores
        gap = projection_gap(output.scores, output.weights, mask, rate).numpy()
    return pd.DataFrame(
        {
            "instance": batch.rows,
            "label": batch.labels,
            "length": mask.sum(1).numpy(),
            "correct": (answers == batch.labels).astype(float),
            **_farthest(model, batch, output),
            "support": (support.sum(1) / mask.sum(1)).numpy(),
            "mass_on_support": ((gradient * support).sum(1) / gradient.sum(1)).double().numpy(),
            "mass_of_top": mass_of_top(gradient, support.sum(1)).numpy(),
            **{
                f"auc_{name}": support_auc(measures[name], support, mask).numpy()
                for name in ("gradient_input", "without_input")
            },
            "projection_gap": gap,
            **entropies,
        }
    )


def _farthest(model: AttentionModel, batch: Batch, output: Output) -> dict[str, Floats]:
    """Accuracy under the farthest attention, a mean over equally far ones, and its divergence."""
    tied, distance, outputs = farthest(model, output)
    answers = predicted(outputs.flatten(0, 1).double().numpy()).reshape(tied.shape)
    right = (answers == batch.labels[:, None]) & tied.numpy()
    return {
        "farthest_correct": right.sum(1) / tied.sum(1).numpy(),
        "farthest_jsd": distance.numpy(),
    }


def _taus(batch: Batch, output: Output, measures: dict[str, torch.Tensor]) -> pd.DataFrame:
    """Tau-b of weights, and of their scores (which have no ties), with every measure."""
    tokens = by_token_of(batch, {"weight": output.weights, "score": output.scores, **measures})
    offsets = np.concatenate([[0], batch.mask.sum(1).cumsum()])
    tables = []
    for of in ("weight", "score"):
        for name in sorted(measures):
            x, y = (tokens[column].to_numpy(np.float64) for column in (of, name))
            columns = {"instance": batch.rows, "of": of, "measure": name}
            tables.append(pd.DataFrame({**columns, "tau": kendall(x, y, offsets)[0]}))
    return pd.concat(tables, ignore_index=True)
