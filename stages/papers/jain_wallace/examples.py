"""Figure 1 and the heat maps of Appendix D: the same answer under two attention distributions."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from stages.papers.jain_wallace.evidence import BASE, DOCUMENT, GRADIENT, Results, taus
from stages.papers.jain_wallace.tables import first_seed
from stages.papers.shared.reading import Text
from stages.papers.shared.results import of
from stages.papers.shared.strips import Strip, draw_strips
from stages.papers.shared.writing import Drawn

Words = Mapping[str, Mapping[int, Text]]  # data set -> document -> text
EPSILON = 0.01  # of the text; the figures have .05
LONGEST = 70  # tokens of a document that fits an example


def chosen(instances: pd.DataFrame, dataset: str, epsilon: float) -> pd.Series | None:
    """The short document whose attention moved farthest to another top word within epsilon."""
    rows = first_seed(of(instances[instances["epsilon"] == epsilon], dataset, BASE))
    rows = rows[rows["feasible"] & (rows["length"] > 3)]
    if rows.empty:
        return None
    sure = (rows["probability"] - 0.5).abs() > 0.1
    ranked = rows.assign(readable=rows["length"] <= LONGEST, sure=sure, first=-rows["instance"])
    order = ["readable", "sure", "other_top_token", "last", "first"]
    best: pd.Series = ranked.sort_values(order, ascending=False).iloc[0]
    return best


def draw_examples(
    results: Results, weights: pd.DataFrame, words: Words, panels: Sequence[str]
) -> Drawn:
    """Two strips for each panel that has an example, and the numbers in them."""
    drawn: list[Strip] = []
    numbers: list[pd.DataFrame] = []
    gradient = taus(results, BASE, GRADIENT)
    for panel, name in results.panels.items():
        if panel not in panels or not words.get(name):
            continue
        shown = first_seed(of(weights, name, BASE))
        kept = set(words[name]) & set(shown["instance"])  # other models have other documents
        instances = results.adversaries
        instances = instances[instances["instance"].isin(kept)]
        row = chosen(instances[instances["seed"].isin(shown["seed"])], name, EPSILON)
        if row is None:
            continue
        shown = shown[shown["instance"] == row["instance"]].sort_values("position")
        text, question = words[name][int(row["instance"])]
        title = results.title(panel)
        title += f"   asked: {question}" if question else ""
        rival = f"adversary_{row['candidate']}"
        pair = shown["original"].to_numpy(), shown[rival].to_numpy()
        most = [f"largest weight {weights.max():.2f}" for weights in pair]
        change = f"|Δŷ| = {row['change']:.3f}, JSD {row['last']:.2f}, {most[1]}"
        place = tuple(row[DOCUMENT])
        tau = gradient[name].set_index(DOCUMENT)["tau"].get(place, np.nan)
        shuffled = of(results.shuffled, name, BASE).set_index(DOCUMENT)["median"].get(place, np.nan)
        answer = f"ŷ = {row['probability']:.2f}, {most[0]}, τ with gradients {tau:.2f}"
        answer += f", median |Δŷ| when shuffled {shuffled:.3f}"
        drawn += [
            Strip(f"original, {answer}", list(text), pair[0], title),
            Strip(f"adversarial, {change}", list(text), pair[1]),
        ]
        about = {key: row[key] for key in ("dataset", "instance", "change")}
        about |= {"tau_gradient": tau, "median_change": shuffled}
        columns = {"position": "position", "original": "original", rival: "adversarial"}
        numbers.append(shown[[*columns]].rename(columns=columns).assign(**about))
    return draw_strips(drawn), pd.concat(numbers, ignore_index=True) if numbers else pd.DataFrame()
