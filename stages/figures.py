"""figures: tidy tables to the tables, figures and headline numbers in reports/."""

import argparse
from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from stages.corpora import corpus as corpora
from stages.engine.local import run_all
from stages.papers.data.figures import draw_lengths
from stages.papers.data.tables import data_table, headline
from stages.papers.jain_wallace import page
from stages.papers.jain_wallace.evidence import Results
from stages.papers.jain_wallace.examples import Text
from stages.papers.jain_wallace.tables import table_1
from stages.papers.scores import confusion, score_table
from stages.papers.serrano_smith import page as erasure_page
from stages.papers.serrano_smith.evidence import Results as Erasures
from stages.papers.serrano_smith.tables import sizes
from stages.papers.style import save_svg
from stages.settings import paths
from stages.settings.files import read_json, replacing, write_json
from stages.settings.params import Settings, load
from stages.settings.refusal import stage
from stages.settings.studies import StudyName

OTHER_STUDY: StudyName = "jain-wallace"  # whose models are erased too


def data(settings: Settings) -> None:
    """The table of data sets, the figure of lengths with its numbers, and the headline counts."""
    folder = paths.REPORTS / "data"
    folder.mkdir(parents=True, exist_ok=True)
    corpora = {
        name: paths.corpus(family, name)
        for family in settings.corpora
        for name in settings.members(family)
    }
    stats = {name: read_json(place / "stats.json") for name, place in corpora.items()}
    lengths = pd.concat(
        pd.read_csv(place / "lengths.csv").assign(dataset=name) for name, place in corpora.items()
    )[["dataset", "split", "length", "documents"]]
    data_table(stats, _missing(settings)).to_csv(folder / "table.csv", index=False)
    lengths.to_csv(folder / "lengths.csv", index=False)
    save_svg(draw_lengths(lengths), folder / "lengths.svg")
    write_json(folder / "metrics.json", headline(stats))


def _missing(settings: Settings) -> dict[str, dict[str, float]]:
    """Share of tokens without a vector, by data set and kind of vectors."""
    missing: dict[str, dict[str, float]] = defaultdict(dict)
    for made in settings.vectors.values():
        for name in settings.members(made.dataset):
            place = paths.vectors(made.dataset, name, made.kind)
            missing[name][made.kind] = read_json(place / "stats.json")["tokens"]
    return missing


def _models(settings: Settings, study: StudyName) -> list[dict[str, Any]]:
    """model.json of every trained model of a study; train-base removes those not asked for."""
    folders = [
        paths.models(study, cell.dataset, name)
        for cell in settings.cells.values()
        if cell.study == study
        for name in settings.members(cell.dataset)
    ]
    return [read_json(about) for folder in folders for about in sorted(folder.glob("*/model.json"))]


def scores(settings: Settings) -> None:
    """Test scores of every study's models, one table each, and the mean accuracy of each study."""
    headline_scores = {}
    for study in settings.studies:
        found = _models(settings, study)
        if not found:
            continue  # no cell of this study is asked for
        stands_for = {name: data.stands_for for name, data in settings.datasets.items()}
        table = score_table(found, stands_for)
        folder = paths.REPORTS / study / "tables"
        folder.mkdir(parents=True, exist_ok=True)
        table.to_csv(folder / "scores.csv", index=False)
        headline_scores[study] = round(float(table["accuracy"].mean()), 4)
    write_json(paths.REPORTS / "scores.json", {"mean_test_accuracy": headline_scores})


