"""Attention beside gradients, leave-one-out, integrated gradients and chance: tables of one model.

Jain & Wallace 2019, sections 4.1-4.3. Integrated gradients (as in captum), chance, and
comprehensiveness and sufficiency (as in ERASER) are additions.
"""

from collections.abc import Iterator, Mapping, Sequence

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


def batches_with_outputs(
    model: AttentionModel, reader: Reader, cap: int | None = CAP
) -> Iterator[tuple[Batch, Inputs, Output]]:
    """The batches of a reader, as tensors, and the model's outputs, without gradients."""
    for batch in reader.batches(BATCH, cap=cap):
        inputs = Inputs.of(batch)
        with torch.no_grad():
            output = model(inputs)
        yield batch, inputs, output


def joined(parts: list[dict[str, pd.DataFrame]]) -> dict[str, pd.DataFrame]:
    """The tables of all batches, by name."""
    return {name: pd.concat([part[name] for part in parts], ignore_index=True) for name in parts[0]}


def importance_tables(
    model: AttentionModel, reader: Reader, options: Correlation, draw: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Tables `instances`, `tokens` and `correlation`: the measures of Jain & Wallace."""
    parts = []
    for batch, inputs, output in batches_with_outputs(model, reader):
        tokens = by_token_of(batch, _measures(model, inputs, output, draw))
        parts.append({"instances": described(model, batch, output), "tokens": tokens})
    tables = joined(parts)
    correlation = correlations(tables["tokens"], PAIRS, top_length(reader, options))
    # in every table of results the column `attention` is the kind of score
    tokens = tables["tokens"].rename(columns={"attention": "weight"})
    return tables | {"tokens": tokens, "correlation": correlation}


def faithfulness_tables(
    model: AttentionModel, reader: Reader, options: Correlation, draw: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Tables `integrated` and `faithfulness`; slower, so usually of fewer documents."""
    parts = []
    for batch, inputs, output in batches_with_outputs(model, reader):
        measures = _measures(model, inputs, output, draw)
        attributions, gap = integrated_gradients(model, inputs, options.integrated_points)
        measures["integrated"] = attributions.abs()
        faithful = []
        for name in RANKINGS:
            without, alone = faithfulness(model, inputs, measures[name], options.shares)
            columns = {"comprehensiveness": without.numpy(), "sufficiency": alone.numpy()}
            columns |= {"integrated_gap": gap.numpy()}
            faithful.append(pd.DataFrame({"instance": batch.rows, "measure": name, **columns}))
        tokens = by_token_of(batch, measures)
        parts.append({"tokens": tokens, "faithfulness": pd.concat(faithful, ignore_index=True)})
    tables = joined(parts)
    integrated = correlations(tables.pop("tokens"), BESIDE, top_length(reader, options))
    return {"integrated": integrated, **tables}


def described(model: AttentionModel, batch: Batch, output: Output) -> pd.DataFrame:
    """One row per document: label, prediction, length and largest attention weight."""
    probabilities = model.probabilities(output.logits).double().numpy()  # (B, C)
    return pd.DataFrame(
        {
            "instance": batch.rows,
            "label": batch.labels,
            "predicted": predicted(probabilities),
            "probability": probabilities.max(1),
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
    """One row per token inside the mask; position 0 is the first of them."""
    rows, places = batch.mask.nonzero()
    first = batch.mask.argmax(1)
    return pd.DataFrame(
        {
            "instance": batch.rows[rows],
            "position": places - first[rows],
            **{name: value.numpy()[rows, places] for name, value in measures.items()},
        }
    )


def top_length(reader: Reader, options: Correlation) -> int:
    """k of the top-k lists: at least `top_k`, or a share of the mean length."""
    edges = 2 if reader.add_boundary_tokens else 0
    mean = float(np.mean(reader.text.lengths[reader.rows] - edges))
    return max(options.top_k, int(options.top_share * mean))


def correlations(tokens: pd.DataFrame, pairs: Sequence[tuple[str, str]], k: int) -> pd.DataFrame:
    """Tau-b (NaN for one token or a constant measure), its p-value and top-k distance of pairs."""
    changed = tokens["instance"].ne(tokens["instance"].shift()).to_numpy()
    offsets = np.append(np.flatnonzero(changed), len(tokens))
    instance = tokens["instance"].to_numpy()[offsets[:-1]]
    tables = []
    for one, other in pairs:
        x, y = (tokens[name].to_numpy(np.float64) for name in (one, other))
        tau, p = kendall(x, y, offsets)
        distance = top_k_distance(x, y, offsets, k)
        columns = {"tau": tau, "p": p, "top_k_distance": distance}
        tables.append(pd.DataFrame({"instance": instance, "pair": f"{one}-{other}", **columns}))
    return pd.concat(tables, ignore_index=True)
