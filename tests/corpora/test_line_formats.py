"""SST trees and bAbI task files: examples by hand, and malformed lines."""

import pytest

from stages.corpora.examples import Example
from tests.corpora.reading import error_of, examples_of

TASK = (
    "1 Mary moved to the bathroom.\n"
    "2 John went to the hallway.\n"
    "3 Where is Mary? \tbathroom\t1\n"
    "4 Daniel went back to the hallway.\n"
    "5 Where is Daniel? \thallway\t4\n"
    "1 Sandra got the milk there.\n"
    "2 Who has the milk?\tSandra\n"
)


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_leaves_are_the_text_and_the_root_is_the_label(tmp_path):
    (tmp_path / "train.txt").write_text("(3 (2 It) (4 (2 's) (4 good)))\n(0 Bad)\n")
    blanks = "(2 (2 -LRB-) (2 8\u00a01\\/2) (2 8 1\\/2 ))\r\n"
    (tmp_path / "test.txt").write_text(blanks, encoding="utf-8")
    assert examples_of(tmp_path, "trees", files={"train": "train.txt", "test": "test.txt"}) == [
        Example("It 's good", "3", "train"),
        Example("Bad", "0", "train"),
        Example("-LRB- 8\u00a01\\/2 8 1\\/2", "2", "test"),
    ]


@pytest.mark.parametrize(
    "tree",
    [
        "",
        "()",
        "(3)",
        "(3 )",
        "good",
        "(5 secret)",
        "(x secret)",
        ")",
        "(3 ())",
        "(3 (2 secret) words)",
        "((2 secret))",
        "(3 (2 secret)",
        "(3 (2 secret)))",
        "(3 secret) (2 words)",
        "(3 secret))",
        "(3 (2 secret)) (2 words)",
    ],
)
def test_a_line_that_is_not_one_tree_is_refused(tmp_path, tree):
    (tmp_path / "train.txt").write_text(f"(3 fine)\n{tree}\n")
    message = error_of(tmp_path, "trees", file="train.txt")
    assert message.startswith("train.txt, line 2")
    assert "allowed" in message


def test_a_story_grows_by_statements_only_and_restarts_at_one(tmp_path):
    (tmp_path / "qa1_train.txt").write_text(TASK)
    first = "Mary moved to the bathroom . John went to the hallway"
    more = f"{first} . Daniel went back to the hallway"
    assert examples_of(tmp_path, "babi-files", files={"train": "qa1_train.txt"}) == [
        Example(first, "bathroom", "train", "Where is Mary"),
        Example(more, "hallway", "train", "Where is Daniel"),
        Example("Sandra got the milk there", "Sandra", "train", "Who has the milk"),
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
def test_a_malformed_line_of_a_task_is_refused(tmp_path, line, reason):
    (tmp_path / "qa1.txt").write_text(f"1 Mary sat.\n{line}\n")
    message = error_of(tmp_path, "babi-files", file="qa1.txt")
    assert message.startswith("qa1.txt, line 2: ")
    assert reason in message


def test_a_task_without_a_question_is_refused(tmp_path):
    (tmp_path / "statements.txt").write_text("1 Mary sat.\n")
    message = error_of(tmp_path, "babi-files", file="statements.txt")
    assert message.startswith("statements.txt: no question")
