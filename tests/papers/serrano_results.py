"""Synthetic tidy tables of erasures, for tests of Serrano & Smith 2019."""

from typing import Any

import numpy as np
import pandas as pd

from stages.papers.serrano_smith.evidence import Results
from tests.papers.common import answers, joined, keys, score

# what runs for Yahoo, IMDB, Amazon and Yelp
YAHOO, RUNWAY, BOXES, COMPLAINTS = "yahoo-answers", "rent-the-runway", "amazon-boxes", "complaints"
MODELS = ("han-rnn", "flan-rnn", "han-conv", "flan-conv", "han-noenc", "flan-noenc")
TOPS, MODES = ("attention", "gradient", "product"), ("paper", "as_coded", "expected")
RANKINGS = ("attention", "gradient", "product", "centred", "random")


def about(dataset: str = YAHOO, model: str = "han-rnn") -> dict[str, Any]:
    """The columns that every table of results starts with."""
    encoders = {"rnn": "bigru", "conv": "conv", "noenc": "none"}
    return keys(dataset, model, encoders[model.split("-")[1]])


def instances(length, *pair: str, any_single_flips=False) -> pd.DataFrame:
    """Documents 0, 1, ... of these lengths."""
    defaults = {"predicted": 0, "probability": 0.9, "max_attention": 0.3, "default_class": 1}
    columns = {"instance": np.arange(len(length)), "length": np.asarray(length)}
    flips = {"any_single_flips": any_single_flips}
    return pd.DataFrame(about(*pair) | defaults | columns | flips)


def single(
    count: int = 12, *pair: str, ranking: str = "attention", mode: str = "paper", **columns
) -> pd.DataFrame:
    """Single erasures of one model; `columns` replace the defaults."""
    row = {
        "instance": np.arange(count),
        "ranking": ranking,
        "mode": mode,
        "delta_alpha": 0.5,
        "top_flips": False,
        "random_flips": 0.0,
        "js_random": 0.1,
    }
    row |= {name: np.asarray(values) for name, values in columns.items()}
    moved = row.setdefault("delta_js", np.float64(0.2))
    return pd.DataFrame(about(*pair) | row | {"js_top": moved + row["js_random"]})


def multi(
    count, *pair: str, ranking="attention", length=10, order=0, mass=0.5, count_to_mean=None
) -> pd.DataFrame:
    """Items erased at the first flip, one number per document, 0 for never."""
    erased, items = np.asarray(count), np.broadcast_to(length, np.shape(count))
    row = {
        "instance": np.arange(len(erased)),
        "ranking": ranking,
        "order": order,
        "count": erased,
        "fraction": erased / items,
        "mass": np.where(erased > 0, mass, np.nan),
        "count_to_mean": erased if count_to_mean is None else count_to_mean,
        "length": items,
    }
    return pd.DataFrame(about(*pair) | row)


EXAMPLES = {
    "instances": instances([1]),
    "single": single(1),
    "multi": multi([1]),
    "scores": pd.DataFrame([score(YAHOO, "han-rnn", 0.5)]),
    "answers": answers(0.5, 1, about()),
}


def results(**tables) -> Results:
    return Results(**joined(EXAMPLES, tables))


# of 100 items, by encoder: attention, gradient, product, random
ITEMS = {"rnn": (80, 40, 35, 90), "conv": (60, 30, 25, 80), "noenc": (20, 25, 15, 50)}
ACCURACY = {"rnn": 0.8, "conv": 0.75, "noenc": 0.7}
DOCUMENTS = 640


def fitting(sets=(YAHOO, BOXES), models=MODELS, documents=DOCUMENTS) -> Results:
    """Results in which every claim holds but C30, which needs several seeds."""
    pairs = [(name, model) for name in sets for model in models]
    lengths = [100] * documents + [1] * 5
    flips = _drawn("flips", documents + 5) < 0.5
    return results(
        instances=[instances(lengths, *p, any_single_flips=flips) for p in pairs],
        single=[table for pair in pairs for table in _fitting_single(documents, *pair)],
        multi=[table for pair in pairs for table in _fitting_multi(documents, *pair)],
        scores=pd.DataFrame([score(*p, ACCURACY[p[1].split("-")[1]], n=5000) for p in pairs]),
        answers=[answers(ACCURACY[p[1].split("-")[1]], 1000, about(*p)) for p in pairs],
    )


def _drawn(purpose: str, count: int) -> np.ndarray:
    """Evenly spread numbers in [0, 1) in an order that depends on the purpose."""
    return np.random.default_rng(len(purpose)).permutation(count) / count


def _fitting_single(documents: int, dataset: str, model: str) -> list[pd.DataFrame]:
    architecture, kind = model.split("-")
    negative, flips, place = (_drawn(name, documents) for name in ("minus", "flips", "weights.."))
    alpha = np.array([0.4, 0.6, 0.9, 0.2])[(4 * place).astype(int)]
    rise = {"rnn": 0.05, "conv": 0.07, "noenc": 0.1}[kind]
    moved = np.select([alpha == 0.4, alpha == 0.6, alpha == 0.9], [0.005, rise, 0.2], 0.02)
    tied = np.where((dataset == YAHOO) & (place < 0.5), 0.5, 0.05)
    rate = 0.3 if kind == "noenc" else 0.097
    tops = {"attention": flips < rate, "gradient": flips < rate / 2, "product": flips < rate + 0.1}
    other = (flips > 1 - 0.015) & (architecture == "han")
    return [
        single(
            documents,
            *(dataset, model),
            ranking=ranking,
            mode=mode,
            delta_js=np.where(negative < 0.14, -0.01, moved),
            delta_alpha=np.where(negative < 0.14, tied, alpha),
            top_flips=top,
            random_flips=other.astype(float),
        )
        for ranking, top in tops.items()
        for mode in MODES
    ]


def _fitting_multi(documents: int, dataset: str, model: str) -> list[pd.DataFrame]:
    attention, gradient, product, chance = ITEMS[model.split("-")[1]]
    if dataset == YAHOO and model.startswith("han"):
        attention, gradient = (attention, 21) if "noenc" in model else (attention + 5, gradient)
    elif dataset == BOXES and model == "flan-noenc":
        chance -= 20
    counts = (attention, gradient, product, product, chance)
    places = np.arange(documents)
    return [
        multi(
            count + places % 5,
            *(dataset, model),
            ranking=ranking,
            length=100,
            mass=0.8 if ranking == "attention" else 0.4,
            count_to_mean=count + places % 5 + (places % 3 == 0),
        )
        for ranking, count in zip(RANKINGS, counts, strict=True)
    ]
