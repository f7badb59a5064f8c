"""WP4: F1 of an MLP guided by a trained model's attention, against by its adversary's."""

import numpy as np
from numpy.typing import NDArray

from stages.papers.jain_wallace.evidence import FEWEST, Results
from stages.papers.shared.claims import Claim, Record, not_run, record, within
from stages.settings.seeds import generator
from stages.statistics.bootstrap import of_statistic

Longs = NDArray[np.int64]


def base_guides_better(claim: Claim, results: Results) -> Record:
    """WP4: paired by document and seed, resampled in pairs."""
    if not len(results.guided):
        return not_run(claim, "no MLP was trained under the weights of this study's models")
    keys = ["dataset", "seed", "instance", "label"]
    wide = results.guided.pivot_table(index=keys, columns="weights_of", values="predicted")
    wide = wide.dropna().reset_index()
    if len(wide) < FEWEST:
        return not_run(claim, "too few documents")
    columns = [wide[name].to_numpy() for name in ("label", "base", "adversary")]
    interval = of_statistic(_gain, columns, generator(0, claim.id))
    label, base, adversary = columns
    reason = (
        f"F1 under the base's weights {_f1(label, base):.3f}, under the adversary's "
        f"{_f1(label, adversary):.3f}; {wide['seed'].nunique()} seeds of the base"
    )
    return record(claim, interval, within(interval, low=0.0), reason)


def _gain(label: Longs, base: Longs, adversary: Longs) -> float:
    return _f1(label, base) - _f1(label, adversary)


def _f1(label: Longs, predicted: Longs) -> float:
    """F1 of class 1."""
    both = float(((label == 1) & (predicted == 1)).sum())
    return 2 * both / max(float((label == 1).sum() + (predicted == 1).sum()), 1.0)
