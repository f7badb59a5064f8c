"""Erasure of single and of many weights: tables of one model (Serrano & Smith 2019, sections 3-5).

A random item is drawn in two ways: `paper`, any item but the top one, and `as_coded`, any but the
first, whatever the top one is (a defect of the published code). `expected` is the mean over all
items that `paper` could draw. Documents of one item are in `instances` only.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from stages.corpora.batching import Reader
from stages.counterfactual.erasure import Documents, divergences, first_flips, without_each
from stages.importance.tables import batches_with_outputs, described, joined
from stages.nn.attention import AttentionModel
from stages.settings.errors import UserError

Items = NDArray[np.bool_]
Seed = Callable[[int], int]  # of a document
TOPS = ("attention", "gradient", "product")  # rankings whose first item is erased alone


@torch.no_grad()
def mean_context(model: AttentionModel, reader: Reader) -> Tensor:
    """Logits (C,) of the mean context vector of a reader's documents."""
    total, count = torch.zeros(0), 0
    for _, _, output in batches_with_outputs(model, reader):
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
    if not model.head.linear:
        raise UserError("erasure needs a linear head; remove pair data sets from erasures:")
    parts = []
    for batch, _, output in batches_with_outputs(model, reader):
        evidence, bias = model.evidence(output.encoded)
        documents = Documents.of(output.weights, evidence, bias, output.encoded.mask)
        logits = without_each(documents, documents.bias)
        about = described(model, batch, output).drop(columns="label")
        about["length"] = documents.lengths.numpy()
        about["default_class"] = int(documents.bias.argmax())
        flips = (logits.argmax(-1) != documents.decision.unsqueeze(1)) & documents.real
        instances = about.assign(any_single_flips=flips.any(1).numpy())
        draws = [np.random.default_rng(seed(int(row))) for row in batch.rows]
        ranked = documents.orders()
        single = _single(documents, ranked, logits, batch.rows, draws)
        multi = _multi(documents, ranked, mean, batch.rows, orders, draws)
        parts.append({"instances": instances, "single": single, "multi": multi})
    tables = joined(parts)
    several = tables["instances"].query("length > 1")["instance"]
    for name in ("single", "multi"):
        table = tables[name]
        tables[name] = table[table["instance"].isin(several)].reset_index(drop=True)
    return tables


def _single(
    documents: Documents,
    ranked: dict[str, Tensor],
    logits: Tensor,
    rows: NDArray[np.int64],
    draws: list[np.random.Generator],
) -> pd.DataFrame:
    """The top item of a ranking against a random one, one row per document, ranking and mode."""
    change = divergences(documents, logits).numpy()  # (B, L)
    flips = (logits.argmax(-1) != documents.decision.unsqueeze(1)).numpy()
    weights, at = documents.weights.numpy(), np.arange(len(rows))
    frames = []
    for name in TOPS:
        top = ranked[name][:, 0].numpy()
        for mode, items in random_items(documents.real.numpy(), top, draws).items():
            columns = {
                "instance": rows,
                "ranking": name,
                "js_top": change[at, top],
                "top_flips": flips[at, top],
                "mode": mode,
                "js_random": _mean(change, items),
                "delta_alpha": weights[at, top] - _mean(weights, items),
                "random_flips": _mean(flips, items),
            }
            frames.append(pd.DataFrame(columns))
    table = pd.concat(frames, ignore_index=True)
    return table.assign(delta_js=table["js_top"] - table["js_random"])


def random_items(
    real: Items, top: NDArray[np.int64], draws: list[np.random.Generator]
) -> dict[str, Items]:
    """Items (B, L) that are compared with the top one (B,), by mode; none in documents of one."""
    others = real & (np.arange(real.shape[1]) != top[:, None])
    items = {"paper": np.zeros_like(real), "as_coded": np.zeros_like(real), "expected": others}
    for row, (length, draw) in enumerate(zip(real.sum(1), draws, strict=True)):
        if length > 1:
            items["paper"][row, np.flatnonzero(others[row])[draw.integers(length - 1)]] = True
            items["as_coded"][row, draw.integers(1, length)] = True
    return items


def _mean(values: np.ndarray, items: Items) -> np.ndarray:
    """Mean (B,) of the values (B, L) of some items; 0 without items."""
    return np.asarray((values * items).sum(1) / np.maximum(items.sum(1), 1))


def _multi(
    documents: Documents,
    ranked: dict[str, Tensor],
    mean: Tensor,
    rows: NDArray[np.int64],
    orders: int,
    draws: list[np.random.Generator],
) -> pd.DataFrame:
    """Items, share and mass erased at the first flip by each ranking.

    `count_to_mean`: with the mean context vector in place of zero once nothing is left.
    """
    places = {(name, 0): order for name, order in ranked.items()}
    for number in range(orders):
        random = np.stack([draw.random(documents.real.shape[1]) for draw in draws])
        places["random", number] = documents.order(torch.from_numpy(random))
    stacked = torch.stack(list(places.values()))  # (R, B, L)
    to_zero, to_mean = first_flips(documents, stacked, documents.bias, mean)
    index = [(*ranking, row) for ranking in places for row in rows]
    table = pd.DataFrame(index, columns=["ranking", "order", "instance"])
    values = {
        "count": to_zero.count,
        "fraction": to_zero.count / documents.lengths,
        "mass": to_zero.mass,
        "count_to_mean": to_mean.count,
        "length": documents.lengths.expand_as(to_zero.count),
    }  # (R, B)
    columns = {name: value.flatten().numpy() for name, value in values.items()}
    return table.assign(**columns)[["instance", "ranking", "order", *columns]]
