"""reports/<scale>/data: the table of data sets and the distributions of document lengths."""

from pathlib import Path

import pandas as pd

from stages.papers.data.figures import draw_lengths
from stages.papers.data.tables import data_table, headline
from stages.papers.shared.style import save_svg
from stages.settings import paths
from stages.settings.files import read_json, write_json
from stages.settings.params import Settings


def write(settings: Settings, folder: Path) -> None:
    """The table of data sets, and the figure of lengths with its numbers."""
    names = [name for group in settings.corpora for name in settings.members(group)]
    stats = {name: read_json(paths.vectors(name) / "stats.json") for name in names}
    lengths = pd.concat(
        pd.read_csv(paths.vectors(name) / "lengths.csv").assign(dataset=name) for name in names
    )[["dataset", "split", "length", "documents"]]
    rates = {name: read_json(paths.vectors(name) / "vectors.json") for name in names}
    missing = {name: f"{rate['kind']} {rate['tokens']}" for name, rate in rates.items()}
    data_table(stats, missing).to_csv(folder / "tables" / "table.csv", index=False)
    write_json(folder / "metrics.json", headline(stats))
    lengths.to_csv(folder / "figures" / "lengths.csv", index=False)
    save_svg(draw_lengths(lengths), folder / "figures" / "lengths.svg")
