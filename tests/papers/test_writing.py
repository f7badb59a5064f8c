"""Tables, figures, claims and metrics of a report: same bytes in parallel, errors by figure."""

import os
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from stages.papers.shared.writing import write_claims, write_figures
from stages.settings.errors import UserError
from tests.papers.common import files, written_json


def line(seed):
    """A figure and its numbers, a lambda among them."""
    values = np.random.default_rng(seed).random(20)
    figure, axis = plt.subplots(figsize=(2, 2), layout="constrained")
    axis.plot(values, label=f"seed {seed}")
    axis.fill_between(range(20), values, alpha=0.3)
    axis.legend()
    return figure, pd.DataFrame({"n": range(20), "value": values, "mean": values, "of": "x"})


def sketch():
    return plt.figure(figsize=(1, 1)), None


def broken():
    raise ValueError("no such\ncolumn")


def processes(folder):
    """A figure that records which process drew it."""
    (folder / str(os.getpid())).touch()
    return sketch()


FIGURES = {f"figure-{seed}": partial(line, seed) for seed in range(5)}


def test_drawing_in_parallel_gives_the_same_bytes(tmp_path):
    for most in (1, 3):
        write_figures(FIGURES | {"sketch": sketch}, tmp_path / str(most), 4, most)
    one, many = (files(tmp_path / name) for name in ("1", "3"))
    assert one == many
    numbers = {f"{name}.csv" for name in FIGURES}
    assert set(one) == numbers | {f"{name}.svg" for name in (*FIGURES, "sketch")}
    assert len({one[name] for name in numbers}) == len(FIGURES)
    assert not plt.get_fignums()


@pytest.mark.parametrize(("digits", "exact"), [(4, ()), (5, ()), (4, ("value",))])
def test_numbers_are_rounded_except_those_that_must_be_exact(tmp_path, digits, exact):
    write_figures({"one": partial(line, 1)}, tmp_path, digits, 1, exact)
    written, exact_table = pd.read_csv(tmp_path / "one.csv"), line(1)[1]
    assert written["mean"].to_list() == exact_table["mean"].round(digits).to_list()
    expected = exact_table["value"] if exact else exact_table["value"].round(digits)
    assert written["value"].to_list() == expected.to_list()
    assert written["n"].to_list() == list(range(20))


@pytest.mark.parametrize("most", [1, 2])
def test_an_error_names_its_figure_after_the_others_are_drawn(tmp_path, capsys, most):
    with pytest.raises(UserError, match=r"1 of 6 .*: wrong: ValueError: no such column"):
        write_figures({"wrong": broken, **FIGURES}, tmp_path, 4, most)
    assert {path.stem for path in tmp_path.glob("*.svg")} == set(FIGURES)
    assert "in broken" in capsys.readouterr().err
    write_figures({"sketch": sketch}, tmp_path, 4, most)  # no state of the failed call is left
    assert (tmp_path / "sketch.svg").is_file()


def test_without_fork_one_process_draws_everything(tmp_path, monkeypatch):
    drawn = {f"{number}": partial(processes, tmp_path) for number in range(4)}
    monkeypatch.setattr(sys, "platform", "darwin")
    write_figures(drawn, tmp_path / "figures", 4, 2)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [str(os.getpid())]
    assert len(files(tmp_path / "figures")) == 4


def test_names_may_have_folders_and_dots(tmp_path):
    write_figures({"part/a-0.5": partial(line, 0)}, tmp_path, 4, 1)
    assert set(files(tmp_path)) == {"part/a-0.5.svg", "part/a-0.5.csv"}


VERDICTS = {"X1": "holds", "X2": "not run", "X3": "holds", "X4": "fails"}


def test_metrics_are_headline_numbers_and_counts_of_verdicts(tmp_path):
    records = [{"id": name, "verdict": verdict} for name, verdict in VERDICTS.items()]
    write_claims(records, {"tau": 0.25, "absent": None}, tmp_path)
    assert written_json(tmp_path, "claims.json") == records
    assert written_json(tmp_path, "metrics.json") == {
        "tau": 0.25,
        "absent": None,
        "claims_hold": 2,
        "claims_fail": 1,
        "claims_undecided": 0,
    }
