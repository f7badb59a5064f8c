"""SST trees: leaves and root labels by hand, and lines that are not one tree."""

from pathlib import Path

import pytest

from stages.corpora.examples import Example
from stages.corpora.readers import trees
from stages.settings.errors import UserError
from stages.settings.sources import Trees


def read(place: Path, files: dict[str, str | tuple[str, ...]]) -> list[Example]:
    own = {
        split: tuple(str(place / name) for name in ((names,) if isinstance(names, str) else names))
        for split, names in files.items()
    }
    return list(trees.read(place, Trees(kind="local", reader="trees", files=own)))


def test_leaves_are_the_text_and_the_root_is_the_label(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("(3 (2 It) (4 (2 's) (4 good)))\n(0 Bad)\n")
    blanks = "(2 (2 -LRB-) (2 8\u00a01\\/2) (2 8 1\\/2 ))\r\n"
    (tmp_path / "test.txt").write_text(blanks, encoding="utf-8")
    assert read(tmp_path, {"train": "train.txt", "test": "test.txt"}) == [
        Example("It 's good", "3", "train"),
        Example("Bad", "0", "train"),
        Example("-LRB- 8\u00a01\\/2 8 1\\/2", "2", "test"),
    ]


def test_several_files_of_one_split_and_the_split_all(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("(1 a)")
    (tmp_path / "b.txt").write_text("(2 b)")
    assert read(tmp_path, {"all": ("a.txt", "b.txt")}) == [Example("a", "1"), Example("b", "2")]


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
def test_a_line_that_is_not_one_tree_is_refused(tmp_path: Path, tree: str) -> None:
    (tmp_path / "train.txt").write_text(f"(3 fine)\n{tree}\n")
    with pytest.raises(UserError, match=r"train.txt, line 2.*allowed") as caught:
        read(tmp_path, {"train": "train.txt"})
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_empty_and_undecodable_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "latin.txt").write_bytes(b"(3 fine)\n(3 caf\xe9)\n")
    with pytest.raises(UserError, match=r"none.txt: no such file"):
        read(tmp_path, {"train": "none.txt"})
    with pytest.raises(UserError, match=r"empty.txt: empty file"):
        read(tmp_path, {"train": "empty.txt"})
    with pytest.raises(UserError, match=r"latin.txt, line 2: not UTF-8"):
        read(tmp_path, {"train": "latin.txt"})
