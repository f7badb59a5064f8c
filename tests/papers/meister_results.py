"""Synthetic results of Meister's study, in which every claim holds."""

from dataclasses import replace

import numpy as np
import pandas as pd

from stages.papers.meister.evidence import Results
from stages.papers.meister.panels import BAG, ENCODERS, OURS
from stages.papers.shared.results import KEYS
from tests.papers import common
from tests.papers.common import keys

(SHALLOW,) = OURS
DATASETS = ("imdb", "newsgroups-sports", "rotten-tomatoes")
LAMBDAS = (-100.0, -10.0, -1.0, 0.5, 0.75)
SUPPORT = {-100.0: 1.0, -10.0: 1.0, -1.0: 0.8, 0.0: 0.5, 0.5: 0.3, 0.75: 0.2}
AUC = ("gradient", "without")
MEASURES = [f"gradient_{of}{held}" for of in ("input", "state") for held in ("", "_held")]
MEASURES += ["without_input", "without_state"]
DOCUMENTS = 40  # the first has one token: neither entropy nor rank correlation is defined


def swept_models():
    """(model, value) of every run on a data set."""
    for encoder in ENCODERS:
        yield f"{encoder}-softmax", np.nan
        yield f"{encoder}-sparsemax", np.nan
        for value in LAMBDAS:
            yield f"{encoder}-sparsegen", value
    yield BAG, np.nan


def scale(model, value):
    """Lambda of a model: none for softmax, 0 for sparsemax."""
    return {"softmax": None, "sparsemax": 0.0}.get(model.split("-")[1], value)


def rank(model, value):
    """Place of a model's lambda among all, from the densest on."""
    lambda_ = scale(model, value)
    return 0 if lambda_ is None else list(SUPPORT).index(lambda_)


def around(mean, draw, n=DOCUMENTS):
    """Values per document close to a mean; the document of one token has none."""
    values = mean + 0.005 * draw.normal(size=n)
    values[0] = np.nan
    return values


def instances(model, value, draw, states=0.8):
    """Entropy of gradients rises with lambda, and fewer tokens have weight."""
    document = np.arange(DOCUMENTS)
    sparse = scale(model, value)
    support = np.full(DOCUMENTS, 1.0 if sparse is None else SUPPORT[sparse])
    correct = document % 10 != 0
    searched = np.nan if model.endswith("sparsegen") else 1.0
    entropies = {f"entropy_{name}": 0.7 for name in ("attention", "chance", *MEASURES)}
    entropies["entropy_gradient_input"] = 0.6 + 0.05 * rank(model, value)
    entropies["entropy_states"] = states + 0.01 * (sparse == 0)
    return pd.DataFrame(
        {
            "instance": document,
            "label": document % 2,
            "length": np.where(document == 0, 1, 20),
            "correct": correct.astype(float),
            "farthest_correct": (correct & (document % 3 != 0)).astype(float),
            "farthest_jsd": 0.6,
            "searched_correct": searched * correct,
            "searched_jsd": searched * 0.5,
            "support": support,
            "mass_on_support": 0.8 * support + 0.2 * support**2 + 0.02 * draw.random(DOCUMENTS),
            "mass_of_top": support + 0.3 * (support < 1),
            **{f"auc_{name}_input": np.where(support < 1, 0.6, np.nan) for name in AUC},
            "projection_gap": np.nan if sparse is None else 1e-7,
            **{name: around(mean, draw) for name, mean in entropies.items()},
        }
    )


def states(draw, places=2):
    """Some states of every document."""
    return pd.DataFrame(
        {
            "instance": np.repeat(np.arange(DOCUMENTS), places),
            "position": np.tile(np.arange(places), DOCUMENTS),
            "entropy": around(0.8, draw, DOCUMENTS * places),
        }
    )


def taus(model, value, draw):
    """Agreement with states is strong; with inputs it is weak and falls with lambda."""
    fall = 0.04 * rank(model, value)
    means = dict.fromkeys(MEASURES, 0.7) | {"gradient_state_held": 1.0}
    means |= {"gradient_input": 0.3 - fall, "without_input": 0.25 - fall}
    pairs = [(of, name) for of in ("weight", "score") for name in MEASURES]
    taus_by_pair = [np.minimum(around(means[name], draw), 1.0) for _, name in pairs]
    return pd.DataFrame(
        {
            "instance": np.tile(np.arange(DOCUMENTS), len(pairs)),
            "of": np.repeat([of for of, _ in pairs], DOCUMENTS),
            "measure": np.repeat([name for _, name in pairs], DOCUMENTS),
            "tau": np.concatenate(taus_by_pair),
        }
    )


def score(model, value):
    return common.score("", model, 0.9 - 0.01 * rank(model, value), n=2000)


def results(datasets=DATASETS):
    """All tables of every model; the one-layer Transformer is trained on Rotten Tomatoes only."""
    draw = np.random.default_rng(0)
    parts = {name: [] for name in ("instances", "states", "taus", "untrained", "scores")}
    parts["retrained"] = [pd.DataFrame(columns=KEYS)]
    for dataset in datasets:
        shallow = [(SHALLOW, np.nan)] if dataset == "rotten-tomatoes" else []
        for model, value in [*swept_models(), *shallow]:
            encoder = model.split("-")[0]
            attention = "dot" if encoder == "transformer" else "additive"
            tables = {
                "instances": instances(model, value, draw),
                "states": states(draw),
                "taus": taus(model, value, draw),
                "scores": pd.DataFrame([score(model, value)]),
            }
            if scale(model, value) is None:  # the others would be the same before training
                tables["untrained"] = instances(model, value, draw, states=0.4)
            for name, table in tables.items():
                parts[name].append(table.assign(**keys(dataset, model, encoder, attention, value)))
    return Results(**{name: pd.concat(tables, ignore_index=True) for name, tables in parts.items()})


def without(run, **left_out):
    """The same results without the rows that have these values: column=value or values."""
    names = ("instances", "states", "taus", "untrained", "scores", "retrained")
    tables = {name: getattr(run, name) for name in names if len(getattr(run, name))}
    kept = {name: table[~common.matching(table, left_out)] for name, table in tables.items()}
    return replace(run, **kept)
