"""figures: tidy tables to the tables, figures and headline numbers in reports/."""

import argparse

import pandas as pd

from stages.papers.data.figures import draw_lengths
from stages.papers.data.tables import data_table, headline
from stages.papers.style import save_svg
from stages.settings import paths
from stages.settings.files import read_json, write_json
from stages.settings.params import Settings, load
from stages.settings.refusal import stage


def data(settings: Settings) -> None:
    """The table of data sets, the figure of lengths with its numbers, and the headline counts."""
    folder = paths.REPORTS / "data"
    folder.mkdir(parents=True, exist_ok=True)
    names = list(settings.corpora)
    stats = {name: read_json(paths.CORPORA / name / "stats.json") for name in names}
    missing: dict[str, dict[str, float]] = {name: {} for name in names}
    for vectors in settings.vectors.values():
        rates = read_json(paths.VECTORS / vectors.dataset / vectors.kind / "stats.json")
        missing[vectors.dataset][vectors.kind] = rates["tokens"]
    lengths = pd.concat(
        pd.read_csv(paths.CORPORA / name / "lengths.csv").assign(dataset=name) for name in names
    )[["dataset", "split", "length", "documents"]]
    data_table(stats, missing).to_csv(folder / "table.csv", index=False)
    lengths.to_csv(folder / "lengths.csv", index=False)
    save_svg(draw_lengths(lengths), folder / "lengths.svg")
    write_json(folder / "metrics.json", headline(stats))


PAGES = {"data": data}


def main() -> None:
    """Draw one page."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("page", choices=PAGES)
    PAGES[arguments.parse_args().page](load())


if __name__ == "__main__":
    stage(main)
