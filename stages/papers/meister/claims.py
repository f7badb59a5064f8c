"""Verdicts on the claims of Meister et al. 2021. The statements are in statements.csv."""

import pandas as pd

from stages.papers.meister.evidence import (
    Results,
    by_lambda,
    dataset_encoders,
    mean_of,
    of,
    paired,
    tau_of,
    trend,
)
from stages.papers.meister.panels import ENCODERS, MODELS
from stages.papers.shared.claims import (
    NOT_RUN,
    Claim,
    Record,
    every_row,
    everywhere,
    listed,
    not_run,
    record,
    within,
)
from stages.statistics.bootstrap import Interval

INPUTS, STATES = "gradient_input", "gradient_state"


def _each_model(results: Results) -> list[tuple[str, str]]:
    """(data set, model) of the paper's four models."""
    present = set(zip(results.instances["dataset"], results.instances["model"], strict=True))
    return [(d, m) for d in results.panels.values() for m in MODELS if (d, m) in present]


def _means(results: Results, column: str) -> dict[str, Interval]:
    means = {
        f"{name} {model}": mean_of(of(results.instances, name, model)[column], name, model, column)
        for name, model in _each_model(results)
    }
    return {row: interval for row, interval in means.items() if interval.n}


def contextual_states(claim: Claim, results: Results) -> Record:
    """M1."""
    return every_row(claim, _means(results, "entropy_states"), lambda value: -value, low=0.5)


def as_contextual_when_sparse(claim: Claim, results: Results) -> Record:
    """M2: sparsemax minus softmax, the same documents."""
    rows = {}
    for name, encoder in dataset_encoders(results):
        one, other = (
            of(results.instances, name, f"{encoder}-{kind}").set_index(["seed", "instance"])
            for kind in ("sparsemax", "softmax")
        )
        gap = paired(one["entropy_states"], other["entropy_states"])
        interval = mean_of(gap, name, encoder, "M2")
        if interval.n:
            rows[f"{name} {encoder}"] = interval
    return every_row(claim, rows, lambda value: -value, low=-0.02)


def states_over_inputs(claim: Claim, results: Results) -> Record:
    """M3; with attention held constant the agreement with states is 1 by construction."""
    rows, held = {}, {}
    for name, model in _each_model(results):
        taus = of(results.taus, name, model)
        gap = paired(tau_of(taus, STATES), tau_of(taus, INPUTS))
        interval = mean_of(gap, name, model, "M3")
        if interval.n:
            rows[f"{name} {model}"] = interval
            held[f"{name} {model}"] = mean_of(tau_of(taus, f"{STATES}_held"), name, model, "held")
    entry = every_row(claim, rows, lambda value: -value, low=0.0)
    note = f"With attention held fixed, agreement with states: {listed(held)}"
    return entry | {"reason": f"{entry['reason']}. {note}"}


def spread_whatever_the_projection(claim: Claim, results: Results) -> Record:
    """M4: gradients and leave-one-out, every projection and lambda."""
    rows = {}
    keys = ["dataset", "model", "value"]
    for key, group in results.instances.groupby(keys, sort=False, dropna=False):
        if not str(key[1]).startswith(tuple(ENCODERS)):
            continue
        for column in ("entropy_gradient_input", "entropy_without_input"):
            interval = mean_of(group[column], *map(str, key), column)
            if interval.n:
                scale = "" if pd.isna(key[2]) else f"@{key[2]:g}"
                rows[f"{key[0]} {key[1]}{scale} {column[8:]}"] = interval
    entry = every_row(claim, rows, lambda value: -value, low=0.5)
    chance = results.instances["entropy_chance"].mean()
    note = f"Chance (a flat Dirichlet draw) has {chance:.2f}"
    return entry | {"reason": f"{entry['reason']}. {note}"}


def _trends(results: Results, table: pd.DataFrame, column: str, name: str) -> dict[str, Interval]:
    trends = {
        f"{dataset} {encoder}": trend(
            by_lambda(table, dataset, encoder), column, dataset, encoder, name
        )
        for dataset, encoder in dataset_encoders(results)
    }
    return {row: interval for row, interval in trends.items() if interval.n}


def entropy_rises(claim: Claim, results: Results) -> Record:
    """M5: decided as in the prose (all above 0); Table 2 has all below 0."""
    rows = _trends(results, results.instances, "entropy_gradient_input", "M5")
    entry = every_row(claim, rows, lambda value: -value, low=0.0)
    falls = sum(within(interval, high=0.0) == "holds" for interval in rows.values())
    rises = sum(within(interval, low=0.0) == "holds" for interval in rows.values())
    note = (
        f"Which sentence do the data support? Entropy rises with lambda (prose) in {rises} of "
        f"{len(rows)} rows, falls (Table 2) in {falls}"
    )
    return entry | {"reason": f"{entry['reason']}. {note}"}


def scale_controls_sparsity(claim: Claim, results: Results) -> Record:
    """M6: support falls as lambda grows."""
    rows = _trends(results, results.instances, "support", "M6")
    return every_row(claim, rows, lambda value: value, high=0.0)


