"""Word vectors for a vocabulary: read from a file, trained on the corpus, or drawn.

Row 0 (padding) is always zero. `missing` of the kind sets words without a vector to zeros or to a
standard normal draw (Jain & Wallace 2019: zeros in the code, normal in the text).
"""

from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stages.corpora.corpus import Corpus
from stages.corpora.vocabulary import COUNTED, PADDING, SPECIALS
from stages.settings.embedding import Drawn, Pretrained, VectorKind, Word2Vec
from stages.settings.errors import UserError

Vectors = NDArray[np.float32]
Flags = NDArray[np.bool_]


def vectors_for(
    corpus: Corpus, kind: VectorKind, seed: int, draw: np.random.Generator
) -> tuple[Vectors, Flags]:
    """Vectors (V, D) of the vocabulary, and which words (V,) have one."""
    shape = (corpus.vocabulary_size, kind.dimension)
    vectors, has_vector = np.zeros(shape, np.float32), np.zeros(shape[0], bool)
    if isinstance(kind, Drawn):
        uniform = kind.method == "uniform"
        drawn = draw.uniform(-1, 1, shape) if uniform else draw.normal(size=shape)
        vectors, has_vector = (kind.spread * drawn).astype(np.float32), ~has_vector
    else:
        rows = {word: row for row, word in enumerate(corpus.words)}
        if isinstance(kind, Pretrained):
            known = _pretrained(kind, rows)
        else:
            known = _trained(corpus, kind, seed)
        for word, vector in known:
            if word in rows and not has_vector[rows[word]]:  # the first of a word counts
                vectors[rows[word]], has_vector[rows[word]] = vector, True
        if kind.missing == "normal":
            missing = int((~has_vector).sum())
            vectors[~has_vector] = draw.normal(size=(missing, kind.dimension))
    if isinstance(kind, Word2Vec) and kind.unit_norm:
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(norms > 0, norms, 1)
    vectors[PADDING] = 0
    return vectors, has_vector


def out_of_vector_rates(corpus: Corpus, has_vector: Flags) -> dict[str, float]:
    """Share of tokens and of words in the vocabulary that have no vector."""
    ids = np.concatenate([corpus.ids[part.text.values] for part in corpus.parts.values()])
    words = ids[ids >= len(SPECIALS)]
    flags = {"tokens": has_vector[words], "words": has_vector[len(SPECIALS) :]}
    return {name: round(float(1 - flag.mean()), 4) for name, flag in flags.items()}


def _pretrained(kind: Pretrained, words: Collection[str]) -> Iterator[tuple[str, Vectors]]:
    path = Path(kind.file)
    if not path.is_file():
        raise UserError(
            f"{path} is not there; vectors are text files or npz with words and vectors"
        )
    if path.suffix == ".npz":
        yield from _from_npz(path, kind.dimension)
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            word, _, numbers = line.rstrip("\n").partition(" ")
            if word not in words:
                continue
            vector = np.fromstring(numbers, np.float32, sep=" ")
            if number == 1 and len(vector) == 1:
                continue  # the header of the word2vec text format: words and dimension
            if len(vector) != kind.dimension:
                raise UserError(
                    f"{path} line {number}: {len(vector)} numbers; dimension in params.yaml is "
                    f"{kind.dimension}"
                )
            yield word, vector


def _from_npz(path: Path, dimension: int) -> Iterator[tuple[str, Vectors]]:
    with np.load(path, allow_pickle=False) as arrays:
        if not {"words", "vectors"} <= set(arrays):
            raise UserError(
                f"{path}: expected the arrays words, vectors; there are: " + ", ".join(arrays)
            )
        if arrays["vectors"].ndim != 2 or arrays["vectors"].shape[1] != dimension:
            raise UserError(
                f"{path}: vectors have shape {arrays['vectors'].shape}; dimension in params.yaml "
                f"is {dimension}"
            )
        yield from zip(arrays["words"].tolist(), arrays["vectors"].astype(np.float32), strict=True)


def _trained(corpus: Corpus, kind: Word2Vec, seed: int) -> Iterator[tuple[str, Vectors]]:
    """CBOW on the corpus, rare words replaced by <unk> (Serrano & Smith 2019, vocabulary)."""
    from gensim.models import Word2Vec as Gensim

    words = corpus.words
    sentences = []
    for split in COUNTED[kind.trained_on]:
        ids = corpus.encoded(split, add_boundary_tokens=False)
        sentences += [[words[i] for i in ids[row]] for row in range(len(ids))]
    # one worker: with more threads the result depends on their timing
    model = Gensim(
        sentences,
        vector_size=kind.dimension,
        window=kind.window,
        sg=0,
        workers=1,
        negative=kind.negative,
        min_count=kind.min_count,
        epochs=kind.epochs,
        seed=seed % (1 << 31),
    )
    yield from zip(model.wv.index_to_key, model.wv.vectors, strict=True)
