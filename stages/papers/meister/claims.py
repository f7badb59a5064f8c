"""Measurements for the claims of Meister et al. 2021; claims.yaml states what they decide."""

from dataclasses import replace

import pandas as pd

from stages.papers.meister.evidence import Results, difference, tau_of, trend, with_lambda
from stages.papers.meister.panels import ENCODERS
from stages.papers.shared.results import of
from stages.papers.shared.rows import Measured, Row, Rows, row_of

INPUTS, STATES = "gradient_input", "gradient_state"
FAR = 0.5  # mean divergence of a distant adversary, of at most ln 2
PARTS = ("support", "mass_on_support", "mass_of_top", "auc_gradient_input", "auc_without_input")


def by_model(results: Results, column: str, *projections: str) -> Rows:
    """M1; also the mean of another column of `instances`, for models with these projections."""
    return [
        row_of(f"{name} {model}", of(results.instances, name, model), column)
        for name, model in results.models(*projections)
    ]


def as_contextual_when_sparse(results: Results) -> Measured:
    """M2: the same documents and seeds under both projections."""
    rows: Rows = []
    for name, encoder in results.encoders():
        kinds = (f"{encoder}-{projection}" for projection in ("sparsemax", "softmax"))
        sparse, dense = (of(results.instances, name, kind) for kind in kinds)
        gaps = difference(sparse, dense, "entropy_states")
        label = f"{name} {encoder}-sparsemax minus {encoder}-softmax"
        rows.append(row_of(label, gaps, "difference"))
    return rows, ""


def states_over_inputs(results: Results) -> Measured:
    """M3; with attention held constant the agreement with states is 1 by construction."""
    rows: Rows = []
    for name, model in results.models():
        taus = of(results.taus, name, model)
        gaps = difference(tau_of(taus, STATES), tau_of(taus, INPUTS), "tau")
        rows.append(row_of(f"{name} {model}", gaps, "difference"))
    held = tau_of(results.taus, f"{STATES}_held")["tau"].mean()
    return rows, f"With attention held fixed, mean agreement with states {held:.2f}" if rows else ""


def spread_whatever_the_projection(results: Results) -> Measured:
    """M4: gradients and leave-one-out, every projection and lambda."""
    table = results.instances[results.instances["model"].str.startswith(tuple(ENCODERS))]
    rows: Rows = []
    for key, group in table.groupby(["dataset", "model", "value"], sort=False, dropna=False):
        scale = "" if pd.isna(key[2]) else f"@{key[2]:g}"
        for column in ("entropy_gradient_input", "entropy_without_input"):
            rows.append(row_of(f"{key[0]} {key[1]}{scale} {column[8:]}", group, column))
    chance = table["entropy_chance"].mean()
    return rows, f"Chance (a flat Dirichlet draw) has {chance:.2f}" if rows else ""


def by_lambda(results: Results, column: str) -> Measured:
    """M5, M5b, M6."""
    return [
        trend(f"{name} {encoder}-sparsegen", with_lambda(results.instances, name, encoder), column)
        for name, encoder in results.encoders()
    ], ""


def agreement_by_lambda(results: Results) -> Measured:
    """M7: IMDb; the note has the trends with scores, which have no ties."""
    name = results.panels.get("IMDb", "")
    rows: dict[str, Rows] = {"weight": [], "score": []}
    for encoder in ENCODERS:
        lambdas = with_lambda(results.taus, name, encoder)
        for measure in (INPUTS, "without_input"):
            for what, some in rows.items():
                label = f"{name} {encoder}-sparsegen {measure}"
                some.append(trend(label, tau_of(lambdas, measure, what), "tau"))
    scores = ", ".join(f"{row.row} {row.value:.2f}" for row in rows["score"] if row is not None)
    return rows["weight"], f"With scores instead of weights: {scores}" if scores else ""


