"""Retrained adversaries as tidy rows: runs with AtteFa and its parts, documents, and the course."""

from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from stages.corpora.batching import Reader
from stages.counterfactual.retrained import Kept, Run, Seen
from stages.importance.tables import described
from stages.nn.attention import AttentionModel
from stages.nn.inputs import Inputs
from stages.nn.metrics import accuracy, f1_positive, predicted
from stages.statistics.attefa import LARGEST, attefa

Floats = NDArray[np.float64]


def run_rows(run: Run, reader: Reader, base: Floats, collapsed: float) -> pd.DataFrame:
    """One row for each split that chose an epoch; `base` are its outputs on the whole split."""
    said = base[reader.rows]
    of_base = {"base_f1": f1_positive(said, reader.labels)}
    of_base["base_accuracy"] = accuracy(said, reader.labels)
    rows = [
        {"selected_on": split, **_kept(kept, reader, collapsed), **of_base}
        for split, kept in run.kept.items()
    ]
    return pd.DataFrame(rows).assign(epochs=len(run.course))


def _kept(kept: Kept, reader: Reader, collapsed: float) -> dict[str, Any]:
    seen = _seen(kept)
    change, jsd = float(seen.change.mean()), float(seen.divergence.mean())
    spread = float(seen.said.std(0).max())
    return {
        "epoch": kept.epoch,
        "loss": kept.loss,
        "n": len(seen.change),
        "f1": f1_positive(seen.said, reader.labels),
        "accuracy": accuracy(seen.said, reader.labels),
        # the paper halves the change of a single probability
        "tvd": change / 2 if seen.said.shape[1] == 1 else change,
        "stvd": change,
        "jsd": jsd,
        "sjsd": jsd / LARGEST,
        "attefa": attefa(change, jsd),
        "output_sd": spread,
        "collapsed": spread < collapsed,
    }


def _seen(kept: Kept) -> Seen:
    assert kept.test is not None  # the first epoch is always better than none
    return kept.test


def document_rows(run: Run, reader: Reader, base: Floats) -> pd.DataFrame:
    """Every test document at the epoch that dev chose."""
    seen = _seen(run.kept["dev"])
    return pd.DataFrame(
        {
            "instance": reader.rows,
            "label": reader.labels,
            "predicted": predicted(seen.said),
            "base_predicted": predicted(base[reader.rows]),
            "stvd": seen.change,
            "jsd": seen.divergence,
        }
    )


def course_rows(run: Run) -> pd.DataFrame:
    """Losses, change and divergence by epoch."""
    return pd.DataFrame(run.course)


@torch.no_grad()
def base_table(model: AttentionModel, reader: Reader, filler: int | None) -> pd.DataFrame:
    """Where the base looks: its largest weight and, with a filler, its mass on all other words."""
    found = []
    for batch in reader.batches(128):
        output = model(Inputs.of(batch))
        mass = np.full(len(batch.rows), np.nan)
        if filler is not None:
            telling = torch.from_numpy(batch.tokens != filler)
            mass = (output.weights * telling).sum(1).double().numpy()
        found.append(described(model, batch, output).assign(informative_mass=mass))
    return pd.concat(found, ignore_index=True).sort_values("instance", ignore_index=True)
