"""One folder per class: labels, order and encodings."""

import pytest

from stages.corpora.examples import Example
from tests.corpora.reading import error_of, examples_of


@pytest.fixture
def place(tmp_path):
    for name in ("sport/002.txt", "sport/001.txt", "arts/001.txt", "arts/notes.md", "arts/a/b.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"the text\n\nof {name}")
    (tmp_path / "readme.txt").write_text("of no class")
    return tmp_path


def test_the_folder_is_the_label_and_names_give_the_order(place):
    assert examples_of(place, "folders", "registry") == [
        Example("the text\n\nof arts/001.txt", "arts"),
        Example("the text\n\nof sport/001.txt", "sport"),
        Example("the text\n\nof sport/002.txt", "sport"),
    ]


@pytest.mark.parametrize(
    ("content", "encodings", "text"),
    [
        ("£5 naïve".encode(), ("utf-8", "cp1252"), "£5 naïve"),
        (b"\xa35 \x93na\xefve\x94", ("utf-8", "cp1252"), "£5 “naïve”"),
        ("£".encode(), ("cp1252", "utf-8"), "Â£"),
    ],
)
def test_encodings_are_tried_in_their_order(place, content, encodings, text):
    (place / "arts/001.txt").write_bytes(content)
    assert examples_of(place, "folders", "registry", encodings=encodings)[0].text == text


@pytest.mark.parametrize(
    ("encodings", "named"), [(("utf-8",), "utf-8"), (("utf-8", "cp1252"), "utf-8 or cp1252")]
)
def test_a_file_in_none_of_the_encodings(place, encodings, named):
    path = place / "arts/001.txt"
    path.write_bytes(b"\x81")  # cp1252 leaves it undefined
    assert error_of(place, "folders", "registry", encodings=encodings) == f"{path}: not {named}"


def test_a_place_without_texts(tmp_path):
    (tmp_path / "arts").mkdir()
    assert error_of(tmp_path, "folders", "registry") == f"{tmp_path} holds no <class>/<name>.txt"