def weak_agreement(results: Results) -> Measured:
    """M8."""
    return [
        row_of(f"{name} {model} {measure}", tau_of(of(results.taus, name, model), measure), "tau")
        for name, model in results.models()
        for measure in (INPUTS, "without_input")
    ], ""


def moved_attention(results: Results, projection: str) -> Measured:
    """M9, M11: accuracy under the farthest attention minus accuracy under the model's own.

    The note has Jain & Wallace's search, which also keeps the output and so costs little.
    """
    table = results.instances
    drops = {kind: table[f"{kind}_correct"] - table["correct"] for kind in ("farthest", "searched")}
    table = table.assign(**drops)
    chosen = [of(table, name, model) for name, model in results.models(projection)]
    if not chosen:
        return [], ""
    means = pd.concat(chosen).mean(numeric_only=True)
    return by_model(replace(results, instances=table), "farthest", projection), (
        f"Mean divergence {means['farthest_jsd']:.2f} of at most 0.69; a search that also keeps "
        f"the output reaches {means['searched_jsd']:.2f} at a cost of {means['searched']:.2f}"
    )


def retrained(results: Results, projection: str) -> Measured:
    """M10, M11b: of each model the adversary of the least strength that is distant.

    The least strength of all shows what training on fewer documents than the base costs.
    """
    rows: Rows = []
    notes = []
    for name, model in results.models(projection):
        chosen = of(results.retrained, name, model)
        if not len(chosen):
            continue
        right, base = (chosen[p] == chosen["label"] for p in ("predicted", "base_predicted"))
        chosen = chosen.assign(cost=right.astype(float) - base.astype(float))
        means = chosen.groupby("strength")[["jsd", "cost"]].mean()
        distant = means.index[means["jsd"] > FAR]
        if len(distant):
            adversary = chosen[chosen["strength"] == distant[0]]
            rows.append(row_of(f"{name} {model} strength {distant[0]:g}", adversary, "cost"))
        each = (f"{k:g}: {row['cost']:.2f} at {row['jsd']:.2f}" for k, row in means.iterrows())
        notes.append(f"Cost at divergence by strength, {name} {model}: {', '.join(each)}")
    return rows, ". ".join(notes)


def closed_form(results: Results) -> Measured:
    """M12: a maximum, so its interval is the number itself."""
    sparse = results.instances[results.instances["projection_gap"].notna()]
    worst = float(sparse["projection_gap"].max())
    runs = sparse.groupby(["dataset", "model", "value", "seed"], dropna=False).ngroups
    counts = (len(sparse), runs, sparse["seed"].nunique())
    return [Row("all sparse projections", worst, worst, worst, *counts)], "float32"


def coverage(results: Results) -> Measured:
    """M13: a ratio of means over documents, linearised for the bootstrap."""
    rows: Rows = []
    notes = [
        "Tokens with weight, their mass, that of the best as many; AUC by gradient and removal"
    ]
    for name, model in results.models("sparsemax"):
        chosen = of(results.instances, name, model)
        possible = chosen["mass_of_top"] - chosen["support"]
        if not possible.mean() > 0:  # every token has weight
            continue
        gained = chosen["mass_on_support"] - chosen["support"]
        ratio = gained.mean() / possible.mean()
        covered = ratio + (gained - ratio * possible) / possible.mean()
        rows.append(row_of(f"{name} {model}", chosen.assign(covered=covered), "covered"))
        notes.append(f"{name} {model} " + ", ".join(f"{chosen[part].mean():.2f}" for part in PARTS))
    return rows, "; ".join(notes) if rows else ""


def critical_sets(results: Results) -> Measured:
    """M13b: documents in which few tokens have weight and hold most of the gradient mass."""
    table = results.instances
    critical = (table["support"] <= 0.5) & (table["mass_on_support"] > 0.5)
    table = table.assign(critical=critical.astype(float))
    return by_model(replace(results, instances=table), "critical", "sparsemax"), ""
