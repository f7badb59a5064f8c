"""Jobs over processes: order, failures, killed processes, the progress bar."""

import os
import pty
import signal
import subprocess
import sys
import termios
import time
from functools import partial

import pytest

from stages.engine.local import events, follow
from stages.settings.errors import UserError


def run(work, jobs, processes, tries=1, what="x"):
    named = [{"name": f"job {job}", "rate": 0.5} for job in jobs]
    follow(events(work, jobs, processes, tries), named, what)


def slowest_first(folder, job):
    time.sleep(0.05 * (3 - job))
    (folder / f"{job}-done").touch()


def odd_fails(folder, job):
    (folder / f"{job}-{time.time_ns()}").touch()
    if job % 2:
        raise ValueError(f"no odd\njob {job}")


def refused(job):
    raise UserError("data set toy: no")


def killed(folder, deadly, job):
    count = len(list(folder.glob(f"{job}-*")))
    (folder / f"{job}-{count}").touch()
    if job in deadly and count < deadly[job]:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.1)


def starts(folder, job):
    return len(list(folder.glob(f"{job}-*")))


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_every_job_is_started_in_order_and_done(tmp_path, processes):
    seen = list(events(partial(slowest_first, tmp_path), range(4), processes, 1))
    started = [place for place, event in seen if event is not None]
    assert started == [0, 1, 2, 3]
    assert sorted(place for place, event in seen if event is None) == started
    assert [starts(tmp_path, job) for job in range(4)] == [1, 1, 1, 1]
    assert list(events(partial(slowest_first, tmp_path), [], processes, 1)) == []


@pytest.mark.parametrize("processes", [1, 2])
def test_failures_are_tried_again_and_named_when_the_others_are_done(tmp_path, capfd, processes):
    with pytest.raises(UserError) as error:
        run(partial(odd_fails, tmp_path), range(5), processes, 3)
    assert str(error.value) == (
        "2 of 5 jobs failed and the others are done: "
        "job 1: ValueError: no odd job 1; job 3: ValueError: no odd job 3"
    )
    assert [starts(tmp_path, job) for job in range(5)] == [1, 3, 1, 3, 1]
    printed = capfd.readouterr().err
    assert 'failed: {"name": "job 3", "rate": 0.5}' in printed
    assert "in odd_fails" in printed


@pytest.mark.parametrize("processes", [1, 2])
def test_a_user_error_stays_one_sentence_and_is_not_tried_again(processes, capfd):
    with pytest.raises(UserError) as error:
        run(refused, [1, 2, 3], processes, 3)
    assert str(error.value) == "data set toy: no"
    assert "Traceback" not in capfd.readouterr().err


def test_a_killed_process_costs_only_its_own_time(tmp_path):
    deadly = {2: 1}  # the first time only
    run(partial(killed, tmp_path, deadly), range(6), 2, 2)
    assert starts(tmp_path, 2) == 2
    assert all(starts(tmp_path, job) for job in range(6))


@pytest.mark.parametrize("tries", [1, 3])
def test_a_job_that_is_always_killed_is_named_and_the_others_are_done(tmp_path, tries):
    deadly = {2: 99}
    with pytest.raises(
        UserError, match="1 of 6 jobs failed and the others are done: job 2: its pr"
    ):
        run(partial(killed, tmp_path, deadly), range(6), 2, tries)
    assert starts(tmp_path, 2) == max(tries, 2)
    assert all(starts(tmp_path, job) for job in range(6))


def test_no_progress_bar_where_there_is_no_terminal(tmp_path, capfd):
    run(partial(slowest_first, tmp_path), [0, 1], 2)
    assert capfd.readouterr() == ("", "")


def test_a_terminal_sees_what_runs_how_much_is_done_and_the_time_left(tmp_path):
    code = (
        "from pathlib import Path; from tests.engine.test_local import *\n"
        f"work = partial(slowest_first, Path({str(tmp_path)!r}))\n"
        "run(work, [0, 1, 2, 3], 2, what='sun-lu imdb')"
    )
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, 120))
    subprocess.run([sys.executable, "-c", code], stderr=slave, check=True)
    os.close(slave)
    shown = b""
    try:
        while part := os.read(master, 65536):
            shown += part
    except OSError:  # the terminal is gone
        pass
    text = shown.decode()
    assert "sun-lu imdb:" in text
    assert "job 0, job 1" in text
    assert "4/4" in text
    assert "<00:00" in text  # time left
