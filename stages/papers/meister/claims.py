"""Measurements for the claims of Meister et al. 2021; claims.yaml states what they decide."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from stages.papers.meister.evidence import (
    Results,
    by_lambda,
    dataset_encoders,
    of,
    tau_of,
    trend,
)
from stages.papers.meister.panels import ENCODERS, MODELS
from stages.papers.shared.rules import Row, row_of

CLAIMS = Path(__file__).with_name("claims.yaml")
INPUTS, STATES = "gradient_input", "gradient_state"
Rows = list[Row | None]


def _models(results: Results) -> list[tuple[str, str]]:
    """(data set, model) of the paper's four models."""
    present = set(zip(results.instances["dataset"], results.instances["model"], strict=True))
    return [(d, m) for d in results.panels.values() for m in MODELS if (d, m) in present]


def contextual_states(results: Results) -> tuple[Rows, str]:
    """M1."""
    return [
        row_of(f"{name} {model}", of(results.instances, name, model), "entropy_states")
        for name, model in _models(results)
    ], ""


def as_contextual_when_sparse(results: Results) -> tuple[Rows, str]:
    """M2: the same documents and seeds under both projections."""
    rows: Rows = []
    for name, encoder in dataset_encoders(results):
        sparse, dense = (
            of(results.instances, name, f"{encoder}-{kind}").set_index(["seed", "instance"])
            for kind in ("sparsemax", "softmax")
        )
        gap = (sparse["entropy_states"] - dense["entropy_states"]).rename("gap").reset_index()
        rows.append(row_of(f"{name} {encoder}", gap, "gap"))
    return rows, ""


def states_over_inputs(results: Results) -> tuple[Rows, str]:
    """M3; with attention held constant the agreement with states is 1 by construction."""
    rows: Rows = []
    held = []
    for name, model in _models(results):
        taus = of(results.taus, name, model)
        gap = (tau_of(taus, STATES) - tau_of(taus, INPUTS)).reset_index()
        rows.append(row_of(f"{name} {model}", gap, "tau"))
        held.append(float(tau_of(taus, f"{STATES}_held").mean()))
    mean = sum(held) / len(held) if held else float("nan")
    return rows, f"With attention held fixed, mean agreement with states {mean:.2f}" if held else ""


def spread_whatever_the_projection(results: Results) -> tuple[Rows, str]:
    """M4: gradients and leave-one-out, every projection and lambda."""
    rows: Rows = []
    for key, group in results.instances.groupby(
        ["dataset", "model", "value"], sort=False, dropna=False
    ):
        if str(key[1]).startswith(tuple(ENCODERS)):
            scale = "" if pd.isna(key[2]) else f"@{key[2]:g}"
            for column in ("entropy_gradient_input", "entropy_without_input"):
                rows.append(row_of(f"{key[0]} {key[1]}{scale} {column[8:]}", group, column))
    chance = results.instances["entropy_chance"].mean()
    return rows, f"Chance (a flat Dirichlet draw) has {chance:.2f}" if rows else ""


def _trends(results: Results, column: str) -> tuple[Rows, str]:
    return [
        trend(f"{dataset} {encoder}", by_lambda(results.instances, dataset, encoder), column)
        for dataset, encoder in dataset_encoders(results)
    ], ""


def entropy_by_lambda(results: Results) -> tuple[Rows, str]:
    """M5, M5b."""
    return _trends(results, "entropy_gradient_input")


def support_by_lambda(results: Results) -> tuple[Rows, str]:
    """M6."""
    return _trends(results, "support")


def agreement_by_lambda(results: Results) -> tuple[Rows, str]:
    """M7: IMDb; the note has the trends with scores, which have no ties."""
    name = results.panels.get("IMDb", "")
    rows: dict[str, Rows] = {"weight": [], "score": []}
    for encoder in ENCODERS:
        for measure in ("gradient_input", "without_input"):
            for what, some in rows.items():
                chosen = (results.taus["measure"] == measure) & (results.taus["of"] == what)
                lambdas = by_lambda(results.taus[chosen], name, encoder)
                some.append(trend(f"{encoder} {measure}", lambdas, "tau"))
    scores = ", ".join(f"{row.row} {row.value:.2f}" for row in rows["score"] if row is not None)
    return rows["weight"], f"With scores instead of weights: {scores}" if scores else ""


