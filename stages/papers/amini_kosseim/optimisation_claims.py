"""Verdicts on what AtteFa measures: collapse, restarts, selection, seeds; and the swept loss."""

import numpy as np
import pandas as pd

from stages.papers.amini_kosseim.evidence import (
    PUBLISHED,
    Results,
    best_runs,
    runs_of,
    spearman,
    variances,
)
from stages.papers.amini_kosseim.panels import MOCK
from stages.papers.shared.claims import Claim, Record, every_row, not_run, record, within
from stages.settings.seeds import generator
from stages.statistics.bootstrap import Interval, of_mean, of_statistic

NEAR, FAR = 0.05, 0.4  # largest difference of equal divergences; smallest divergence called far
SURE = 0.95  # smallest mean |2p - 1| of a confident base


def _documents(results: Results, dataset: str, procedure: str) -> pd.DataFrame:
    """Documents of the LSTM's adversaries by one procedure, TVD in the paper's units."""
    table = results.instances
    rows = table[
        (table["dataset"] == dataset)
        & (table["model"] == "lstm")
        & (table["procedure"] == procedure)
    ]
    return rows.assign(tvd=rows["stvd"] / 2)


def as_on_the_curve(claim: Claim, results: Results) -> Record:
    """AF11: paired by document, at the strength whose divergence is nearest."""
    rows: dict[str, Interval] = {}
    distances = []
    for panel, dataset in results.among(("SST", "IMDB")).items():
        ours, swept = (_documents(results, dataset, name) for name in ("published", "sweep"))
        if not len(ours) or not len(swept):
            continue
        apart = (swept.groupby("strength")["jsd"].mean() - ours["jsd"].mean()).abs()
        distances.append(f"{panel}: nearest point of the curve {apart.min():.2f} away in JSD")
        if apart.min() > NEAR:
            continue
        near = swept[swept["strength"] == apart.idxmin()].groupby("instance")["tvd"].mean()
        gap = (ours.groupby("instance")["tvd"].mean() - near).dropna().to_numpy(np.float64)
        rows[panel] = of_mean(gap, generator(0, dataset, claim.id))
    if not rows:
        return not_run(claim, "; ".join(distances) or "the swept loss was not run")
    entry = every_row(claim, rows, abs, low=-NEAR, high=NEAR)
    return entry | {"reason": f"{entry['reason']}. {'; '.join(distances)}"}


def follows_the_base(claim: Claim, results: Results) -> Record:
    """AF12: one point per base, centred within its data set."""
    runs = results.runs
    runs = runs[(runs["procedure"] == PUBLISHED) & (runs["selected_on"] == "dev")]
    runs = runs[runs["model"] == "mlp"]
    points = runs.groupby(["dataset", "seed"])[["attefa", "base_f1"]].mean()
    bases = results.bases[results.bases["model"] == "mlp"]
    points["mass"] = bases.groupby(["dataset", "seed"])["informative_mass"].mean()
    several = points.groupby("dataset")["attefa"].transform("size") > 1
    noise = (points - points.groupby("dataset").transform("mean"))[several]
    if len(noise) < 6:
        return not_run(claim, "fewer than six bases in data sets with several")
    columns = [noise[name].to_numpy(np.float64) for name in ("attefa", "base_f1")]
    interval = of_statistic(_ranked, columns, generator(0, claim.id))
    mock = noise[noise["mass"].notna()]
    mass = _ranked(mock["attefa"], mock["mass"]) if len(mock) > 3 else np.nan
    correlation = "none, it is constant" if np.isnan(mass) else f"{mass:.2f}"
    reason = f"with the base's mass on informative words (Mock sets) {correlation}"
    return record(claim, interval, within(interval, low=0.0), reason)


def _ranked(one: pd.Series, other: pd.Series) -> float:
    return float(spearman(one, other))


