"""Data sets of the Hugging Face hub through the optional package `datasets`.

If `name` is a folder in the user's `folder`, it is read from there (files train.csv, test.parquet,
... in the hub's layout), otherwise from the hub.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from stages.corpora.examples import Example
from stages.corpora.readers.table import example_of
from stages.settings.errors import UserError
from stages.settings.sources import Hub

# messages of `datasets` that are passed on; any other could quote the data
_ABOUT_SETTINGS = ("Unknown split", "BuilderConfig")


def read(place: Path, source: Hub) -> Iterator[Example]:
    """Every row of every split, in the order of the settings."""
    library = _library(source)
    for split, hub_split in source.splits.items():
        data = _loaded(library, place, source, hub_split)
        label = data.features.get(source.label)
        names = label.names if isinstance(label, library.ClassLabel) else ()
        for number, row in enumerate(data, start=1):
            where = f"{source.name}, split {hub_split}, row {number}"
            example = example_of(row, source, "" if split == "all" else split, where)
            if names:  # -1 marks an unlabelled row: no class, removed and counted later
                name = dict(enumerate(names)).get(int(example.label or -1), "")
                example = example._replace(label=name)
            yield example


def _library(source: Hub) -> Any:
    try:
        return import_module("datasets")
    except ImportError:
        raise UserError(
            f"{source.name} is read through the package datasets, which is not "
            "installed: pip install datasets"
        ) from None


def _loaded(library: Any, place: Path, source: Hub, hub_split: str) -> Any:
    folder = place / source.name
    name = str(folder) if folder.is_dir() else source.name
    try:
        return library.load_dataset(name, source.config, split=hub_split)
    except Exception as error:  # loaders raise exceptions of their formats
        raise UserError(
            f"{source.name}, split {hub_split}: datasets cannot load it "
            f"({_reason(error)}); allowed: a data set of the hub or a folder in source.folder"
        ) from None


def _reason(error: Exception) -> str:
    """The reason in one line: the library's message if it is about settings, else the type."""
    message = " ".join(str(error).split())
    if isinstance(error, OSError) or message.startswith(_ABOUT_SETTINGS):
        return message or type(error).__name__
    return type(error).__name__
