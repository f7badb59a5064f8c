"""bAbI task files: stories and questions by hand, and malformed lines."""

from pathlib import Path

import pytest

from stages.corpora.examples import Example
from stages.corpora.readers import babi_files
from stages.settings.errors import UserError
from stages.settings.sources import BabiFiles

TASK = (
    "1 Mary moved to the bathroom.\n"
    "2 John went to the hallway.\n"
    "3 Where is Mary? \tbathroom\t1\n"
    "4 Daniel went back to the hallway.\n"
    "5 Where is Daniel? \thallway\t4\n"
    "1 Sandra got the milk there.\n"
    "2 Who has the milk?\tSandra\n"
)


def read(place: Path, files: dict[str, str | tuple[str, ...]]) -> list[Example]:
    own = {
        split: tuple(str(place / name) for name in ((names,) if isinstance(names, str) else names))
        for split, names in files.items()
    }
    return list(babi_files.read(place, BabiFiles(kind="local", reader="babi-files", files=own)))


def test_a_story_grows_by_statements_only_and_restarts_at_one(tmp_path: Path) -> None:
    (tmp_path / "qa1_train.txt").write_text(TASK)
    first = "Mary moved to the bathroom . John went to the hallway"
    assert read(tmp_path, {"train": "qa1_train.txt"}) == [
        Example(first, "bathroom", "train", "Where is Mary"),
        Example(
            f"{first} . Daniel went back to the hallway", "hallway", "train", "Where is Daniel"
        ),
        Example("Sandra got the milk there", "Sandra", "train", "Who has the milk"),
    ]


def test_splits_keep_the_order_of_the_settings(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(f"1 {name} sat.\n2 Who sat?\t{name}\t1\n")
    examples = read(tmp_path, {"test": ("a", "b"), "all": "c"})
    assert [(example.label, example.split) for example in examples] == [
        ("a", "test"),
        ("b", "test"),
        ("c", ""),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "number is out of order; allowed: 1, 2"),
        ("Secret sat.", "number is out of order; allowed: 1, 2"),
        ("3 Secret sat.", "number is out of order; allowed: 1, 2"),
        ("2", "nothing follows the number"),
        ("2 Who?\t\t1", "not a question"),
        ("2 ?\tSecret\t1", "not a question"),
        ("2 Who?\tSecret\t1\t2", "not a question"),
        ("1 Who?\tSecret\t1", "a question before any statement"),
    ],
)
def test_a_malformed_line_is_refused(tmp_path: Path, line: str, reason: str) -> None:
    (tmp_path / "qa1.txt").write_text(f"1 Mary sat.\n{line}\n")
    with pytest.raises(UserError, match=f"qa1.txt, line 2: .*{reason}") as caught:
        read(tmp_path, {"train": "qa1.txt"})
    assert "Secret" not in str(caught.value)


def test_files_without_a_question_are_refused(tmp_path: Path) -> None:
    (tmp_path / "statements.txt").write_text("1 Mary sat.\n")
    with pytest.raises(UserError, match=r"statements.txt: no question"):
        read(tmp_path, {"train": "statements.txt"})
    with pytest.raises(UserError, match=r"none.txt: no such file"):
        read(tmp_path, {"train": "none.txt"})