def collapse_is_a_constant(claim: Claim, results: Results) -> Record:
    """AF13."""
    runs = results.runs[results.runs["collapsed"] & (results.runs["selected_on"] == "dev")]
    keys = ["dataset", "model", "seed"]
    sureness = (
        (2 * results.bases["probability"] - 1).abs().groupby([results.bases[key] for key in keys])
    )
    runs = runs.merge(sureness.mean().rename("sureness").reset_index(), on=keys)
    sure = runs[runs["sureness"] >= SURE]
    if len(sure) < 2:
        return not_run(claim, f"{len(sure)} of {len(runs)} collapsed runs are against a sure base")
    off = (sure["stvd"] - 0.5).abs().to_numpy(np.float64)
    interval = of_mean(off, generator(0, claim.id))
    where = sure.groupby(["dataset", "model", "procedure"]).size()
    counts = ", ".join(f"{' '.join(map(str, key))} {n}" for key, n in where.items())
    return record(claim, interval, within(interval, high=0.02), f"collapsed runs: {counts}")


def restarts_remove_it(claim: Claim, results: Results) -> Record:
    """AF14: paired by base."""
    rows, changes = {}, []
    for panel, dataset in results.among(MOCK).items():
        published = runs_of(results, dataset, "mlp").groupby("seed")["attefa"].mean()
        best = best_runs(results, dataset, "mlp").set_index("seed")["attefa"]
        if len(published) < 2:
            continue
        changes.append(f"{panel} {published.mean():.3f} to {best.mean():.3f}")
        if published.mean() > 0.1:
            columns = [attefa.loc[published.index].to_numpy(float) for attefa in (published, best)]
            rows[panel] = of_statistic(_share, columns, generator(0, dataset, claim.id))
    if not rows:
        return not_run(claim, f"no Mock set with AtteFa above .1: {', '.join(changes)}")
    entry = every_row(claim, rows, lambda value: value, high=0.5)
    return entry | {"reason": f"{entry['reason']}. AtteFa: {', '.join(changes)}"}


def _share(published: np.ndarray, best: np.ndarray) -> float:
    return float(best.mean() / published.mean())


def selection_matters_little(claim: Claim, results: Results) -> Record:
    """AF15."""
    runs = results.runs[results.runs["procedure"] == PUBLISHED]
    keys = ["dataset", "model", "seed", "adversary"]
    wide = runs.pivot_table(index=keys, columns="selected_on", values="attefa")
    gap = (wide["dev"] - wide["test"]).to_numpy(np.float64)
    interval = of_mean(gap, generator(0, claim.id))
    reason = (
        f"mean size of the difference {np.abs(gap).mean():.3f}, largest {np.abs(gap).max():.3f}"
    )
    return record(claim, interval, within(interval, low=-0.02, high=0.02), reason)


def bases_vary_more(claim: Claim, results: Results) -> Record:
    """AF16."""
    table = variances(results, "mlp")
    if len(table) < 2:
        return not_run(claim, "fewer than two data sets with several bases and adversaries")
    gap = (table["between_bases"] - table["between_adversaries"]).to_numpy(np.float64)
    interval = of_mean(gap, generator(0, claim.id))
    pairs = ", ".join(
        f"{row.panel} {row.between_bases:.4f} and {row.between_adversaries:.4f}"
        for row in table.itertuples()
    )
    return record(
        claim, interval, within(interval, low=0.0), f"between bases and adversaries: {pairs}"
    )


def far_with_the_same_answers(claim: Claim, results: Results) -> Record:
    """WP3."""
    datasets = results.among(("SST",))
    swept = _documents(results, datasets["SST"], "sweep") if datasets else pd.DataFrame()
    if not len(swept):
        return not_run(claim, "the swept loss was not run on short reviews")
    means = swept.groupby("strength")[["jsd", "tvd"]].mean()
    points = "; ".join(
        f"strength {strength:g}: JSD {row['jsd']:.2f}, TVD {row['tvd']:.3f}"
        for strength, row in means.iterrows()
    )
    far = means[means["jsd"] > FAR]
    if not len(far):
        return not_run(claim, f"no strength moves attention beyond {FAR}: {points}")
    best = swept[swept["strength"] == far["tvd"].idxmin()]
    interval = of_mean(best["tvd"].to_numpy(np.float64), generator(0, claim.id))
    return record(claim, interval, within(interval, high=0.1), points)
