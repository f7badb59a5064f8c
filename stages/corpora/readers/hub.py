"""Data sets of the Hugging Face hub through the optional package `datasets`.

A thin adapter for sets no paper's own reader covers; a name that is a folder under the data set's
place is read from there (files train.csv, test.parquet, ... in the hub's layout), else by the hub.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from stages.corpora.examples import Example
from stages.settings.errors import UserError, one_of
from stages.settings.sources import Hub

# Messages of `datasets` that list what is allowed; any other could quote the data.
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
    except Exception as error:  # the loaders behind it raise whatever their formats raise
        raise UserError(
            f"{source.name}, split {hub_split}: datasets cannot load it "
            f"({_reason(error)}); allowed: a set of the hub or a folder in {place}"
        ) from None


def _reason(error: Exception) -> str:
    """What went wrong in one line, in the library's words where these are about settings."""
    message = " ".join(str(error).split())
    if isinstance(error, OSError) or message.startswith(_ABOUT_SETTINGS):
        return message or type(error).__name__
    return type(error).__name__


def _text_columns(source: Hub) -> tuple[str, ...]:
    return (source.text,) if isinstance(source.text, str) else source.text


def _check_columns(there: list[str], source: Hub, where: str) -> None:
    queries = () if source.query is None else (source.query,)
    for column in (*_text_columns(source), source.label, *queries):
        if column not in there:
            raise UserError(f"{where}: no column '{column}'; there are: {one_of(there)}")


def _class_names(library: Any, feature: Any) -> list[str]:
    """The names of a label stored as a class number, or none."""
    return list(feature.names) if isinstance(feature, library.ClassLabel) else []


def _example(row: dict[str, Any], source: Hub, names: list[str], split: str, where: str) -> Example:
    text = " ".join(_value(row, column, where) for column in _text_columns(source))
    query = "" if source.query is None else _value(row, source.query, where)
    label = _value(row, source.label, where)
    if names:  # the hub marks an unlabelled row by -1: no class, dropped and counted later
        label = dict(enumerate(names)).get(int(label or -1), "")
    return Example(text, label, split, query)


def _value(row: dict[str, Any], column: str, where: str) -> str:
    value = row[column]
    if not isinstance(value, str | int | float | None):
        raise UserError(
            f"{where}: column '{column}' is {type(value).__name__}; allowed: text or a number"
        )
    return "" if value is None else str(value)
