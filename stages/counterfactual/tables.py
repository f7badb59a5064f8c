"""Shuffled and adversarial attention: tables of one model (Jain & Wallace 2019, section 4)."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from stages.corpora.batching import Batch, Reader
from stages.counterfactual.adversarial import Candidates, search
from stages.counterfactual.outputs import outputs_under
from stages.counterfactual.permutation import permutations, permuted_changes
from stages.importance.tables import batches_with_outputs, by_token_of, described, joined
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Output
from stages.nn.metrics import predicted
from stages.settings.analyses import Adversarial, Permutation

Seed = Callable[[int], int]  # of a document
CAP = 8_000  # padded tokens at a time


def permutation_table(
    model: AttentionModel, reader: Reader, options: Permutation, seed: Seed
) -> pd.DataFrame:
    """Median and quartiles of the output's change over the shuffles of each document."""
    tables = []
    for batch, _, output in batches_with_outputs(model, reader, CAP):
        changes = permuted_changes(model, output, options.count, _seeds(batch, seed))
        quartiles = np.quantile(changes.double().numpy(), (0.25, 0.5, 0.75), axis=1)
        columns = dict(zip(("lower", "median", "upper"), quartiles, strict=True))
        tables.append(described(model, batch, output).assign(**columns))
    return pd.concat(tables, ignore_index=True)


def _seeds(batch: Batch, seed: Seed) -> NDArray[np.int64]:
    """Seeds (B,) of the compiled generator."""
    return np.array([seed(int(row)) % 2**32 for row in batch.rows], np.int64)


def adversarial_tables(
    model: AttentionModel, reader: Reader, options: Adversarial, seed: Seed
) -> dict[str, pd.DataFrame]:
    """Table `instances`: the farthest attention within each epsilon; and of example documents
    `examples`: weights, `outputs`: outputs under them, `evidence`: of a linear head.
    """
    parts = []
    for batch, output, candidates in _searched(model, reader, options, seed):
        mask = output.encoded.mask
        shuffled = permutations(output.weights.numpy(), mask.numpy(), 1, _seeds(batch, seed))
        weights = {"original": output.weights, "permutation": torch.from_numpy(shuffled[:, 0])}
        for k, candidate in enumerate(candidates.weights.unbind(1), 1):
            weights[f"adversary_{k}"] = candidate
        about = described(model, batch, output)
        instances = pd.concat(
            _within(about, output, candidates, epsilon, best)
            for epsilon, best in zip(options.epsilons, candidates.best.T, strict=True)
        )
        details = _example_tables(model, batch, output, weights)
        parts.append({"instances": instances, **details})
    tables = joined(parts)
    instances = tables.pop("instances")
    chosen = _example_rows(instances, options)
    examples = {name: rows[rows["instance"].isin(chosen)] for name, rows in tables.items()}
    return {"instances": instances, **examples}


def searched_table(
    model: AttentionModel, reader: Reader, options: Adversarial, seed: Seed
) -> pd.DataFrame:
    """Per document: the largest divergence within the first epsilon, and the mean change of the
    output and accuracy over all candidates.
    """
    tables = []
    for batch, _, candidates in _searched(model, reader, options, seed):
        outputs = candidates.outputs.double().numpy()  # (B, K, C)
        answers = np.stack([predicted(one) for one in outputs])  # (B, K)
        columns = {
            "instance": batch.rows,
            "searched_jsd": candidates.farthest(options.epsilons[0]).double().numpy(),
            "searched_change": candidates.change.mean(1).double().numpy(),
            "searched_correct": (answers == batch.labels[:, None]).mean(1),
        }
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def _searched(
    model: AttentionModel, reader: Reader, options: Adversarial, seed: Seed
) -> Iterator[tuple[Batch, Output, Candidates]]:
    """Each batch with the output and the candidates; each document has its own generator."""
    for batch, _, output in batches_with_outputs(model, reader, CAP):
        start = torch.zeros(len(batch.rows), options.candidates, batch.tokens.shape[1])  # (B, K, T)
        for place, (row, length) in enumerate(zip(batch.rows, batch.lengths, strict=True)):
            draw = np.random.default_rng(seed(int(row)))
            normal = draw.standard_normal((options.candidates, length), np.float32)
            start[place, :, :length] = torch.from_numpy(normal)
        yield batch, output, search(model, output, start, options)


def _within(
    about: pd.DataFrame,
    output: Output,
    candidates: Candidates,
    epsilon: float,
    best: torch.Tensor,
) -> pd.DataFrame:
    """One row per document: its farthest candidate that keeps the output within epsilon."""
    allowed = candidates.change <= epsilon  # (B, K)
    farthest = torch.where(allowed, candidates.divergence, -1).argmax(1, keepdim=True)  # (B, 1)
    moved = candidates.weights.argmax(2).gather(1, farthest).squeeze(1) != output.weights.argmax(1)
    return about.assign(
        epsilon=epsilon,
        last=candidates.farthest(epsilon).double().numpy(),
        best=best.double().numpy(),
        feasible=allowed.any(1).numpy(),
        change=candidates.change.gather(1, farthest).squeeze(1).double().numpy(),
        candidate=farthest.squeeze(1).numpy() + 1,
        other_top_token=(moved & allowed.any(1)).numpy(),
    )


def _example_tables(
    model: AttentionModel, batch: Batch, output: Output, weights: dict[str, torch.Tensor]
) -> dict[str, pd.DataFrame]:
    """Weights (B, T), outputs under them and under uniform weights, and evidence of each document.

    With evidence, which only a linear head has, the output under any weights can be computed.
    """
    mask = output.encoded.mask
    variants = weights | {"uniform": mask / mask.sum(1, keepdim=True)}
    under = outputs_under(model, output.encoded)
    outputs = under(torch.stack(list(variants.values()), 1)).double().numpy()  # (B, V, C)
    keys = {"instance": batch.rows, "variant": list(variants), "class": range(outputs.shape[2])}
    index = pd.MultiIndex.from_product(keys.values(), names=keys)
    tables = {
        "examples": by_token_of(batch, weights),
        "outputs": pd.DataFrame({"probability": outputs.ravel()}, index=index).reset_index(),
    }
    if model.head.linear:
        evidence, bias = model.evidence(output.encoded)  # (B, T, C), (C,)
        of_classes = [
            by_token_of(batch, {"evidence": values}).assign(**{"class": c, "bias": float(bias[c])})
            for c, values in enumerate(evidence.unbind(-1))
        ]
        tables["evidence"] = pd.concat(of_classes, ignore_index=True)
    return tables


def _example_rows(table: pd.DataFrame, options: Adversarial) -> set[int]:
    """Example documents: those of each predicted class with the farthest attention.

    Only confident predictions (p > 0.6 or p < 0.4 on the published pages), at the first epsilon.
    """
    confident = (table["probability"] - 0.5).abs() > 0.1
    candidates = table[(table["epsilon"] == options.epsilons[0]) & confident]
    ranked = candidates.sort_values(["last", "instance"], ascending=[False, True])
    return set(ranked.groupby("predicted")["instance"].head(options.examples))
