"""Figure 1 and the heat maps of Appendix D: the same answer under two attention distributions."""

from collections.abc import Mapping, Sequence

import pandas as pd

from stages.papers.jain_wallace.evidence import model_rows
from stages.papers.jain_wallace.panels import PANELS, heading
from stages.papers.shared.strips import Strip

Text = tuple[Sequence[str], str]  # the words of a document, and the question about it
Words = Mapping[str, Mapping[int, Text]]  # data set -> document -> text
LONGEST = 70  # tokens of a document that fits an example


def chosen(instances: pd.DataFrame, dataset: str, epsilon: float) -> pd.Series | None:
    """The short document whose attention moved farthest to another top word within epsilon."""
    rows = model_rows(instances[instances["epsilon"] == epsilon], dataset, "bilstm")
    rows = rows[rows["feasible"] & (rows["length"] > 3)]
    if rows.empty:
        return None
    ranked = rows.assign(
        readable=rows["length"] <= LONGEST,
        sure=(rows["probability"] - 0.5).abs() > 0.1,
    ).sort_values(
        ["readable", "sure", "other_top_token", "last", "instance"],
        ascending=[False, False, False, False, True],
    )
    first: pd.Series = ranked.iloc[0]
    return first


def strips(
    instances: pd.DataFrame,
    weights: pd.DataFrame,
    words: Words,
    epsilon: float,
    keys: Sequence[str],
) -> tuple[list[Strip], pd.DataFrame]:
    """Two strips for each panel that has an example, and the numbers in them."""
    drawn: list[Strip] = []
    numbers: list[pd.DataFrame] = []
    for panel in PANELS:
        name = panel.dataset(words)
        if panel.key not in keys or name is None:
            continue
        shown = model_rows(weights, name, "bilstm")
        kept = set(words[name]) & set(shown["instance"])  # other models have other documents
        row = chosen(instances[instances["instance"].isin(kept)], name, epsilon)
        if row is None:
            continue
        shown = shown[shown["instance"] == row["instance"]].sort_values("position")
        text, question = words[name][int(row["instance"])]
        title = heading(panel, name) + (f"   asked: {question}" if question else "")
        rival = f"adversary_{row['candidate']}"
        pair = shown["original"].to_numpy(), shown[rival].to_numpy()
        most = [f"largest weight {weights.max():.2f}" for weights in pair]
        change = f"|Δŷ| = {row['change']:.3f}, JSD {row['last']:.2f}, {most[1]}"
        answer = f"ŷ = {row['probability']:.2f}, {most[0]}"
        drawn += [
            Strip(f"original, {answer}", list(text), pair[0], title),
            Strip(f"adversarial, {change}", list(text), pair[1]),
        ]
        columns = {"original": shown["original"], "adversarial": shown[rival]}
        table = pd.DataFrame({"position": shown["position"], **columns})
        numbers.append(table.assign(dataset=name, instance=row["instance"], change=row["change"]))
    return drawn, pd.concat(numbers, ignore_index=True) if numbers else pd.DataFrame()
