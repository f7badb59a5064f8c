"""Attention beside gradients, leave-one-out, integrated gradients and chance: tables per model.

Jain & Wallace 2019, sections 4.1-4.3; the last two and comprehensiveness and sufficiency are what
users of captum and ERASER expect beside them.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import torch

from stages.corpora.batching import Batch, Reader
from stages.importance.faithfulness import faithfulness
from stages.importance.gradient import gradients
from stages.importance.integrated import integrated_gradients
from stages.importance.leave_one_out import leave_one_out
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs, Output
from stages.nn.metrics import predicted
from stages.settings.analyses import Correlation
from stages.statistics.kendall import kendall
from stages.statistics.top_k import top_k_distance

PAIRS = (
    ("attention", "gradient"),
    ("attention", "leave_one_out"),
    ("leave_one_out", "gradient"),
    ("attention", "gradient_vocabulary"),
    ("attention", "gradient_state"),
    ("attention", "random"),
)
BESIDE = (("attention", "integrated"), ("gradient", "integrated"), ("leave_one_out", "integrated"))
RANKINGS = ("attention", "gradient", "leave_one_out", "integrated", "random")
BATCH, CAP = 128, 20_000  # documents and padded tokens at a time


def importance_tables(
    model: AttentionModel, reader: Reader, options: Correlation, draw: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Tables `instances`, `tokens` and `correlation` of one model: what Jain & Wallace measure."""
    instances: list[pd.DataFrame] = []
    tokens: list[pd.DataFrame] = []
    for batch in reader.batches(BATCH, cap=CAP):
        inputs = Inputs.of(batch)
        with torch.no_grad():
            output = model(inputs)
        instances.append(described(model, batch, output))
        tokens.append(by_token_of(batch, _measures(model, inputs, output, draw)))
    by_token = pd.concat(tokens, ignore_index=True)
    return {
        "instances": pd.concat(instances, ignore_index=True),
        # `attention` names the kind of score in every table of results
        "tokens": by_token.rename(columns={"attention": "weight"}),
        "correlation": correlations(by_token, PAIRS, top_length(reader, options)),
    }


def attention_table(model: AttentionModel, reader: Reader) -> pd.DataFrame:
    """Attention alone, token by token: all that is asked of a model trained with another seed."""
    found = []
    for batch in reader.batches(BATCH, cap=CAP):
        with torch.no_grad():
            found.append(by_token_of(batch, {"weight": model(Inputs.of(batch)).weights}))
    return pd.concat(found, ignore_index=True)


def faithfulness_tables(
    model: AttentionModel, reader: Reader, options: Correlation, draw: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Tables `integrated` and `faithfulness`: dearer, so usually of fewer documents."""
    tokens: list[pd.DataFrame] = []
    faithful: list[pd.DataFrame] = []
    for batch in reader.batches(BATCH, cap=CAP):
        inputs = Inputs.of(batch)
        with torch.no_grad():
            output = model(inputs)
        measures = _measures(model, inputs, output, draw)
        attributions, gap = integrated_gradients(model, inputs, options.integrated_points)
        measures["integrated"] = attributions.abs()
        tokens.append(by_token_of(batch, measures))
        found = _faithful(model, inputs, batch, measures, options)
        faithful.append(found.assign(integrated_gap=np.tile(gap.numpy(), len(RANKINGS))))
    by_token = pd.concat(tokens, ignore_index=True)
    return {
        "integrated": correlations(by_token, BESIDE, top_length(reader, options)),
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
    model: AttentionModel, inputs: Inputs, output: Output, draw: np.random.Generator
) -> dict[str, torch.Tensor]:
    """Attention, gradients, leave-one-out and chance (B, T)."""
    chance = torch.from_numpy(draw.random(tuple(inputs.mask.shape), dtype=np.float32))
    return {
        "attention": output.weights,
        **gradients(model, inputs),
        "leave_one_out": leave_one_out(model, inputs),
        "random": chance,
    }


def by_token_of(batch: Batch, measures: Mapping[str, torch.Tensor]) -> pd.DataFrame:
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
) -> pd.DataFrame:
    """One row per ranking and document."""
    found = []
    for name in RANKINGS:
        lost, missing = faithfulness(model, inputs, measures[name], options.shares)
        columns = {"comprehensiveness": lost.numpy(), "sufficiency": missing.numpy()}
        found.append(pd.DataFrame({"instance": batch.rows, "measure": name, **columns}))
    return pd.concat(found, ignore_index=True)


def top_length(reader: Reader, options: Correlation) -> int:
    """k of the top-k lists: at least `top_k`, or a share of the mean length."""
    edges = 2 if reader.add_boundary_tokens else 0
    mean = float(np.mean(reader.text.lengths[reader.rows] - edges))
    return max(options.top_k, int(options.top_share * mean))


def correlations(tokens: pd.DataFrame, pairs: Sequence[tuple[str, str]], k: int) -> pd.DataFrame:
    """Tau-b, its p-value and the top-k distance of every pair of measures, per document.

    Documents of one token, or with a constant measure, have no tau: an empty cell, counted later.
    """
    changed = tokens["instance"].ne(tokens["instance"].shift()).to_numpy()
    offsets = np.append(np.flatnonzero(changed), len(tokens))
    instance = tokens["instance"].to_numpy()[offsets[:-1]]
    found = []
    for one, other in pairs:
        x, y = (tokens[name].to_numpy(np.float64) for name in (one, other))
        tau, p = kendall(x, y, offsets)
        distance = top_k_distance(x, y, offsets, k)
        columns = {"tau": tau, "p": p, "top_k_distance": distance}
        found.append(pd.DataFrame({"instance": instance, "pair": f"{one}-{other}", **columns}))
    return pd.concat(found, ignore_index=True)
