"""Erasure of single and of many weights: tables of one model (Serrano & Smith 2019, sections 3-5).

A random item is drawn in two ways: `paper`, any item but the top one, and `as_coded`, any but the
first, whatever the top one is (the published defect). `expected` is the mean over all items that
`paper` could draw. Documents of one item take no part; they are in `instances` to be counted.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from stages.corpora.batching import Reader
from stages.counterfactual.erasure import (
    Documents,
    divergences,
    first_flips,
    without_each,
)
from stages.importance.tables import described
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.settings.errors import UserError

Seed = Callable[[int], int]  # of a document
BATCH, CAP = 128, 20_000  # documents and padded tokens at a time
TOPS = ("attention", "gradient", "product")  # rankings whose first item is erased alone


@torch.no_grad()
def mean_context(model: AttentionModel, reader: Reader) -> Tensor:
    """Logits (C,) of the mean context vector of some documents."""
    total, count = torch.zeros(0), 0
    for batch in reader.batches(BATCH, cap=CAP):
        output = model(Inputs.of(batch))
        pooled = (output.weights.unsqueeze(1) @ output.encoded.states).squeeze(1)  # (B, H)
        total = pooled.sum(0) + (total if count else 0)
        count += len(pooled)
    logits = model.head((total / count).unsqueeze(0), None, None).squeeze(0)
    return torch.cat([torch.zeros(1), logits]) if len(logits) == 1 else logits


@torch.no_grad()
def erasure_tables(
    model: AttentionModel, reader: Reader, mean: Tensor, orders: int, seed: Seed
) -> dict[str, pd.DataFrame]:
    """Tables `instances`, `single` and `multi` of one model."""
    found: dict[str, list[pd.DataFrame]] = {"instances": [], "single": [], "multi": []}
    for batch in reader.batches(BATCH, cap=CAP):
        output = model(Inputs.of(batch))
        if not model.head.linear:
            raise UserError("erasure needs a linear head; take pair data sets out of erasures:")
        evidence, bias = model.evidence(output.encoded)
        documents = Documents.of(output.weights, evidence, bias, output.encoded.mask)
        flips = without_each(documents, documents.bias)
        about = described(model, batch, output).drop(columns="label")
        about["length"] = documents.lengths.numpy()
        about["default_class"] = int(documents.bias.argmax())
        changed = (flips.argmax(-1) != documents.decision.unsqueeze(1)) & documents.real
        found["instances"].append(about.assign(any_single_flips=changed.any(1).numpy()))
        several = (documents.lengths > 1).numpy()
        draws = [np.random.default_rng(seed(int(row))) for row in batch.rows]
        ranked = documents.orders()
        found["single"].append(_single(documents, ranked, flips, batch.rows, several, draws))
        found["multi"].append(_multi(documents, ranked, mean, batch.rows, several, orders, draws))
    return {name: pd.concat(parts, ignore_index=True) for name, parts in found.items()}


def _single(
    documents: Documents,
    ranked: dict[str, Tensor],
    logits: Tensor,
    rows: NDArray[np.int64],
    several: NDArray[np.bool_],
    draws: list[np.random.Generator],
) -> pd.DataFrame:
    """The top item of a ranking against a random one, one row per document, ranking and mode."""
    moved = divergences(documents, logits).numpy()  # (B, L)
    flips = (logits.argmax(-1) != documents.decision.unsqueeze(1)).numpy()
    weights, lengths = documents.weights.numpy(), documents.lengths.numpy()
    frames = []
    for name in TOPS:
        top = ranked[name][:, 0].numpy()
        at = np.arange(len(rows))
        shared = {
            "instance": rows,
            "ranking": name,
            "js_top": moved[at, top],
            "top_flips": flips[at, top],
        }
        asked = zip(lengths.tolist(), top.tolist(), draws, strict=True)
        drawn = [_random(*each) for each in asked]
        for place, mode in enumerate(("paper", "as_coded")):
            other = np.array([pair[place] for pair in drawn])
            columns = {
                "mode": mode,
                "js_random": moved[at, other],
                "delta_alpha": weights[at, top] - weights[at, other],
                "random_flips": flips[at, other].astype(float),
            }
            frames.append(pd.DataFrame(shared | columns)[several])
        frames.append(pd.DataFrame(shared | _expected(documents, moved, flips, top))[several])
    table = pd.concat(frames, ignore_index=True)
    return table.assign(delta_js=table["js_top"] - table["js_random"])


def _random(length: int, top: int, draw: np.random.Generator) -> tuple[int, int]:
    """An item other than the top one, and an item other than the first."""
    if length < 2:
        return 0, 0
    other = int(draw.integers(length - 1))
    return other + (other >= top), int(draw.integers(1, length))


def _expected(
    documents: Documents, moved: np.ndarray, flips: np.ndarray, top: np.ndarray
) -> dict[str, object]:
    """Exact means over all items but the top one."""
    real = documents.real.numpy().copy()
    at = np.arange(len(top))
    real[at, top] = False
    count = np.maximum(real.sum(1), 1)
    weights = documents.weights.numpy()
    return {
        "mode": "expected",
        "js_random": (moved * real).sum(1) / count,
        "delta_alpha": weights[at, top] - (weights * real).sum(1) / count,
        "random_flips": (flips & real).sum(1) / count,
    }


def _multi(
    documents: Documents,
    ranked: dict[str, Tensor],
    mean: Tensor,
    rows: NDArray[np.int64],
    several: NDArray[np.bool_],
    orders: int,
    draws: list[np.random.Generator],
) -> pd.DataFrame:
    """Items, share and mass erased at the first flip by each ranking; the end is 0, or the mean."""
    sorts = {(name, 0): order for name, order in ranked.items()}
    for number in range(orders):
        width = documents.weights.shape[1]
        chance = torch.from_numpy(np.stack([draw.random(width) for draw in draws]))
        sorts["random", number] = documents.order(chance)
    plain, replaced = first_flips(
        documents, torch.stack(list(sorts.values())), documents.bias, mean
    )
    frames = []
    for at, (name, number) in enumerate(sorts):
        columns = {
            "instance": rows,
            "ranking": name,
            "order": number,
            "count": plain.count[at].numpy(),
            "fraction": (plain.count[at] / documents.lengths).numpy(),
            "mass": plain.mass[at].numpy(),
            "count_to_mean": replaced.count[at].numpy(),
            "length": documents.lengths.numpy(),
        }
        frames.append(pd.DataFrame(columns)[several])
    return pd.concat(frames, ignore_index=True)
