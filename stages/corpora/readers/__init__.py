"""Readers: a data set's source settings and its place on disk to examples."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from stages.corpora.examples import Example
from stages.settings import sources
from stages.settings.errors import UserError


def read(place: Path, source: sources.Source, draw: np.random.Generator) -> Iterator[Example]:
    """The examples of one data set; only generated sets draw random numbers."""
    if not place.exists():
        raise UserError(
            f"{place} is not there; `dvc repro` fetches archives, own data you put there"
        )
    match source:
        case sources.Table():
            from stages.corpora.readers import table

            return table.read(place, source)
        case sources.Folders():
            from stages.corpora.readers import folders

            return folders.read(place, source)
        case sources.ImdbOfficial() | sources.RottenTomatoes():
            from stages.corpora.readers import movies

            return movies.read(place, source)
        case sources.VaderBins():
            from stages.corpora.readers import vader

            return vader.read(place, source)
        case sources.Trees():
            from stages.corpora.readers import trees

            return trees.read(place, source)
        case sources.BabiFiles():
            from stages.corpora.readers import babi_files

            return babi_files.read(place, source)
        case sources.Mimic():
            from stages.corpora.readers import mimic

            return mimic.read(place, source)
        case sources.Hub():
            from stages.corpora.readers import hub

            return hub.read(place, source)
        case sources.Mock():
            from stages.corpora.generated import mock

            return mock.generate(source, mock.read_lexicon(place), draw)
        case sources.BabiSimulator():
            from stages.corpora.generated import babi

            return babi.generate(source, draw)
        case sources.SunLu():
            from stages.corpora.generated import sun_lu

            return sun_lu.generate(source, draw)
