"""A small project: three data sets, real small models, reports of two papers.

The words of the documents are HTML markup, which must stay text.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from stages.corpora import corpus as corpora
from stages.corpora.batching import Reader
from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.counterfactual.tables import adversarial_tables
from stages.importance.tables import importance_tables
from stages.settings.analyses import Adversarial, Correlation
from stages.settings.params import Settings, load
from stages.site.writing import write
from tests.small import small_model

ROOT = Path(__file__).parents[2]
HOSTILE = "<script>window.hit=1</script>"
WORDS = (
    HOSTILE,
    "<img src=x onerror=window.hit=1>",
    "</script><b>",
    "&amp;",
    "plain",
    '"><i>',
    "z",
)
SECRET = "secretword"
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><path d="M0 0L90 60"/></svg>'
)
SEARCH = Adversarial(
    candidates=2,
    steps=60,
    learning_rate=0.1,
    spread=3.0,
    penalty=500.0,
    margin=0.01,
    epsilons=(0.01, 0.05),
    examples=3,
)
BESIDE = Correlation(integrated_points=2, shares=(0.5,), top_k=2, top_share=0.1)
SETS = {"rotten-tomatoes": 2, "snli": 3, "diabetes": 2}  # the last one is private
MODELS = (("bilstm", "additive"), ("average", "dot"))


class Site(NamedTuple):
    """The folder of a site, and the outputs of the models."""

    reports: Path
    answers: dict[str, list[float]]  # "data set+model+document+kind of weights" -> probabilities


def corpus(name: str, classes: int, pair: bool) -> Corpus:
    """Twenty test documents of three to nine words; a private set has words of its own."""
    private = name == "diabetes"
    draw = np.random.default_rng(3)
    words = tuple(f"{SECRET}{i}" for i in range(7)) if private else WORDS
    texts = [draw.integers(0, len(words), draw.integers(3, 10)).tolist() for _ in range(20)]
    query = Ragged.of([[0, 4]] * 20) if pair else None
    part = Part(np.arange(20) % classes, Ragged.of(texts), query)
    labels = tuple(f"class {HOSTILE} {c}" for c in range(classes))
    ids = np.arange(len(words), dtype=np.int32) + 4
    parts = {"train": part, "dev": part, "test": part}
    return Corpus(name, "classification", private, labels, words, ids, parts)


def project(folder: Path) -> Settings:
    """All inputs of the report; `folder` must be the current one."""
    for name in ("params.yaml", "dvc.yaml", "requirements.txt"):
        (folder / name).write_bytes((ROOT / name).read_bytes())
    settings = load(ROOT / "params.yaml")
    for name, classes in SETS.items():
        results(folder, corpus(name, classes, name == "snli"), classes)
    reports(folder / "reports")
    return settings.model_copy(update={"trials": {"jain-wallace": tuple(SETS)}})


def results(folder: Path, documents: Corpus, classes: int) -> None:
    """Tables of the adversarial and correlation analyses of models with random weights."""
    place = folder / "data/corpora" / documents.name
    place.mkdir(parents=True)
    corpora.save(documents, place)
    reader = Reader(documents, "test")
    tables_by_name: dict[str, list[pd.DataFrame]] = {}
    for number, (encoder, attention) in enumerate(MODELS):
        pair = documents.parts["test"].query is not None
        model = small_model(encoder, attention, classes, pair, seed=number)
        about = {
            "dataset": documents.name,
            "model": f"{encoder}-{attention}",
            "encoder": encoder,
            "attention": attention,
            "value": np.nan,
            "seed": 1,
        }
        tables = adversarial_tables(model, reader, SEARCH, lambda row: row)
        measured = importance_tables(model, reader, BESIDE, np.random.default_rng(0))
        tables["tokens"] = measured["tokens"]
        for name, table in tables.items():
            tables_by_name.setdefault(name, []).append(table.assign(**about))
    for name, parts in tables_by_name.items():
        analysis = "correlation" if name == "tokens" else "adversarial"
        target = folder / "data/results" / analysis / "jain-wallace" / documents.name
        target.mkdir(parents=True, exist_ok=True)
        pd.concat(parts, ignore_index=True).to_parquet(target / f"{name}.parquet", index=False)


def record(name: str, verdict: str = "holds", where: str = "Figure 1", **changes) -> dict:
    return {
        "id": name,
        "statement": f"{name} states {HOSTILE}",
        "where": where,
        "statistic": "share above .5",
        "published": ".9",
        "ours": 0.25,
        "low": 0.1,
        "high": 0.4,
        "n": 12,
        "verdict": verdict,
        "reason": f"because of {name}",
    } | changes


NOTHING = {"ours": None, "low": None, "high": None, "n": 0}
CLAIMS = {
    "jain-wallace": [
        record("JW2", "holds", "Table 1"),
        record("JW9", "fails"),
        record("JW10", "not run", **NOTHING),
        record("JW11", "undecided", "Section 9"),
        record("WP2", "holds", "Wiegreffe & Pinter 2019 section 3.2"),
    ],
    "sun-lu": [record("SL8"), record("SL1", "fails", "Supplement Figure 2")],
}


def reports(folder: Path) -> None:
    """Claims, a table and a figure of two papers; nothing of the three others."""
    for name, records in CLAIMS.items():
        for part in ("figures", "tables"):
            (folder / name / part).mkdir(parents=True)
        (folder / name / "claims.json").write_text(json.dumps(records))
        for figure in ("figure-1", "figure-10", "figure-2", "supplement-2"):
            (folder / name / "figures" / f"{figure}.svg").write_text(PICTURE)
        (folder / name / "figures/figure-1.csv").write_text("a,b\n1,2\n")
        table = pd.DataFrame(
            {"panel": ["b", "a"], "score_published": [0.5, 9], "score": [0.75, 10]}
        )
        table.to_csv(folder / name / "tables/table-1.csv", index=False)
    scores = pd.DataFrame(
        {
            "dataset": ["imdb"],
            "model": ["cnn-dot"],
            "accuracy": [0.8125],
            "f1": [0.75],
            "per_class": ["8/8"],
        }
    )
    scores.to_csv(folder / "jain-wallace/tables/scores.csv", index=False)
    for analysis in ("gradients", "permutation"):
        place = folder / "jain-wallace/grid" / analysis
        place.mkdir(parents=True)
        for panel in ("imdb+bilstm+additive", "imdb+cnn+dot", "snli+cnn+dot"):
            (place / f"{panel}.svg").write_text(PICTURE)
    (folder / "data").mkdir()
    (folder / "data/table.csv").write_bytes((ROOT / "reports/data/table.csv").read_bytes())


def site(folder: Path) -> Site:
    """The site of such a project; `folder` must be the current one."""
    write(project(folder))
    answers = {}
    for name in SETS:
        place = folder / "data/results/adversarial/jain-wallace" / name / "outputs.parquet"
        keys = ["dataset", "model", "instance", "variant"]
        for key, rows in pd.read_parquet(place).groupby(keys):
            answers["+".join(map(str, key))] = rows.sort_values("class")["probability"].to_list()
    return Site(folder / "reports", answers)
