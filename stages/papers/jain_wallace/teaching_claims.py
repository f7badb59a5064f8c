"""Whose attention guides an MLP better: a trained model's or its adversary's (WP4)."""

import numpy as np
from numpy.typing import NDArray

from stages.papers.claims import Claim, Record, not_run, record, within
from stages.papers.jain_wallace.evidence import FEWEST, Results
from stages.settings.seeds import generator
from stages.statistics.bootstrap import of_statistic

Longs = NDArray[np.int64]


def better_teacher(claim: Claim, results: Results) -> Record:
    """WP4: the same documents and seeds; they are drawn anew together."""
    if not len(results.taught):
        return not_run(claim, "no entry of retrains: in params.yaml teaches a model of this study")
    keys = ["dataset", "seed", "instance", "label"]
    wide = results.taught.pivot_table(index=keys, columns="weights_of", values="predicted")
    wide = wide.dropna().reset_index()
    if len(wide) < FEWEST:
        return not_run(claim, "too few documents")
    columns = [wide[name].to_numpy() for name in ("label", "base", "adversary")]
    found = of_statistic(_gain, columns, generator(0, claim.id))
    label, base, adversary = columns
    told = f"F1 under the base's weights {_f1(label, base):.3f}"
    told += f", under the adversary's {_f1(label, adversary):.3f}"
    seeds = wide["seed"].nunique()
    return record(claim, found, within(found, low=0.0), f"{told}; {seeds} seeds of the base")


def _gain(label: Longs, base: Longs, adversary: Longs) -> float:
    return _f1(label, base) - _f1(label, adversary)


def _f1(label: Longs, said: Longs) -> float:
    """F1 of class 1."""
    both = float(((label == 1) & (said == 1)).sum())
    return 2 * both / max(float((label == 1).sum() + (said == 1).sum()), 1.0)
