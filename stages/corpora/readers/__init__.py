"""Readers: the source of a data set to its examples."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from stages.corpora.examples import Example
from stages.corpora.generated import babi, mock, sun_lu
from stages.corpora.readers import babi_files, folders, hub, mimic, movies, table, trees, vader
from stages.settings import sources
from stages.settings.errors import UserError


def read(place: Path, source: sources.Source, draw: np.random.Generator) -> Iterator[Example]:
    """The examples of one data set, from a file or folder; generated ones are drawn by `draw`."""
    if not place.exists():
        raise UserError(
            f"{place} is not there; `dvc repro` fetches archives, own data you put there"
        )
    match source:
        case sources.Table():
            return table.read(place, source)
        case sources.Folders():
            return folders.read(place, source)
        case sources.ImdbOfficial() | sources.RottenTomatoes():
            return movies.read(place, source)
        case sources.VaderBins():
            return vader.read(place, source)
        case sources.Trees():
            return trees.read(place, source)
        case sources.BabiFiles():
            return babi_files.read(place, source)
        case sources.Mimic():
            return mimic.read(place, source)
        case sources.Hub():
            return hub.read(place, source)
        case sources.Mock():
            vectors = source.vectors and Path(source.vectors)
            lexicon = mock.read_lexicon(place, vectors or None)
            return mock.generate(source, lexicon, draw)
        case sources.BabiSimulator():
            return babi.generate(source, draw)
        case sources.SunLu():
            return sun_lu.generate(source, draw)
