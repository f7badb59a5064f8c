"""What a test keeps and removes: tables that are lost are noticed, only stale ones go."""

import shutil
from types import SimpleNamespace

import pandas as pd
import pytest

from stages.engine import trials
from stages.settings.errors import UserError

TABLE = pd.DataFrame({"value": [1.0, 2.0]})


def trial(place, version="v"):
    return trials.Trial(SimpleNamespace(), place, version)


def test_tables_of_a_model_are_made_once(tmp_path, monkeypatch):
    monkeypatch.setattr(trials, "labelled", lambda test, subject: {"t": test(subject)})
    one, made = trial(tmp_path / "a"), []

    def test(subject):
        made.append(subject)
        return TABLE

    for _ in range(2):
        trials._once(test, one)
    assert len(made) == 1
    pd.testing.assert_frame_equal(trials._made(one)["t"], TABLE)
    trials._once(test, trial(one.place, "another"))
    assert len(made) == 2


def test_tables_that_another_run_took_away_are_missed(tmp_path):
    one = trial(tmp_path / "a")
    trials._write([{"t": TABLE}], one.place, one.version)
    trials._made(one)
    for change in (lambda: trials._write([{"t": TABLE}], one.place, "w"), None):
        change() if change else shutil.rmtree(one.place)
        with pytest.raises(UserError, match="was made and is gone; run again"):
            trials._made(one)


def test_only_folders_of_sets_no_longer_asked_for_are_removed(tmp_path):
    for name in ("imdb", "bbc", ".bbc.being-written"):
        (tmp_path / name).mkdir()
    (tmp_path / "note.txt").write_text("mine")
    trials._remove_others(tmp_path, ("imdb",))
    assert {path.name for path in tmp_path.iterdir()} == {"imdb", ".bbc.being-written", "note.txt"}
