"""Data sets of the Hugging Face hub through the optional package `datasets`.

If `name` is a folder in the user's `folder`, it is read from there (files train.csv, test.parquet,
... in the hub's layout), otherwise from the hub.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from stages.corpora.examples import Example
from stages.settings.errors import UserError, one_of
from stages.settings.sources import Hub

# messages of `datasets` that are passed on; any other could quote the data
_ABOUT_SETTINGS = ("Unknown split", "BuilderConfig")


def read(place: Path, source: Hub) -> Iterator[Example]:
    """Every row of every split, in the order of the settings."""
    library = _library(source)
    for split, hub_split in source.splits.items():
        data = _loaded(library, place, source, hub_split)
        where = f"{source.name}, split {hub_split}"
        _check_columns(data.column_names, source, where)
        names = _class_names(library, data.features[source.label])
        for number, row in enumerate(data, start=1):
            yield _example(
                row, source, names, "" if split == "all" else split, f"{where}, row {number}"
            )


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


def _check_columns(columns: list[str], source: Hub, where: str) -> None:
    queries = () if source.query is None else (source.query,)
    for column in (*source.text, source.label, *queries):
        if column not in columns:
            raise UserError(f"{where}: no column '{column}'; there are: {one_of(columns)}")


def _class_names(library: Any, feature: Any) -> list[str]:
    """Class names of a label stored as a number; empty for other labels."""
    return list(feature.names) if isinstance(feature, library.ClassLabel) else []


def _example(row: dict[str, Any], source: Hub, names: list[str], split: str, where: str) -> Example:
    text = " ".join(_value(row, column, where) for column in source.text)
    query = "" if source.query is None else _value(row, source.query, where)
    label = _value(row, source.label, where)
    if names:  # -1 is the hub's mark of an unlabelled row: no class, removed and counted later
        label = dict(enumerate(names)).get(int(label or -1), "")
    return Example(text, label, split, query)


def _value(row: dict[str, Any], column: str, where: str) -> str:
    value = row[column]
    if not isinstance(value, str | int | float | None):
        raise UserError(
            f"{where}: column '{column}' is {type(value).__name__}; allowed: text or a number"
        )
    return "" if value is None else str(value)
