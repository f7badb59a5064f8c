"""Entropies of influence and their agreement with attention, document by document, as tables."""

import numpy as np
import pandas as pd
import torch

from stages.corpora.batching import Batch, Reader
from stages.importance.dispersion import (
    farthest,
    normalised_entropy,
    on_output,
    on_states,
    projection_gap,
    without_states,
)
from stages.importance.leave_one_out import leave_one_out
from stages.importance.tables import BATCH, CAP, by_token_of
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs, Output
from stages.nn.metrics import predicted
from stages.nn.projections.sparsegen import Sparsegen
from stages.nn.projections.sparsemax import Sparsemax
from stages.statistics.divergences import jensen_shannon
from stages.statistics.kendall import kendall

MEASURES = (
    "gradient_input",
    "gradient_input_held",
    "gradient_state",
    "gradient_state_held",
    "without_input",
    "without_state",
)


def dispersion_tables(
    model: AttentionModel, reader: Reader, positions: int, draw: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Tables `instances` (entropies, support, the farthest attention), `states` and `taus`."""
    parts: dict[str, list[pd.DataFrame]] = {"instances": [], "states": [], "taus": []}
    for batch in reader.batches(BATCH, cap=CAP):
        inputs = Inputs.of(batch)
        with torch.no_grad():
            output = model(inputs)
        measures = on_output(model, inputs) | {
            "without_input": leave_one_out(model, inputs),
            "without_state": without_states(model, output),
        }
        described = _described(model, batch, output, measures, draw)
        states = state_entropies(model, batch, positions, draw)
        described["entropy_states"] = described["instance"].map(
            states.groupby("instance")["entropy"].mean()
        )
        parts["instances"].append(described)
        parts["states"].append(states)
        parts["taus"].append(_taus(batch, output, measures))
    return {name: pd.concat(tables, ignore_index=True) for name, tables in parts.items()}


def state_entropies(
    model: AttentionModel, batch: Batch, positions: int, draw: np.random.Generator
) -> pd.DataFrame:
    """Normalised entropy of the influence of inputs on some states of each document."""
    inputs = Inputs.of(batch)
    rows, places = [], []
    for row, real in enumerate(batch.mask):
        there = np.flatnonzero(real)
        chosen = there if len(there) <= positions else draw.choice(there, positions, replace=False)
        rows += [row] * len(chosen)
        places += sorted(chosen.tolist())
    found = on_states(model, inputs, torch.tensor(rows), torch.tensor(places))
    entropy = normalised_entropy(found, inputs.mask[torch.tensor(rows)])
    first = batch.mask.argmax(1)[rows]
    return pd.DataFrame(
        {"instance": batch.rows[rows], "position": places - first, "entropy": entropy.numpy()}
    )


def _described(
    model: AttentionModel,
    batch: Batch,
    output: Output,
    measures: dict[str, torch.Tensor],
    draw: np.random.Generator,
) -> pd.DataFrame:
    mask = output.encoded.mask
    whole = predicted(model.probabilities(output.logits).double().numpy())
    moved, weights = farthest(model, output)
    inside = (output.weights > 0) & mask
    slope = measures["gradient_input"]
    chance = torch.from_numpy(draw.exponential(size=tuple(mask.shape))) * mask  # flat Dirichlet
    entropies = {
        f"entropy_{name}": normalised_entropy(found, mask) for name, found in measures.items()
    }
    rate = _rate(model.projection)
    gap = np.full(len(mask), np.nan)
    if rate is not None:
        gap = projection_gap(output.scores, output.weights, mask, rate).numpy()
    return pd.DataFrame(
        {
            "instance": batch.rows,
            "label": batch.labels,
            "length": mask.sum(1).numpy(),
            "correct": (whole == batch.labels).astype(float),
            "farthest_correct": (predicted(moved.double().numpy()) == batch.labels).astype(float),
            "farthest_jsd": jensen_shannon(weights.double(), output.weights.double()).numpy(),
            "support": (inside.sum(1) / mask.sum(1)).numpy(),
            "mass_on_support": ((slope * inside).sum(1) / slope.sum(1)).double().numpy(),
            "projection_gap": gap,
            "entropy_attention": normalised_entropy(output.weights, mask).numpy(),
            "entropy_chance": normalised_entropy(chance, mask).numpy(),
            **{name: found.numpy() for name, found in entropies.items()},
        }
    )


def _rate(projection: torch.nn.Module) -> float | None:
    """What a projection onto the simplex multiplies scores by; None where it is none."""
    if isinstance(projection, Sparsegen):
        return projection.rate
    return 1.0 if isinstance(projection, Sparsemax) else None


def _taus(batch: Batch, output: Output, measures: dict[str, torch.Tensor]) -> pd.DataFrame:
    """Tau-b of weights, and of the scores behind them (which have no ties), with every measure."""
    named = {"weight": output.weights, "score": output.scores, **measures}
    tokens = by_token_of(batch, named)
    lengths = batch.mask.sum(1)
    offsets = np.concatenate([[0], lengths.cumsum()])
    found = []
    for of in ("weight", "score"):
        for name in MEASURES:
            x, y = (tokens[column].to_numpy(np.float64) for column in (of, name))
            columns = {"instance": batch.rows, "of": of, "measure": name}
            found.append(pd.DataFrame({**columns, "tau": kendall(x, y, offsets)[0]}))
    return pd.concat(found, ignore_index=True)
