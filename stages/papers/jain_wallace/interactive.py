"""Documents with editable attention: weights, outputs and evidence for the examples page.

With a linear head logits(a) = sum of a * evidence + bias, so the page computes the model's output
for any weights. Pair models have no linear head; the page shows stored weights only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from stages.papers.shared import reading
from stages.papers.shared.reading import Text
from stages.settings import paths
from stages.settings.params import Settings

STUDY = "jain-wallace"
PER_RUN = 2  # documents
RUN = ["dataset", "model", "seed"]
EXAMPLE = [*RUN, "instance"]
MEASURES = ("gradient", "leave_one_out")
LONGEST = 70  # documents of more tokens come last
DIGITS, SMALLEST = 6, 8  # digits and decimals kept: outputs are exact to well below 1e-4


@dataclass(frozen=True)
class Tables:
    """Tables of the adversarial and correlation analyses of some data sets."""

    instances: pd.DataFrame
    examples: pd.DataFrame  # weights by token
    outputs: pd.DataFrame  # probabilities by kind of weights
    evidence: pd.DataFrame  # empty where no head is linear
    tokens: pd.DataFrame  # other measures by token


def chosen(instances: pd.DataFrame, kept: pd.DataFrame, epsilon: float, most: int) -> pd.DataFrame:
    """Up to `most` documents of each run: short ones first, predicted classes in turn."""
    rows = instances[instances["epsilon"] == epsilon].merge(kept[EXAMPLE].drop_duplicates())
    rows = rows.assign(long=rows["length"] > LONGEST)
    rows = rows.sort_values(
        [*RUN, "long", "last", "instance"], ascending=[True] * 4 + [False, True]
    )
    rows["turn"] = rows.groupby([*RUN, "predicted"]).cumcount()
    rows = rows.sort_values([*RUN, "turn", "predicted"], kind="stable")
    return rows.groupby(RUN, sort=False).head(most).drop(columns=["long", "turn"])


def gathered(
    tables: Tables,
    words: Mapping[str, Mapping[int, Text]],
    labels: Mapping[str, Sequence[str]],
    epsilon: float,
    most: int,
) -> list[dict[str, Any]]:
    """The chosen documents whose words may be shown, each with the data of its strips."""
    rows = chosen(tables.instances, tables.examples, epsilon, most)
    parts = {
        name: dict(list(table.groupby(EXAMPLE)))
        for name, table in (
            ("weights", tables.examples),
            ("outputs", tables.outputs),
            ("evidence", tables.evidence),
            ("measures", tables.tokens),
        )
        if len(table)
    }
    return [
        _example(row, parts, words[row["dataset"]][row["instance"]], labels[row["dataset"]])
        for row in rows.to_dict("records")
        if row["instance"] in words.get(row["dataset"], {})
    ]


def _example(
    row: dict[str, Any],
    parts: Mapping[str, Mapping[tuple[Any, ...], pd.DataFrame]],
    text: Text,
    labels: Sequence[str],
) -> dict[str, Any]:
    key = tuple(row[name] for name in EXAMPLE)
    weights = parts["weights"][key].sort_values("position")
    variants = [name for name in weights if name == "original" or name.startswith("adversary_")]
    strips = {name: weights[name] for name in (*variants, "permutation")}
    measures = parts.get("measures", {}).get(key)
    if measures is not None:
        measures = measures.sort_values("position")
        strips |= {name: measures[name].abs() for name in MEASURES}
    evidence = parts.get("evidence", {}).get(key)
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
        "outputs": _outputs(parts["outputs"][key]),
        "evidence": None if evidence is None else _evidence(evidence),
        "bias": None if evidence is None else _bias(evidence),
        "farthest": f"adversary_{int(row['candidate'])}" if row["feasible"] else None,
    }


def _outputs(rows: pd.DataFrame) -> dict[str, list[float]]:
    """Probabilities (C,) under each kind of weights."""
    ordered = rows.sort_values("class", kind="stable")
    return {
        str(name): _short(group["probability"])
        for name, group in ordered.groupby("variant", sort=False)
    }


def _evidence(rows: pd.DataFrame) -> list[list[float]]:
    """Evidence of each token for each class (T, C)."""
    wide = rows.pivot(index="position", columns="class", values="evidence")
    return [_short(line) for line in wide.to_numpy()]


def _bias(rows: pd.DataFrame) -> list[float]:
    return _short(rows.groupby("class")["bias"].first())


def _short(values: Any) -> list[float]:
    return [
        float(f"{value:.{DIGITS}g}") for value in np.asarray(values, np.float64).round(SMALLEST)
    ]


def example_data(settings: Settings) -> dict[str, Any]:
    """Example documents of every data set or group, and the private sets, which have none."""
    epsilon = settings.analyses.adversarial.epsilons[0]
    shown: list[dict[str, Any]] = []
    private: list[str] = []
    for group in settings.analysed("adversarial", STUDY):
        tables = _tables(group)
        corpora = reading.corpora_of(STUDY, settings.members(group))
        private += [name for name, corpus in corpora.items() if corpus.private]
        rows = chosen(tables.instances, tables.examples, epsilon, PER_RUN)
        kept = rows.groupby("dataset")["instance"].unique()
        words = {
            str(name): reading.words(STUDY, str(name), [int(row) for row in instances])
            for name, instances in kept.items()
        }
        labels = {name: corpus.labels for name, corpus in corpora.items()}
        shown += gathered(tables, words, labels, epsilon, PER_RUN)
    return {"epsilon": epsilon, "private": private, "shown": shown}


def _tables(group: str) -> Tables:
    """The tables of one data set or group; only linear heads have evidence."""

    def table(analysis: str, name: str) -> pd.DataFrame:
        return reading.joined(analysis, STUDY, [group], name)

    evidence = paths.results("adversarial", STUDY, group) / "evidence.parquet"
    return Tables(
        table("adversarial", "instances"),
        table("adversarial", "examples"),
        table("adversarial", "outputs"),
        table("adversarial", "evidence") if evidence.is_file() else pd.DataFrame(),
        table("correlation", "tokens")[[*EXAMPLE, "position", *MEASURES]],
    )
