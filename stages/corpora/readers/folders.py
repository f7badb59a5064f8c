"""Examples from one folder per class, one text file each."""

from collections.abc import Iterator
from pathlib import Path

from stages.corpora.examples import Example
from stages.settings.errors import UserError
from stages.settings.sources import Folders


def read(place: Path, source: Folders) -> Iterator[Example]:
    """The label is the folder's name; files in name order."""
    files = sorted(place.glob("*/*.txt"))
    if not files:
        raise UserError(f"{place} holds no <class>/<name>.txt")
    for path in files:
        yield Example(_decoded(path, source.encodings), path.parent.name)


def _decoded(path: Path, encodings: tuple[str, ...]) -> str:
    for encoding in encodings:
        try:
            return path.read_text(encoding=encoding)
        except UnicodeDecodeError:
            continue
    raise UserError(f"{path}: not {' or '.join(encodings)}")