def jain_wallace(settings: Settings) -> None:
    """Tables, figures, the exhaustive grid, claims and metrics of Jain & Wallace 2019."""
    study: StudyName = "jain-wallace"
    folder = paths.REPORTS / study
    taus = pd.concat(
        [_results(settings, study, "correlation", name) for name in ("correlation", "integrated")]
    )
    instances = _results(settings, study, "correlation", "instances")
    keys = ["dataset", "model", "seed", "instance"]
    weights = _results(settings, study, "correlation", "weights")
    models = _models(settings, study)
    results = Results(
        taus.merge(instances[[*keys, "predicted"]], on=keys),
        instances,
        weights,
        _results(settings, study, "permutation", "instances"),
        _results(settings, study, "adversarial", "instances"),
        confusion(models),
    )
    for name in ("tables", "figures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    page.write_tables(
        results, _results(settings, study, "correlation", "faithfulness"), folder / "tables"
    )
    _table_1(settings, models, folder / "tables" / "table-1.csv")
    page.write_figures(results, folder / "figures")
    page.write_examples(
        results.adversaries,
        _results(settings, study, "adversarial", "examples"),
        partial(_words, settings),
        folder / "figures",
    )
    page.write_verdicts(results, settings.scale, folder)
    with replacing(folder / "grid") as fresh:
        drawings = list(page.grid(results, fresh))
        run_all(page.Drawing.save, drawings, "grid of figures", settings.budget.processes)


def serrano_smith(settings: Settings) -> None:
    """Tables, figures, claims and metrics of Serrano & Smith 2019."""
    study: StudyName = "serrano-smith"
    folder = paths.REPORTS / study
    results, elsewhere = (_erasures(settings, each) for each in (study, OTHER_STUDY))
    for name in ("tables", "figures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    names = set(results.instances["dataset"])
    corpora_of = {name: corpora.load(paths.corpus(_family(settings, name), name)) for name in names}
    stats = {name: sizes(corpus) for name, corpus in corpora_of.items()}
    grid = erasure_page.write_tables(results, stats, elsewhere, folder / "tables")
    erasure_page.write_figures(results, grid, folder / "figures")
    erasure_page.write_verdicts(results, grid, folder)


def _erasures(settings: Settings, study: StudyName) -> Erasures:
    """The tables of the erasure test over all models of a study that went through it."""
    families = [trial.dataset for trial in settings.erasures.values() if trial.study == study]
    instances, single, multi = (
        _joined("erasure", study, families, name) for name in ("instances", "single", "multi")
    )
    return Erasures(instances, single, multi, confusion(_models(settings, study)))


def _family(settings: Settings, dataset: str) -> str:
    """The entry of datasets: that a data set belongs to."""
    return next(family for family, names in settings.families.items() if dataset in names)


def _results(settings: Settings, study: StudyName, experiment: str, name: str) -> pd.DataFrame:
    """One table of a test over all trials of a study."""
    families = [trial.dataset for trial in settings.trials.values() if trial.study == study]
    return _joined(experiment, study, families, name)


def _joined(experiment: str, study: str, families: Iterable[str], name: str) -> pd.DataFrame:
    return pd.concat(
        [
            pd.read_parquet(paths.results(experiment, study, family) / f"{name}.parquet")
            for family in families
        ],
        ignore_index=True,
    )


def _table_1(settings: Settings, models: list[dict[str, Any]], path: Path) -> None:
    names = {about["dataset"] for about in models}
    places = {
        name: paths.corpus(family, name)
        for family in settings.corpora
        for name in settings.members(family)
        if name in names
    }
    stats = {name: read_json(place / "stats.json") for name, place in places.items()}
    stands_for = {name: data.stands_for for name, data in settings.datasets.items()}
    table_1(stats, score_table(models, stands_for), stands_for).to_csv(path, index=False)


def _words(settings: Settings, dataset: str, instances: Collection[int]) -> dict[int, Text]:
    """Text and question of some test documents; none of a private set leaves its folder."""
    corpus = corpora.load(paths.corpus(_family(settings, dataset), dataset))
    if corpus.private:
        return {}
    part = corpus.parts["test"]
    return {
        row: (
            [corpus.types[word] for word in part.text[row]],
            "" if part.query is None else " ".join(corpus.types[w] for w in part.query[row]),
        )
        for row in instances
    }


PAGES = {
    "data": data,
    "scores": scores,
    "jain-wallace": jain_wallace,
    "serrano-smith": serrano_smith,
}


def main() -> None:
    """Draw one page."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("page", choices=PAGES)
    PAGES[arguments.parse_args().page](load())


if __name__ == "__main__":
    stage(main)
