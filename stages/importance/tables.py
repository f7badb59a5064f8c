"""Attention beside gradients, leave-one-out, integrated gradients and chance: tables per model.

Jain & Wallace 2019, sections 4.1-4.3; the last two and comprehensiveness and sufficiency are what
users of captum and ERASER expect beside them.
"""

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from stages.corpora.batching import Batch, Reader
from stages.importance.faithfulness import faithfulness
from stages.importance.gradient import gradients
from stages.importance.integrated import integrated_gradients
from stages.importance.leave_one_out import leave_one_out
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs, Output
from stages.nn.metrics import predicted
from stages.settings.trials import Correlation
from stages.statistics.kendall import kendall
from stages.statistics.top_k import top_k_distance

Floats = NDArray[np.float64]
PAIRS = (
    ("attention", "gradient"),
    ("attention", "leave_one_out"),
    ("leave_one_out", "gradient"),
    ("attention", "gradient_vocabulary"),
    ("attention", "gradient_state"),
    ("attention", "integrated"),
    ("attention", "random"),
)
RANKINGS = ("attention", "gradient", "leave_one_out", "integrated", "random")
BATCH, CAP = 128, 20_000  # documents and padded tokens at a time


def importance_tables(
    model: AttentionModel, reader: Reader, options: Correlation, draw: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Tables `instances`, `tokens`, `correlation` and `faithfulness` of one model."""
    instances: list[pd.DataFrame] = []
    tokens: list[pd.DataFrame] = []
    faithful: list[pd.DataFrame] = []
    for batch in reader.batches(BATCH, cap=CAP):
        inputs = Inputs.of(batch)
        with torch.no_grad():
            output = model(inputs)
        measures, gap = _measures(model, inputs, output, options, draw)
        instances.append(described(model, batch, output).assign(integrated_gap=gap.numpy()))
        tokens.append(_by_token(batch, measures))
        faithful += _faithful(model, inputs, batch, measures, options)
    by_token = pd.concat(tokens, ignore_index=True)
    return {
        "instances": pd.concat(instances, ignore_index=True),
        # `attention` names the kind of score in every table of results
        "tokens": by_token.rename(columns={"attention": "weight"}),
        "correlation": correlations(by_token, top_length(reader, options)),
        "faithfulness": pd.concat(faithful, ignore_index=True),
    }


def described(model: AttentionModel, batch: Batch, output: Output) -> pd.DataFrame:
    """One row per document: what was asked and answered, and how peaked attention is."""
    probabilities = model.probabilities(output.logits).double().numpy()  # (B, C)
    single = probabilities.shape[1] == 1
    return pd.DataFrame(
        {
            "instance": batch.rows,
            "label": batch.labels,
            "predicted": predicted(probabilities),
            "probability": probabilities[:, 0] if single else probabilities.max(1),
            "length": batch.mask.sum(1),
            "max_attention": output.weights.amax(1).numpy(),
        }
    )


def _measures(
    model: AttentionModel,
    inputs: Inputs,
    output: Output,
    options: Correlation,
    draw: np.random.Generator,
) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    """Every measure (B, T), and how far integrated gradients are from complete (B,)."""
    integrated, gap = integrated_gradients(model, inputs, options.integrated_points)
    chance = torch.from_numpy(draw.random(tuple(inputs.mask.shape), dtype=np.float32))
    found = {
        "attention": output.weights,
        **gradients(model, inputs),
        "leave_one_out": leave_one_out(model, inputs),
        "integrated": integrated.abs(),
        "random": chance,
    }
    return found, gap


def _by_token(batch: Batch, measures: Mapping[str, torch.Tensor]) -> pd.DataFrame:
    """One row per token where attention may rest; position 0 is the first of them."""
    rows, places = batch.mask.nonzero()
    first = batch.mask.argmax(1)
    return pd.DataFrame(
        {
            "instance": batch.rows[rows],
            "position": places - first[rows],
            **{name: found.numpy()[rows, places] for name, found in measures.items()},
        }
    )


def _faithful(
    model: AttentionModel,
    inputs: Inputs,
    batch: Batch,
    measures: Mapping[str, torch.Tensor],
    options: Correlation,
) -> list[pd.DataFrame]:
    found = []
    for name in RANKINGS:
        lost, missing = faithfulness(model, inputs, measures[name], options.shares)
        columns = {"comprehensiveness": lost.numpy(), "sufficiency": missing.numpy()}
        found.append(pd.DataFrame({"instance": batch.rows, "measure": name, **columns}))
    return found


def top_length(reader: Reader, options: Correlation) -> int:
    """k of the top-k lists: at least `top_k`, or a share of the mean length."""
    edges = 2 if reader.ends else 0
    mean = float(np.mean(reader.text.lengths[reader.rows] - edges))
    return max(options.top_k, int(options.top_share * mean))


def correlations(tokens: pd.DataFrame, k: int) -> pd.DataFrame:
    """Tau-b, its p-value and the top-k distance of every pair of measures, per document.

    Documents of one token, or with a constant measure, have no tau: an empty cell, counted later.
    """
    changed = tokens["instance"].ne(tokens["instance"].shift()).to_numpy()
    offsets = np.append(np.flatnonzero(changed), len(tokens))
    by_name: dict[str, Floats] = defaultdict()
    for name in {name for pair in PAIRS for name in pair}:
        by_name[name] = tokens[name].to_numpy(np.float64)
    found = []
    for one, other in PAIRS:
        tau, p = kendall(by_name[one], by_name[other], offsets)
        distance = top_k_distance(by_name[one], by_name[other], offsets, k)
        columns = {"tau": tau, "p": p, "top_k_distance": distance}
        instance = tokens["instance"].to_numpy()[offsets[:-1]]
        found.append(pd.DataFrame({"instance": instance, "pair": f"{one}-{other}", **columns}))
    return pd.concat(found, ignore_index=True)
