"""Shuffled and adversarial attention: tables of one model (Jain & Wallace 2019, section 4)."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from stages.corpora.batching import Batch, Reader
from stages.counterfactual.adversarial import Found, Search, epsilon_max, search
from stages.counterfactual.outputs import Outputs, outputs_under
from stages.counterfactual.permutation import permutations, permuted_changes
from stages.importance.tables import by_token_of, described
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs, Output
from stages.settings.analyses import Adversarial, Permutation

Seed = Callable[[int], int]  # of a document
BATCH, CAP = 128, 8_000  # documents and padded tokens at a time


def permutation_table(
    model: AttentionModel, reader: Reader, options: Permutation, seed: Seed
) -> pd.DataFrame:
    """Median and quartiles of the output's change over the shuffles of each document."""
    found = []
    for batch in reader.batches(BATCH, cap=CAP):
        with torch.no_grad():
            output = model(Inputs.of(batch))
        seeds = np.array([seed(int(row)) % 2**32 for row in batch.rows], np.int64)
        changes = permuted_changes(model, output, options.count, seeds).double().numpy()
        quartiles = np.quantile(changes, (0.25, 0.5, 0.75), axis=1)
        columns = dict(zip(("lower", "median", "upper"), quartiles, strict=True))
        found.append(described(model, batch, output).assign(**columns))
    return pd.concat(found, ignore_index=True)


def adversarial_tables(
    model: AttentionModel, reader: Reader, options: Adversarial, seed: Seed
) -> dict[str, pd.DataFrame]:
    """`instances`: the farthest attention within each epsilon; of some documents to look at,
    `examples`: weights, `outputs`: answers under them, `evidence`: what a linear head adds up.
    """
    settings = Search(**options.model_dump(exclude={"epsilons", "examples"}))
    instances: list[pd.DataFrame] = []
    kept: list[dict[str, pd.DataFrame]] = []
    for batch in reader.batches(BATCH, cap=CAP):
        with torch.no_grad():
            output = model(Inputs.of(batch))
        start = _starts(batch, settings.candidates, seed)
        mask = output.encoded.mask
        under = outputs_under(model, output.encoded)
        found = search(under, output.weights, mask, start, settings, options.epsilons)
        instances.append(_instances(model, batch, output, found, options.epsilons))
        weights = _weights(output, found, batch, seed)
        kept.append(looked_at(model, batch, output, under, weights))
    table = pd.concat(instances, ignore_index=True)
    shown = examples(table, options)
    details = {
        name: pd.concat([tables[name] for tables in kept], ignore_index=True) for name in kept[0]
    }
    return {"instances": table} | {
        name: rows[rows["instance"].isin(shown)] for name, rows in details.items()
    }


def _starts(batch: Batch, candidates: int, seed: Seed) -> torch.Tensor:
    """Standard normal draws (B, K, T); each document has its own generator."""
    start = np.zeros((len(batch.rows), candidates, batch.tokens.shape[1]), np.float32)
    for place, (row, length) in enumerate(zip(batch.rows, batch.lengths, strict=True)):
        draw = np.random.default_rng(seed(int(row)))
        start[place, :, :length] = draw.standard_normal((candidates, length), np.float32)
    return torch.from_numpy(start)


def _instances(
    model: AttentionModel,
    batch: Batch,
    output: Output,
    found: Found,
    epsilons: tuple[float, ...],
) -> pd.DataFrame:
    """One row per document and epsilon."""
    about = described(model, batch, output)
    most = output.weights.argmax(1, keepdim=True)  # (B, 1)
    frames = []
    for place, epsilon in enumerate(epsilons):
        allowed = found.change <= epsilon
        farthest = torch.where(allowed, found.divergence, -1).argmax(1, keepdim=True)
        moved = found.weights.argmax(2).gather(1, farthest) != most
        frames.append(
            about.assign(
                epsilon=epsilon,
                last=epsilon_max(found, epsilon).double().numpy(),
                best=found.best[:, place].double().numpy(),
                feasible=allowed.any(1).numpy(),
                change=found.change.gather(1, farthest).squeeze(1).double().numpy(),
                candidate=farthest.squeeze(1).numpy() + 1,
                other_top_token=(moved.squeeze(1) & allowed.any(1)).numpy(),
            )
        )
    return pd.concat(frames, ignore_index=True)


def _weights(output: Output, found: Found, batch: Batch, seed: Seed) -> dict[str, torch.Tensor]:
    """The model's own weights, a shuffle of them and every adversary's, (B, T) each."""
    mask = output.encoded.mask.numpy()
    seeds = np.array([seed(int(row)) % 2**32 for row in batch.rows], np.int64)
    shuffled = permutations(output.weights.numpy(), mask, 1, seeds)[:, 0]
    adversaries = {f"adversary_{k + 1}": found.weights[:, k] for k in range(found.weights.shape[1])}
    return {"original": output.weights, "permutation": torch.from_numpy(shuffled)} | adversaries


def looked_at(
    model: AttentionModel,
    batch: Batch,
    output: Output,
    under: Outputs,
    weights: dict[str, torch.Tensor],
) -> dict[str, pd.DataFrame]:
    """What a page shows of a document: weights, answers under them and under even ones, evidence.

    Evidence is there where the head is linear: with it any other weights can be answered too.
    """
    mask = output.encoded.mask
    even = mask / mask.sum(1, keepdim=True)  # (B, T)
    variants = weights | {"uniform": even}
    answers = under(torch.stack(list(variants.values()), 1)).double().numpy()  # (B, V, C)
    tables = {
        "examples": by_token_of(batch, weights),
        "outputs": _by_variant(batch, list(variants), answers),
    }
    if model.head.linear:
        evidence, bias = model.evidence(output.encoded)  # (B, T, C), (C,)
        of_classes = [
            by_token_of(batch, {"evidence": evidence[..., c]}).assign(
                **{"class": c, "bias": float(bias[c])}
            )
            for c in range(len(bias))
        ]
        tables["evidence"] = pd.concat(of_classes, ignore_index=True)
    return tables


def _by_variant(batch: Batch, names: list[str], answers: NDArray[np.float64]) -> pd.DataFrame:
    """One row per document, weights and class; a single class is that of the sigmoid."""
    rows, variants, classes = answers.shape
    return pd.DataFrame(
        {
            "instance": np.repeat(batch.rows, variants * classes),
            "variant": np.tile(np.repeat(names, classes), rows),
            "class": np.tile(np.arange(classes), rows * variants),
            "probability": answers.ravel(),
        }
    )


def examples(table: pd.DataFrame, options: Adversarial) -> set[int]:
    """Documents to show: those of each predicted class with the farthest attention.

    Only sure answers are shown (the published pages ask for p > 0.6 or p < 0.4),
    at the first epsilon.
    """
    sure = (table["probability"] - 0.5).abs() > 0.1
    chosen = table[(table["epsilon"] == options.epsilons[0]) & sure]
    ranked = chosen.sort_values(["last", "instance"], ascending=[False, True])
    return set(ranked.groupby("predicted")["instance"].head(options.examples))