def weak_agreement(results: Results) -> tuple[Rows, str]:
    """M8."""
    return [
        row_of(
            f"{name} {model} {measure}",
            tau_of(of(results.taus, name, model), measure).reset_index(),
            "tau",
        )
        for name, model in _models(results)
        for measure in (INPUTS, "without_input")
    ], ""


def moved_attention(results: Results, *kinds: str) -> tuple[Rows, str]:
    """M9: accuracy under the farthest attention minus accuracy under the model's own."""
    rows: Rows = []
    distances = []
    for name, model in _models(results):
        if model.split("-")[1] in kinds:
            chosen = of(results.instances, name, model)
            drop = chosen.assign(drop=chosen["farthest_correct"] - chosen["correct"])
            rows.append(row_of(f"{name} {model}", drop, "drop"))
            distances.append(float(chosen["farthest_jsd"].mean()))
    far = sum(distances) / len(distances) if distances else 0.0
    return rows, f"Mean divergence of the moved attention {far:.2f} of at most 0.69" if rows else ""


def retrained(results: Results, kind: str) -> tuple[Rows, str]:
    """M10: adversaries whose mean divergence is above .5; nearer ones test nothing."""
    rows: Rows = []
    near = []
    for name, model in _models(results):
        if model.split("-")[1] == kind and len(results.retrained):
            chosen = of(results.retrained, name, model)
            right = (chosen["predicted"] == chosen["label"]).astype(float)
            cost = right - (chosen["base_predicted"] == chosen["label"]).astype(float)
            distance = float(chosen["jsd"].mean())
            if distance > 0.5:
                rows.append(row_of(f"{name} {model}", chosen.assign(cost=cost), "cost"))
            elif len(chosen):
                near.append(f"{name} {model} {distance:.2f}")
    return rows, f"Too near to test, divergence: {', '.join(near)}" if near else ""


def both_when_sparse(results: Results) -> tuple[Rows, str]:
    """M11: decided by the moved attention; the note has the retrained adversaries."""
    rows, note = moved_attention(results, "sparsemax")
    adversaries, _ = retrained(results, "sparsemax")
    costs = [f"{row.row} {row.value:.2f}" for row in adversaries if row is not None]
    again = f"Retrained adversaries: {', '.join(costs)}" if costs else "No adversary was retrained"
    return rows, f"{note}. {again}"


def closed_form(results: Results) -> tuple[Rows, str]:
    """M12: a maximum, so its interval is the number itself."""
    sparse = results.instances[results.instances["projection_gap"].notna()]
    if not len(sparse):
        return [], ""
    worst = float(sparse["projection_gap"].max())
    runs = sparse.groupby(["dataset", "model", "value", "seed"], dropna=False).ngroups
    counts = (len(sparse), runs, sparse["seed"].nunique())
    return [Row("all sparse projections", worst, worst, worst, *counts)], "float32"


def mass_on_support(results: Results) -> tuple[Rows, str]:
    """M13."""
    rows: Rows = []
    for name, encoder in dataset_encoders(results):
        chosen = of(results.instances, name, f"{encoder}-sparsemax")
        gain = chosen.assign(gain=chosen["mass_on_support"] - chosen["support"])
        rows.append(row_of(f"{name} {encoder}", gain, "gain"))
    return rows, ""


MEASUREMENTS: dict[str, Callable[[Results], tuple[Rows, str]]] = {
    "M1": contextual_states,
    "M2": as_contextual_when_sparse,
    "M3": states_over_inputs,
    "M4": spread_whatever_the_projection,
    "M5": entropy_by_lambda,
    "M5b": entropy_by_lambda,
    "M6": support_by_lambda,
    "M7": agreement_by_lambda,
    "M8": weak_agreement,
    "M9": lambda results: moved_attention(results, "softmax", "sparsemax"),
    "M10": lambda results: retrained(results, "softmax"),
    "M11": both_when_sparse,
    "M12": closed_form,
    "M13": mass_on_support,
}
