"""Retrained adversaries as tidy tables: runs with AtteFa and its parts, documents, and epochs."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from stages.corpora.batching import Reader
from stages.counterfactual.retrained import AdversaryRun, Epoch
from stages.importance.tables import batches_with_outputs, described
from stages.nn.attention import AttentionModel
from stages.nn.metrics import accuracy, f1_positive, predicted
from stages.statistics.attefa import LARGEST, attefa

Floats = NDArray[np.float64]


def run_rows(run: AdversaryRun, reader: Reader, base: Floats, collapsed: float) -> pd.DataFrame:
    """One row for each selecting split; `base` are the base's outputs on the whole split."""
    outputs, labels = base[reader.rows], reader.labels
    rows = [
        {"selected_on": split, **_run_row(best, labels, collapsed)}
        for split, best in run.best.items()
    ]
    of_base = {"base_f1": f1_positive(outputs, labels), "base_accuracy": accuracy(outputs, labels)}
    return pd.DataFrame(rows).assign(**of_base, epochs=len(run.history))


def _run_row(best: Epoch, labels: NDArray[np.int64], collapsed: float) -> dict[str, Any]:
    test = best.test
    change, jsd = float(test.change.mean()), float(test.divergence.mean())
    spread = float(test.probabilities.std(0).max())
    return {
        "epoch": best.number,
        "loss": best.loss,
        "n": len(test.change),
        "f1": f1_positive(test.probabilities, labels),
        "accuracy": accuracy(test.probabilities, labels),
        # the paper halves the change of a single probability
        "tvd": change / 2 if test.probabilities.shape[1] == 1 else change,
        "stvd": change,
        "jsd": jsd,
        "sjsd": jsd / LARGEST,
        "attefa": attefa(change, jsd),
        "output_sd": spread,
        "collapsed": spread < collapsed,
    }


def document_rows(run: AdversaryRun, reader: Reader, base: Floats) -> pd.DataFrame:
    """Every test document at the best epoch on dev."""
    test = run.best["dev"].test
    return pd.DataFrame(
        {
            "instance": reader.rows,
            "label": reader.labels,
            "predicted": predicted(test.probabilities),
            "base_predicted": predicted(base[reader.rows]),
            "stvd": test.change,
            "jsd": test.divergence,
        }
    )


def base_table(model: AttentionModel, reader: Reader, filler: int | None) -> pd.DataFrame:
    """The base's largest weight and, with a filler word, its mass on all other words."""
    tables = []
    for batch, inputs, output in batches_with_outputs(model, reader, cap=None):
        mass = np.full(len(batch.rows), np.nan)
        if filler is not None:
            mass = (output.weights * (inputs.tokens != filler)).sum(1).double().numpy()
        tables.append(described(model, batch, output).assign(informative_mass=mass))
    return pd.concat(tables, ignore_index=True).sort_values("instance", ignore_index=True)
