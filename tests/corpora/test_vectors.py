import numpy as np
import pytest

from stages.corpora.corpus import Corpus, Part
from stages.corpora.ragged import Ragged
from stages.corpora.vectors import out_of_vector_rates, vectors_for
from stages.settings.embedding import Drawn, Pretrained, Word2Vec
from stages.settings.errors import UserError

DIMENSION = 3


def corpus(repeats=1):
    text = Ragged.of([[0, 1, 2, 0]] * repeats)
    part = Part(np.zeros(repeats, np.int64), text)
    ids = np.array([4, 5, 1], np.int32)  # emu is not in the vocabulary
    parts = {"train": part, "dev": part, "test": part}
    return Corpus("toy", "classification", False, ("x",), ("cat", "dog", "emu"), ids, parts)


def pretrained(missing="zeros", file="v.txt", dimension=DIMENSION):
    file = f"data/own/{file}"
    return Pretrained(method="pretrained", file=file, dimension=dimension, missing=missing)


def vectors_of(kind, seed=1):
    return vectors_for(corpus(20), kind, seed, np.random.default_rng(seed))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    own = tmp_path / "data/own"
    own.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    (own / "v.txt").write_text("2 3\ncat 1 2 3\nemu 7 7 7\ncat 9 9 9\n", encoding="utf-8")
    return own


def test_text_file_first_line_of_a_word_wins_and_missing_words_are_zero():
    vectors, has_vector = vectors_of(pretrained())
    assert vectors.tolist() == [[0] * 3, [0] * 3, [0] * 3, [0] * 3, [1, 2, 3], [0] * 3]
    assert has_vector.tolist() == [False, False, False, False, True, False]


def test_missing_words_drawn_but_padding_zero():
    vectors, _ = vectors_of(pretrained("normal"))
    assert (vectors[0] == 0).all()
    assert (vectors[[1, 2, 3, 5]] != 0).all()
    assert vectors[4].tolist() == [1, 2, 3]


def test_rates_are_over_the_vocabulary():
    _, has_vector = vectors_of(pretrained())
    # of cat, dog, cat (emu is not in the vocabulary) dog has no vector
    assert out_of_vector_rates(corpus(), has_vector) == {"tokens": 0.3333, "words": 0.5}


def test_npz_file(folder):
    np.savez(folder / "v.npz", words=np.array(["dog"]), vectors=np.ones((1, 3)))
    vectors, _ = vectors_of(pretrained(file="v.npz"))
    assert vectors[5].tolist() == [1, 1, 1]


def test_bad_vector_files(folder):
    with pytest.raises(UserError, match=r"v\.txt line 2: 3 numbers; dimension in params.yaml is 4"):
        vectors_of(pretrained(dimension=4))
    with pytest.raises(UserError, match=r"none\.txt is not there"):
        vectors_of(pretrained(file="none.txt"))
    np.savez(folder / "w.npz", words=np.array(["dog"]))
    with pytest.raises(UserError, match="expected the arrays words, vectors"):
        vectors_of(pretrained(file="w.npz"))
    np.savez(folder / "w.npz", words=np.array(["dog"]), vectors=np.ones((1, 2)))
    with pytest.raises(UserError, match=r"shape \(1, 2\)"):
        vectors_of(pretrained(file="w.npz"))


def test_word2vec_is_repeatable_and_of_unit_norm():
    kind = Word2Vec(
        method="word2vec",
        dimension=8,
        window=2,
        negative=2,
        epochs=3,
        min_count=1,
        trained_on="train+dev",
        unit_norm=True,
        missing="zeros",
    )
    runs = [vectors_of(kind, seed) for seed in (1, 1, 2)]
    (one, has_vector), (again, _), (other, _) = runs
    assert one.tobytes() == again.tobytes() != other.tobytes()
    # unknown words train the <unk> row; <start> and <end> never occur
    assert has_vector.tolist() == [False, True, False, False, True, True]
    assert np.allclose(np.linalg.norm(one, axis=1), [0, 1, 0, 0, 1, 1], atol=1e-6)


@pytest.mark.parametrize(
    ("method", "spread", "low", "high"), [("uniform", 0.1, 0.05, 0.065), ("normal", 2.0, 1.8, 2.2)]
)
def test_drawn_vectors_have_the_spread_of_the_settings(method, spread, low, high):
    vectors, _ = vectors_of(Drawn(method=method, dimension=500, spread=spread))
    assert (vectors[0] == 0).all()
    assert low < vectors[1:].std() < high  # uniform on (-s, s) has a deviation of s / sqrt(3)
    if method == "uniform":
        assert np.abs(vectors).max() <= spread
