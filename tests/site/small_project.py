"""The fixture's settings with the names of two papers, real small models, reports of both papers.

The words of the documents are HTML markup, which must stay text.
"""

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from dvc.repo import Repo
from ruamel.yaml import YAML

from stages.corpora import corpus as corpora
from stages.corpora.batching import Reader
from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.corpora.statistics import describe, length_counts, provenance
from stages.counterfactual.tables import adversarial_tables
from stages.importance.tables import importance_tables
from stages.papers.data import report
from stages.papers.jain_wallace.interactive import STUDY, example_data
from stages.settings import paths
from stages.settings.files import write_json
from stages.settings.params import Settings, parse
from stages.site.writing import write
from tests.fixtures.project import PARAMS, ROOT, catalogue_of, changed, settings_of
from tests.small import small_model

HOSTILE = "<script>window.hit=1</script>"
MARKUP = ("<img src=x onerror=window.hit=1>", "</script><b>", "&amp;", "plain", '"><i>', "z")
WORDS = (HOSTILE, *MARKUP)
SECRET = "secretword"
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><path d="M0 0L90 60"/></svg>'
)
ANALYSES = settings_of().analyses
LONGER = {"steps": 60, "learning_rate": 0.1, "examples": 3}
SEARCH = ANALYSES.adversarial.model_copy(update=LONGER)
SETS = {"synthetic-1": 2, "synthetic-three": 3, "babi-1": 3, "tickets": 2}  # number of classes
PRIVATE, PAIR = "tickets", "babi-1"
MODELS = (("bilstm", "additive"), ("average", "dot"))


class Site(NamedTuple):
    """The folder of a site, and the outputs of the models."""

    reports: Path
    answers: dict[str, list[float]]  # "data set+model+document+kind of weights" -> probabilities


def corpus(name: str, classes: int, pair: bool) -> Corpus:
    """Twenty test documents of three to nine words; a private set has words of its own."""
    private = name == PRIVATE
    draw = np.random.default_rng(3)
    words = tuple(f"{SECRET}{i}" for i in range(7)) if private else WORDS
    texts = [draw.integers(0, len(words), draw.integers(3, 10)).tolist() for _ in range(20)]
    query = Ragged.of([[0, 4]] * 20) if pair else None
    part = Part(np.arange(20) % classes, Ragged.of(texts), query)
    labels = tuple(f"class {HOSTILE} {c}" for c in range(classes))
    ids = np.arange(len(words), dtype=np.int32) + 4
    parts = {"train": part, "dev": part, "test": part}
    return Corpus(name, "classification", private, labels, words, ids, parts)


def small_settings() -> Settings:
    """Writes and returns the settings; the studies have the names of papers."""
    text = json.dumps(PARAMS).replace("pooled", STUDY).replace("scaled", "sun-lu")
    raw = changed(json.loads(text), {f"analyses/adversarial/studies/{STUDY}": "all"})
    with paths.PARAMS.open("w", encoding="utf-8") as file:
        YAML(typ="safe").dump(raw, file)
    return parse(raw, "params.yaml", catalogue_of())


def project(folder: Path) -> Settings:
    """All inputs of the report; `folder` must be the current one."""
    for name in ("dvc.yaml", "requirements.txt"):
        shutil.copyfile(ROOT / name, folder / name)
    Repo.init(no_scm=True)
    settings = small_settings()
    for group in settings.corpora:
        for name in settings.members(group):
            documents = corpus(name, SETS[name], name == PAIR)
            prepare(settings, documents)
        results(group, [name for name in settings.members(group) if name != "synthetic-three"])
    reports(paths.reports(settings.scale), settings)
    return settings


def prepare(settings: Settings, documents: Corpus) -> None:
    """The corpus of the study, its statistics and lengths."""
    place = paths.study_corpus(STUDY, documents.name)
    place.mkdir(parents=True)
    corpora.save(documents, place)
    vectors = paths.vectors(documents.name)
    vectors.mkdir(parents=True)
    stats = provenance(settings.catalogue.datasets[documents.name]) | describe(documents, {})
    available = dict.fromkeys(documents.parts, 20)
    write_json(vectors / "stats.json", stats | {"available": available})
    write_json(vectors / "vectors.json", {"kind": "normal", "tokens": 0.0})
    lengths = pd.DataFrame(length_counts(documents), columns=["split", "length", "documents"])
    lengths.to_csv(vectors / "lengths.csv", index=False)


