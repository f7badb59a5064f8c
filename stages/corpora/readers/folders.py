"""Examples from one folder per class, one text file each."""

from collections.abc import Iterator
from pathlib import Path

from stages.corpora.examples import Example
from stages.settings.refusal import Refusal


def read(place: Path) -> Iterator[Example]:
    """The label is the folder's name; files in name order."""
    files = sorted(place.glob("*/*.txt"))
    if not files:
        raise Refusal(f"{place} holds no <class>/<name>.txt")
    for path in files:
        try:
            yield Example(path.read_text(encoding="utf-8"), path.parent.name)
        except UnicodeDecodeError:
            raise Refusal(f"{path}: not UTF-8") from None
