"""A prepared data set: the output of preprocess and the input of all later stages."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stages.corpora.ragged import Ints, Ragged
from stages.corpora.vocabulary import END, SPECIALS, START
from stages.settings.errors import UserError
from stages.settings.files import read_json, write_json

PARTS = ("text", "query", "candidates", "sentences")
ABOUT = ("name", "task", "private", "labels")


@dataclass(frozen=True)
class Part:
    """One split: type indices of text and query, candidate labels, sentence lengths."""

    labels: NDArray[np.int64]
    text: Ragged
    query: Ragged | None = None
    candidates: Ragged | None = None
    sentences: Ragged | None = None

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Corpus:
    """All splits of a data set over one list of types; `ids` maps types to ids of the model."""

    name: str
    task: str
    private: bool
    labels: tuple[str, ...]
    types: tuple[str, ...]
    ids: Ints
    parts: dict[str, Part]

    @property
    def vocabulary_size(self) -> int:
        """Number of rows of an embedding table: words of the vocabulary and special tokens."""
        return int(self.ids.max(initial=len(SPECIALS) - 1)) + 1

    @property
    def words(self) -> list[str]:
        """The word of each model id."""
        words = [*SPECIALS, *[""] * (self.vocabulary_size - len(SPECIALS))]
        for token, model_id in zip(self.types, self.ids, strict=True):
            if model_id >= len(SPECIALS):
                words[model_id] = token
        return words

    def with_all_types(self) -> "Corpus":
        """The same corpus with every type in the vocabulary, by frequency (Sun & Lu)."""
        ids = np.arange(len(self.types), dtype=np.int32) + np.int32(len(SPECIALS))
        return replace(self, ids=ids)

    def encoded(self, split: str, field: str = "text", add_boundary_tokens: bool = True) -> Ragged:
        """Text or query as model ids, by default with <start> and <end>."""
        ragged = getattr(self.parts[split], field)
        coded = Ragged(self.ids[ragged.values], ragged.offsets)
        return coded.wrapped(START, END) if add_boundary_tokens else coded


def save(corpus: Corpus, folder: Path) -> None:
    """Write arrays.npz, types.txt and corpus.json into a folder."""
    arrays: dict[str, NDArray[np.generic]] = {"ids": corpus.ids}
    for split, part in corpus.parts.items():
        arrays[f"{split}.labels"] = part.labels
        for name in PARTS:
            ragged = getattr(part, name)
            if ragged is not None:
                arrays[f"{split}.{name}.values"] = ragged.values
                arrays[f"{split}.{name}.offsets"] = ragged.offsets
    np.savez(folder / "arrays.npz", allow_pickle=False, **arrays)
    (folder / "types.txt").write_text("\n".join(corpus.types), encoding="utf-8", newline="")
    about = {key: getattr(corpus, key) for key in ABOUT}
    write_json(folder / "corpus.json", about | {"splits": list(corpus.parts)})


def files(folder: Path) -> list[Path]:
    """The files that `save` writes."""
    return [folder / name for name in ("arrays.npz", "types.txt", "corpus.json")]


def load(folder: Path) -> Corpus:
    """Read what `save` wrote."""
    if not (folder / "corpus.json").is_file():
        raise UserError(f"{folder} holds no corpus; `dvc repro preprocess` makes it")
    about = read_json(folder / "corpus.json")
    types = (folder / "types.txt").read_bytes().decode("utf-8").split("\n")
    name, task, private, labels = (about[key] for key in ABOUT)
    with np.load(folder / "arrays.npz", allow_pickle=False) as arrays:
        parts = {split: _part(arrays, split) for split in about["splits"]}
        return Corpus(name, task, private, tuple(labels), tuple(types), arrays["ids"], parts)


def _part(arrays: "np.lib.npyio.NpzFile", split: str) -> Part:
    ragged = {
        name: Ragged(arrays[f"{split}.{name}.values"], arrays[f"{split}.{name}.offsets"])
        for name in PARTS
        if f"{split}.{name}.values" in arrays
    }
    return Part(arrays[f"{split}.labels"], **ragged)
