"""A result is whole or absent; a random draw depends on its names alone."""

import stat
from pathlib import Path

import pytest

from stages.settings.files import read_json, remove_others, replacing, write_json
from stages.settings.seeds import entropy, generator


def contents(folder: Path) -> dict[str, str]:
    """Every file below, hidden ones too."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in files}


@pytest.fixture
def target(tmp_path):
    folder = tmp_path / "raw" / "imdb"
    folder.mkdir(parents=True)
    (folder / "old.txt").write_text("old")
    (folder / "both.txt").write_text("old")
    return folder


def test_success_replaces_the_whole_folder(tmp_path, target):
    with replacing(target) as fresh:
        (fresh / "both.txt").write_text("new")
        (fresh / "deeper").mkdir()
        (fresh / "deeper" / "new.txt").write_text("new")
        assert contents(target) == {"old.txt": "old", "both.txt": "old"}  # not touched yet
    assert contents(tmp_path) == {"raw/imdb/both.txt": "new", "raw/imdb/deeper/new.txt": "new"}
    assert [path.name for path in target.parent.iterdir()] == ["imdb"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o755


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
def test_failure_leaves_the_old_folder_and_nothing_else(target, failure):
    def attempt():
        with replacing(target) as fresh:
            (fresh / "both.txt").write_text("half")
            raise failure

    with pytest.raises(failure):
        attempt()
    assert contents(target) == {"old.txt": "old", "both.txt": "old"}
    assert [path.name for path in target.parent.iterdir()] == ["imdb"]


def test_a_rename_that_fails_brings_the_old_folder_back(target, monkeypatch):
    rename = Path.rename

    def failing(path, to):
        if to == target and path.joinpath("new.txt").exists():
            raise OSError("no space left")
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="no space left"), replacing(target) as fresh:
        (fresh / "new.txt").write_text("new")
    assert contents(target) == {"old.txt": "old", "both.txt": "old"}
    assert [path.name for path in target.parent.iterdir()] == ["imdb"]


def test_a_first_result_makes_its_parents(tmp_path):
    with replacing(tmp_path / "a" / "b") as fresh:
        (fresh / "new.txt").write_text("new")
    assert contents(tmp_path) == {"a/b/new.txt": "new"}


def test_a_failed_first_result_leaves_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "b") as fresh:
        (fresh / "new.txt").rename(fresh / "newer.txt")
    assert list(tmp_path.iterdir()) == []


def test_only_folders_that_are_no_longer_listed_are_removed(tmp_path):
    for name in ("imdb", "bbc", ".bbc.being-written"):
        (tmp_path / name).mkdir()
    (tmp_path / "note.txt").write_text("mine")
    remove_others(tmp_path, ("imdb",))
    assert {path.name for path in tmp_path.iterdir()} == {"imdb", ".bbc.being-written", "note.txt"}


def test_json_is_readable_and_comes_back(tmp_path):
    value = {"b": [1, 2.5, None], "a": "naïve"}
    write_json(tmp_path / "x.json", value)
    text = (tmp_path / "x.json").read_text(encoding="utf-8")
    assert "naïve" in text
    assert text.index('"b"') < text.index('"a"')
    assert text.endswith("}\n")
    assert read_json(tmp_path / "x.json") == value


def test_the_number_is_the_same_on_every_machine():
    # the first 8 bytes of sha256("7\x1fimdb\x1fsplit"), halved
    assert entropy(7, "imdb", "split") == 5909634958965369279


def test_different_names_different_numbers():
    names = [(7,), (8,), (7, "imdb"), (7, "imdb", "split"), (7, "split", "imdb"), (7, "imdbsplit")]
    numbers = [entropy(*name) for name in names]
    assert len(set(numbers)) == len(names)
    assert all(0 <= number < 2**63 for number in numbers)
    assert generator(7, "imdb").random() != generator(7, "sst").random()
