"""Documents with editable attention: weights, outputs and evidence for the examples page.

With a linear head logits(a) = sum of a * evidence + bias, so the page computes the model's output
for any weights. Pair models have no linear head; the page shows stored weights only.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from stages.papers.shared import reading
from stages.papers.shared.reading import Text
from stages.settings.params import Settings

STUDY = "jain-wallace"
PER_RUN = 2  # documents
RUN = ["dataset", "model", "seed"]
EXAMPLE = [*RUN, "instance"]
MEASURES = ("gradient", "leave_one_out")
LONGEST = 70  # documents of more tokens come last
DIGITS, SMALLEST = 6, 8  # digits and decimals kept: outputs are exact to well below 1e-4
ByExample = dict[tuple[Any, ...], pd.DataFrame]


def example_data(settings: Settings) -> dict[str, Any]:
    """Example documents of every data set or group, and the private sets, which have none."""
    epsilon = settings.analyses.adversarial.epsilons[0]
    shown: list[dict[str, Any]] = []
    private: list[str] = []
    for group in settings.analysed("adversarial", STUDY):
        corpora = reading.corpora_of(STUDY, settings.members(group))
        private += [name for name, corpus in corpora.items() if corpus.private]
        read = ("examples", "outputs", "evidence")
        parts = {name: _by_example("adversarial", group, name) for name in read}
        parts["measures"] = _by_example("correlation", group, "tokens")
        instances = reading.joined("adversarial", STUDY, [group], "instances")
        rows = chosen(instances[instances["epsilon"] == epsilon], parts["examples"])
        for name, chosen_rows in rows.groupby("dataset", sort=False):
            words = reading.words(STUDY, str(name), chosen_rows["instance"].astype(int).unique())
            labels = corpora[str(name)].labels
            shown += [
                _example(row, parts, words[row["instance"]], labels)
                for row in chosen_rows.to_dict("records")
                if row["instance"] in words
            ]
    return {"epsilon": epsilon, "private": private, "shown": shown}


def _by_example(analysis: str, group: str, name: str) -> ByExample:
    """A table of an analysis by run and document; empty where no head is linear."""
    table = reading.joined(analysis, STUDY, [group], name)
    return dict(list(table.groupby(EXAMPLE))) if len(table) else {}


def chosen(instances: pd.DataFrame, kept: ByExample) -> pd.DataFrame:
    """Up to PER_RUN documents of each run: short ones first, predicted classes in turn."""
    rows = instances.merge(pd.DataFrame(list(kept), columns=EXAMPLE))
    rows = rows.assign(long=rows["length"] > LONGEST).sort_values(
        [*RUN, "long", "last", "instance"], ascending=[True] * 4 + [False, True]
    )
    rows["turn"] = rows.groupby([*RUN, "predicted"]).cumcount()
    rows = rows.sort_values([*RUN, "turn", "predicted"], kind="stable")
    return rows.groupby(RUN, sort=False).head(PER_RUN)


def _example(
    row: dict[str, Any], parts: Mapping[str, ByExample], text: Text, labels: Sequence[str]
) -> dict[str, Any]:
    key = tuple(row[name] for name in EXAMPLE)
    weights = parts["examples"][key].sort_values("position")
    variants = [name for name in weights if name == "original" or name.startswith("adversary_")]
    strips = {name: weights[name] for name in (*variants, "permutation")}
    if key in parts["measures"]:
        measures = parts["measures"][key].sort_values("position")
        strips |= {name: measures[name].abs() for name in MEASURES}
    evidence, bias = None, None
    if key in parts["evidence"]:
        rows = parts["evidence"][key]
        wide = rows.pivot(index="position", columns="class", values="evidence")  # (T, C)
        evidence = [_short(line) for line in wide.to_numpy()]
        bias = _short(rows.groupby("class")["bias"].first())
    outputs = parts["outputs"][key].sort_values("class", kind="stable")
    outputs_by_variant = outputs.groupby("variant", sort=False)["probability"]
    return {
        "id": f"{row['dataset']}+{row['model']}+{row['instance']}",
        "dataset": row["dataset"],
        "model": row["model"],
        "instance": int(row["instance"]),
        "words": list(text[0]),
        "question": text[1],
        "truth": labels[int(row["label"])],
        "labels": list(labels),
        "strips": {name: _short(values) for name, values in strips.items()},
        "outputs": {str(name): _short(values) for name, values in outputs_by_variant},
        "evidence": evidence,
        "bias": bias,
        "farthest": f"adversary_{int(row['candidate'])}" if row["feasible"] else None,
    }


def _short(values: Any) -> list[float]:
    rounded = np.asarray(values, np.float64).round(SMALLEST)
    return [float(f"{value:.{DIGITS}g}") for value in rounded]