def agreement_falls(claim: Claim, results: Results) -> Record:
    """M7: IMDb; the reason also has the trends with scores, which have no ties."""
    name = results.panels.get("IMDb", "")
    rows: dict[str, Interval] = {}
    control: dict[str, Interval] = {}
    for encoder in ENCODERS:
        for measure in ("gradient_input", "without_input"):
            for what, kept in (("weight", rows), ("score", control)):
                table = results.taus[
                    (results.taus["measure"] == measure) & (results.taus["of"] == what)
                ]
                interval = trend(
                    by_lambda(table, name, encoder), "tau", name, encoder, measure, what
                )
                if interval.n:
                    kept[f"{encoder} {measure}"] = interval
    entry = every_row(claim, rows, lambda value: value, high=0.0)
    return entry | {
        "reason": f"{entry['reason']}. With scores instead of weights: {listed(control)}"
    }


def weak_agreement(claim: Claim, results: Results) -> Record:
    """M8."""
    rows = {}
    for name, model in _each_model(results):
        for measure in (INPUTS, "without_input"):
            interval = mean_of(tau_of(of(results.taus, name, model), measure), name, model, measure)
            if interval.n:
                rows[f"{name} {model} {measure}"] = interval
    return every_row(claim, rows, lambda value: value, high=0.5)


def moved_attention_costs(claim: Claim, results: Results, kinds: tuple[str, ...]) -> Record:
    """M9, M11: accuracy under the farthest attention minus accuracy under the model's own."""
    rows, moved = {}, []
    for name, model in _each_model(results):
        if model.split("-")[1] in kinds:
            chosen = of(results.instances, name, model)
            drop = chosen["farthest_correct"] - chosen["correct"]
            interval = mean_of(drop, name, model, "M9")
            if interval.n:
                rows[f"{name} {model}"] = interval
                moved.append(chosen["farthest_jsd"].mean())
    if not rows:
        return not_run(claim, "no row has enough documents")
    entry = every_row(claim, rows, lambda value: value, high=-0.05)
    far = sum(moved) / len(moved)
    note = f"Mean divergence of the moved attention {far:.2f} of at most 0.69"
    return entry | {"reason": f"{entry['reason']}. {note}"}


def _retrained(results: Results, kind: str) -> tuple[dict[str, Interval], dict[str, Interval]]:
    """Accuracy of retrained adversaries minus that of their bases, and their divergence."""
    costs, moved = {}, {}
    for name, model in _each_model(results):
        if model.split("-")[1] != kind or not len(results.retrained):
            continue
        rows = of(results.retrained, name, model)
        lost = (rows["predicted"] == rows["label"]).astype(float)
        lost -= (rows["base_predicted"] == rows["label"]).astype(float)
        interval = mean_of(lost, name, model, "M10")
        if interval.n:
            costs[f"{name} {model}"] = interval
            moved[f"{name} {model}"] = mean_of(rows["jsd"], name, model, "M10 jsd")
    return costs, moved


def retrained_keeps_accuracy(claim: Claim, results: Results, kind: str) -> Record:
    """M10: accuracy within .02 of the base, and a mean divergence of attention above .5."""
    costs, moved = _retrained(results, kind)
    if not costs:
        return not_run(claim, f"retrains: of params.yaml opposes no {kind} model of this study")
    entry = every_row(claim, costs, abs, low=-0.02, high=0.02)
    far = [within(interval, low=0.5) for interval in moved.values()]
    reason = f"{entry['reason']}. Divergence: {listed(moved)}"
    return entry | {"verdict": everywhere([entry["verdict"], *far]), "reason": reason}


def both_when_sparse(claim: Claim, results: Results) -> Record:
    """M11: as M9 and M10 for sparsemax; both must hold."""
    moved = moved_attention_costs(claim, results, ("sparsemax",))
    kept = retrained_keeps_accuracy(claim, results, "sparsemax")
    if kept["verdict"] == NOT_RUN:
        return moved | {"reason": f"{moved['reason']}. Retrained: {kept['reason']}"}
    verdict = everywhere([moved["verdict"], kept["verdict"]])
    reason = f"{moved['reason']}. Retrained ({kept['verdict']}): {kept['reason']}"
    return moved | {"verdict": verdict, "reason": reason}


def closed_form(claim: Claim, results: Results) -> Record:
    """M12: largest violation of the optimality conditions of the projection."""
    sparse = results.instances[results.instances["projection_gap"].notna()]
    if not len(sparse):
        return not_run(claim, "no sparse projection was run")
    worst = float(sparse["projection_gap"].max())
    interval = Interval(worst, worst, worst, len(sparse))
    reason = f"largest violation of the optimality conditions {worst:.1e} (float32)"
    return record(claim, interval, within(interval, high=1e-5), reason)


def support_is_no_better(claim: Claim, results: Results) -> Record:
    """M13: share of gradient mass on tokens with weight minus that of as many random tokens."""
    rows = {}
    for name, encoder in dataset_encoders(results):
        chosen = of(results.instances, name, f"{encoder}-sparsemax")
        gain = chosen["mass_on_support"] - chosen["support"]
        interval = mean_of(gain, name, encoder, "M13")
        if interval.n:
            rows[f"{name} {encoder}"] = interval
    return every_row(claim, rows, lambda value: value, high=0.05)
