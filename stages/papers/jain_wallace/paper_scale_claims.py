"""Claims of Jain & Wallace 2019 that only the papers' own data, or all of it, can decide."""

import numpy as np
import pandas as pd

from stages.papers.claims import Claim, Record, every_row, not_run, record, within
from stages.papers.jain_wallace import evidence as found_in
from stages.papers.jain_wallace.evidence import FEWEST, Results
from stages.papers.scores import PUBLISHED
from stages.statistics.bootstrap import Interval
from stages.statistics.ranks import WIDTH

MIMIC = "Diabetes is made of MIMIC-III, which may not be passed on; run it from your own copy"


def precise_tokens_matter(claim: Claim, results: Results) -> Record:
    """JW10: how much more shuffling moves the positive class of Diabetes than the negative."""
    rows = results.shuffled[results.shuffled["dataset"] == "diabetes"]
    rows = found_in.cell(rows, "diabetes", "bilstm")
    classes = [rows.loc[rows["predicted"] == k, "median"].to_numpy(float) for k in (1, 0)]
    if min(map(len, classes)) < FEWEST:
        return not_run(claim, MIMIC)
    found = found_in.difference(*classes, "diabetes", claim.id)
    told = ", ".join(f"{np.median(v):.2f} (n {len(v)})" for v in classes)
    return record(claim, found, within(found, low=0.0), f"medians of positive, negative: {told}")


def scores_as_printed(claim: Claim, results: Results, scale: str) -> Record:
    """JW16: ours minus print, on every set, all of it, trained to the end."""
    if scale != "paper":
        return not_run(
            claim,
            f"scale is {scale}: the scores of Table 1 are of the papers' own data, all of it, "
            "trained to the end; Table 1 of this report shows ours beside them",
        )
    printed = pd.read_csv(PUBLISHED, keep_default_na=False)
    printed = printed[
        (printed["study"] == "jain-wallace") & (printed["model"] == "bilstm-additive")
    ]
    rows = {}
    for entry in printed.to_dict("records"):
        ours = results.models[
            (results.models["dataset"] == entry["dataset"])
            & (results.models["model"] == "bilstm-additive")
        ]
        if len(ours):
            value, n = float(ours[entry["metric"]].iloc[0]), int(ours["n"].iloc[0])
            error = WIDTH * float(np.sqrt(max(value * (1 - value), 0.0) / n))
            gap = value - float(entry["published"])
            rows[entry["dataset"]] = Interval(gap, gap - error, gap + error, n)
    return every_row(claim, rows, abs, low=-0.05, high=0.05)