def results(group: str, names: list[str]) -> None:
    """Tables of the adversarial and correlation analyses of models with random weights."""
    tables_by_name: dict[str, list[pd.DataFrame]] = {}
    for dataset in names:
        for key, table in analysed(corpora.load(paths.study_corpus(STUDY, dataset))):
            tables_by_name.setdefault(key, []).append(table)
    for name, parts in tables_by_name.items():
        analysis = "correlation" if name == "tokens" else "adversarial"
        target = paths.results(analysis, STUDY, group)
        target.mkdir(parents=True, exist_ok=True)
        pd.concat(parts, ignore_index=True).to_parquet(target / f"{name}.parquet", index=False)


def analysed(documents: Corpus) -> Iterator[tuple[str, pd.DataFrame]]:
    """Name and content of the tables of every model on a data set."""
    reader = Reader(documents, "test")
    for number, (encoder, attention) in enumerate(MODELS):
        pair = documents.parts["test"].query is not None
        model = small_model(encoder, attention, len(documents.labels), pair, seed=number)
        about = {"dataset": documents.name, "model": f"{encoder}-{attention}", "encoder": encoder}
        about |= {"attention": attention, "value": np.nan, "seed": 1}
        tables = adversarial_tables(model, reader, SEARCH, lambda row: row)
        measured = importance_tables(model, reader, ANALYSES.correlation, np.random.default_rng(0))
        for name, table in (tables | {"tokens": measured["tokens"]}).items():
            yield name, table.assign(**about)


COUNTS = {"low": 0.1, "high": 0.4, "documents": 12, "runs": 3, "seeds": 3}


def record(name: str, verdict: str = "holds", where: str = "Figure 1", **changes) -> dict:
    row = {"row": "imdb bilstm-additive", "value": 0.25, "verdict": verdict}
    return {
        "id": name,
        "statement": f"{name} states {HOSTILE}",
        "where": where,
        "quote": f"{name} in the words of {HOSTILE}",
        "statistic": "share of documents",
        "unit": "share",
        "rule": "every",
        "threshold": "above 0.5",
        "published": ".9",
        "ours": 0.25,
        "n": 12,
        "shown": "imdb bilstm-additive",
        "verdict": verdict,
        "reason": f"because of {name}",
        "rows": [row | COUNTS],
        **COUNTS,
    } | changes


NOTHING = {"ours": None, "low": None, "high": None, "n": 0, "runs": 0, "seeds": 0, "rows": []}
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


def reports(folder: Path, settings: Settings) -> None:
    """Claims, a table and a figure of two papers; nothing of the three others."""
    for name, records in CLAIMS.items():
        for part in ("figures", "tables"):
            (folder / name / part).mkdir(parents=True)
        (folder / name / "claims.json").write_text(json.dumps(records))
        for figure in ("figure-1", "figure-10", "figure-2", "supplement-2"):
            (folder / name / "figures" / f"{figure}.svg").write_text(PICTURE)
        (folder / name / "figures/figure-1.csv").write_text("a,b\n1,2\n")
        table = "panel,score_published,score\nb,0.5,0.75\na,9.0,10.0\n"
        (folder / name / "tables/table-1.csv").write_text(table)
    scores = "dataset,model,accuracy,f1,per_class\nimdb,cnn-dot,0.8125,0.75,8/8\n"
    (folder / "jain-wallace/tables/scores.csv").write_text(scores)
    for analysis in ("gradients", "permutation"):
        place = folder / "jain-wallace/grid" / analysis
        place.mkdir(parents=True)
        for panel in ("imdb+bilstm+additive", "imdb+cnn+dot", "snli+cnn+dot"):
            (place / f"{panel}.svg").write_text(PICTURE)
    write_json(folder / STUDY / "examples.json", example_data(settings))
    for part in ("figures", "tables"):
        (folder / "data" / part).mkdir(parents=True)
    report.write(settings, folder / "data")


def site(folder: Path) -> Site:
    """The site of such a project in a folder."""
    with contextlib.chdir(folder):
        settings = project(folder)
        write(settings)
        answers = {}
        for group in settings.corpora:
            place = paths.results("adversarial", STUDY, group) / "outputs.parquet"
            keys = ["dataset", "model", "instance", "variant"]
            for key, rows in pd.read_parquet(place).groupby(keys):
                values = rows.sort_values("class")["probability"]
                answers["+".join(map(str, key))] = values.to_list()
    return Site(folder / "reports" / settings.scale, answers)
