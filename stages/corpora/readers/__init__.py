"""Readers: the source of a data set to its examples."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from stages.corpora.examples import Example
from stages.corpora.generated import babi, mock, sun_lu
from stages.corpora.readers import folders, hub, lines, mimic, movies, table
from stages.settings import sources
from stages.settings.errors import UserError

READERS: dict[type, Callable[[Path, Any], Iterator[Example]]] = {
    sources.Table: table.read,
    sources.Folders: folders.read,
    sources.Movies: movies.read,
    sources.VaderBins: movies.read_bins,
    sources.LineFiles: lines.read,
    sources.Mimic: mimic.read,
    sources.Hub: hub.read,
}


def read(place: Path, source: sources.Source, draw: np.random.Generator) -> Iterator[Example]:
    """The examples of one data set, from a file or folder; generated ones are drawn by `draw`."""
    if not place.exists():
        raise UserError(
            f"{place} is not there; `dvc repro` fetches archives, own data you put there"
        )
    match source:
        case sources.Mock():
            return mock.generate(source, mock.read_lexicon(place, source.vectors), draw)
        case sources.BabiSimulator():
            return babi.generate(source, draw)
        case sources.SunLu():
            return sun_lu.generate(source, draw)
    return READERS[type(source)](place, source)
