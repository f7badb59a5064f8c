"""Claims of Jain & Wallace 2019 that need the paper's own data, or all of it."""

import numpy as np
import pandas as pd

from stages.papers.jain_wallace import evidence
from stages.papers.jain_wallace.evidence import FEWEST, Results
from stages.papers.shared.claims import Claim, Record, every_row, not_run, record, within
from stages.papers.shared.scores import PUBLISHED
from stages.statistics.bootstrap import Interval
from stages.statistics.ranks import WIDTH

MIMIC = "Diabetes is made of MIMIC-III, which may not be passed on; run it from your own copy"


def precise_tokens_matter(claim: Claim, results: Results) -> Record:
    """JW10: median change of the positive class of Diabetes minus that of the negative class."""
    rows = results.shuffled[results.shuffled["dataset"] == "diabetes"]
    rows = evidence.model_rows(rows, "diabetes", "bilstm")
    classes = [rows.loc[rows["predicted"] == k, "median"].to_numpy(float) for k in (1, 0)]
    if min(map(len, classes)) < FEWEST:
        return not_run(claim, MIMIC)
    interval = evidence.difference(*classes, "diabetes", claim.id)
    medians = ", ".join(f"{np.median(v):.2f} (n {len(v)})" for v in classes)
    reason = f"medians of positive, negative: {medians}"
    return record(claim, interval, within(interval, low=0.0), reason)


def scores_as_published(claim: Claim, results: Results, scale: str) -> Record:
    """JW16: our score minus the published one on every data set, at paper scale only."""
    if scale != "paper":
        return not_run(
            claim,
            f"scale is {scale}: the scores of Table 1 are of the papers' own data, all of it, "
            "trained to the end; Table 1 of this report shows ours beside them",
        )
    published = pd.read_csv(PUBLISHED, keep_default_na=False)
    published = published[
        (published["study"] == "jain-wallace") & (published["model"] == "bilstm-additive")
    ]
    rows = {}
    for entry in published.to_dict("records"):
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
