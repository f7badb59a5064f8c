"""figures: tidy tables to the tables, figures and headline numbers in reports/."""

import argparse
from collections import defaultdict

import pandas as pd

from stages.papers.data.figures import draw_lengths
from stages.papers.data.tables import data_table, headline
from stages.papers.scores import score_table
from stages.papers.style import save_svg
from stages.settings import paths
from stages.settings.files import read_json, write_json
from stages.settings.params import Settings, load
from stages.settings.refusal import stage


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


def scores(settings: Settings) -> None:
    """Test scores of every study's models, one table each, and the mean accuracy of each study."""
    headline_scores = {}
    for study in settings.studies:
        cells = [cell for cell in settings.cells.values() if cell.study == study]
        families = [cell.dataset for cell in cells]
        folders = [
            paths.models(study, family, name)
            for family in families
            for name in settings.members(family)
        ]
        found = [
            read_json(about) for folder in folders for about in sorted(folder.glob("*/model.json"))
        ]
        if not found:
            continue  # no cell of this study is asked for
        stands_for = {name: data.stands_for for name, data in settings.datasets.items()}
        table = score_table(found, stands_for)
        folder = paths.REPORTS / study / "tables"
        folder.mkdir(parents=True, exist_ok=True)
        table.to_csv(folder / "scores.csv", index=False)
        headline_scores[study] = round(float(table["accuracy"].mean()), 4)
    write_json(paths.REPORTS / "scores.json", {"mean_test_accuracy": headline_scores})


PAGES = {"data": data, "scores": scores}


def main() -> None:
    """Draw one page."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("page", choices=PAGES)
    PAGES[arguments.parse_args().page](load())


if __name__ == "__main__":
    stage(main)
