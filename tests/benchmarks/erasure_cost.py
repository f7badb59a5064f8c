"""What erasing along every ranking costs, by the length of documents.

`python -m tests.benchmarks.erasure_cost` writes reports/benchmarks/erasure-cost.csv and .svg.
"""

from pathlib import Path

import pandas as pd
import torch
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from stages.counterfactual.erasure import RANKINGS, Documents, first_flip
from stages.papers.style import save_svg
from tests.benchmarks.measuring import seconds
from tests.small import literal_flip

CLASSES, LENGTHS = 10, (50, 200, 800)
FOLDER = Path("reports/benchmarks")


def documents(count: int, length: int) -> Documents:
    """Drawn documents with peaked weights whose decision flips late, as those of the paper do."""
    draw = torch.Generator().manual_seed(length)
    weights = (3 * torch.randn(count, length, generator=draw)).softmax(1)
    evidence = torch.randn(count, length, CLASSES, generator=draw)
    evidence[:, :, 0] += 2  # most items speak for one class
    mask = torch.ones(count, length, dtype=torch.bool)
    return Documents.of(weights, evidence, torch.zeros(CLASSES), mask)


def erase(given: Documents) -> list[torch.Tensor]:
    """First flips along every ranking."""
    ranks = given.importance()
    return [first_flip(given, given.order(ranks[name]), given.bias).count for name in RANKINGS]


def erase_one_by_one(given: Documents) -> list[list[int]]:
    """The same, document by document."""
    ranks = given.importance()
    found = []
    for name in RANKINGS:
        order = given.order(ranks[name]).numpy()
        parts = (given.weights.numpy(), given.evidence.numpy(), order)
        found.append(
            [literal_flip(w, e, given.bias.numpy(), o) for w, e, o in zip(*parts, strict=True)]
        )
    return found


def measured(count: int = 500) -> pd.DataFrame:
    """Microseconds for a document and for a token of it, at each length."""
    rows = []
    for length in LENGTHS:
        given = documents(count, length)
        erase(given)
        taken = 1e6 * seconds(lambda given=given: erase(given)) / count
        rows.append({"tokens": length, "microseconds": taken, "per_token": taken / length})
    return pd.DataFrame(rows).round(3)


def draw(table: pd.DataFrame) -> Figure:
    """Cost against length, with the line of equal cost per token."""
    figure, axis = plt.subplots(figsize=(4.6, 3.4), layout="constrained")
    axis.plot(table["tokens"], table["microseconds"], "o-", label="measured")
    even = table["per_token"].iloc[0] * table["tokens"]
    axis.plot(table["tokens"], even, "--", color="#777777", label="linear in tokens")
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xticks(LENGTHS, map(str, LENGTHS))
    axis.minorticks_off()
    axis.set_xlabel("Tokens of a document")
    axis.set_ylabel("Microseconds, four rankings")
    axis.grid(lw=0.5)
    axis.legend(fontsize=8)
    return figure


def main() -> None:
    """Measure, print and write."""
    torch.set_num_threads(1)
    table = measured()
    print(table.to_string(index=False))
    FOLDER.mkdir(parents=True, exist_ok=True)
    table.to_csv(FOLDER / "erasure-cost.csv", index=False)
    save_svg(draw(table), FOLDER / "erasure-cost.svg")


if __name__ == "__main__":
    main()
