"""figures: tidy tables to the tables, figures and headline numbers in reports/."""

import argparse
from collections import defaultdict

import pandas as pd

from stages.papers import reading
from stages.papers.amini_kosseim import report as amini_kosseim
from stages.papers.data.figures import draw_lengths
from stages.papers.data.tables import data_table, headline
from stages.papers.jain_wallace import report as jain_wallace
from stages.papers.meister import report as meister
from stages.papers.scores import score_table
from stages.papers.serrano_smith import report as serrano_smith
from stages.papers.style import save_svg
from stages.papers.sun_lu import report as sun_lu
from stages.settings import paths
from stages.settings.errors import stage
from stages.settings.files import read_json, write_json
from stages.settings.params import Settings, load


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
        found = reading.models(settings, study)
        if not found:
            continue  # no cell of this study is asked for
        table = score_table(found, reading.stands_for(settings))
        table.to_csv(reading.report_folder(study) / "tables" / "scores.csv", index=False)
        headline_scores[study] = round(float(table["accuracy"].mean()), 4)
    write_json(paths.REPORTS / "scores.json", {"mean_test_accuracy": headline_scores})


PAGES = {
    "data": data,
    "scores": scores,
    "jain-wallace": jain_wallace.write,
    "serrano-smith": serrano_smith.write,
    "sun-lu": sun_lu.write,
    "meister": meister.write,
    "amini-kosseim": amini_kosseim.write,
}


def main() -> None:
    """Draw one page."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("page", choices=PAGES)
    PAGES[arguments.parse_args().page](load())


if __name__ == "__main__":
    stage(main)
