"""Sources as data/catalogue.yaml describes them, read as preprocess reads them."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from stages.corpora.examples import Example
from stages.corpora.readers import read
from stages.settings.errors import UserError
from stages.settings.seeds import generator
from stages.settings.sources import Source

SOURCE = TypeAdapter(Source)


def examples_of(
    place: Path, reader: str, kind: str = "local", seed: int = 1, **keys: Any
) -> list[Example]:
    source = SOURCE.validate_python({"reader": reader, "kind": kind, **keys})
    return list(read(place, source, generator(seed, reader)))


def error_of(place: Path, reader: str, kind: str = "local", **keys: Any) -> str:
    """The line that the source is refused with; it quotes no text of the data."""
    with pytest.raises(UserError) as caught:
        examples_of(place, reader, kind, **keys)
    message = str(caught.value)
    assert "\n" not in message
    assert "secret" not in message.lower()
    return message
