"""A stage started from a warm process does what it does when it is started in the ordinary way."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stages.engine.warm import dvc_above

ROOT = Path(__file__).resolve().parents[2]
START = f"{sys.executable} -m stages.engine.warm"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")


@pytest.fixture
def project(tmp_path):
    """The code and the settings in a folder of their own, and a command that is called dvc."""
    folder = tmp_path / "project"
    shutil.copytree(ROOT / "stages", folder / "stages")
    shutil.copy(ROOT / "params.yaml", folder)
    return folder


def command(folder, lines):
    """As DVC runs stages: one after the other, from the project's folder."""
    script = folder.parent / "dvc"
    script.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    script.chmod(0o755)
    return subprocess.Popen(
        [script],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_interruptible,
    )


def _interruptible():
    """Tests that run in the background may have been told to ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def servers(folder):
    listed = subprocess.run(["pgrep", "-f", "stages.engine.warm_server"], capture_output=True)
    found = map(int, listed.stdout.split())
    return [one for one in found if os.path.realpath(f"/proc/{one}/cwd") == str(folder)]


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.json")}


def test_no_command_above_no_warm_process(project):
    assert dvc_above(1) is None
    done = subprocess.run(f"{START} resolve", shell=True, cwd=project, check=True)
    assert done.returncode == 0
    assert not servers(project)
    assert (project / "data/made-of/report.json").is_file()


def test_the_same_files_the_code_on_the_disk_and_no_process_left(project):
    subprocess.run([sys.executable, "-m", "stages.resolve"], cwd=project, check=True)
    expected = contents(project / "data/made-of")
    shutil.rmtree(project / "data/made-of")
    change = "echo 'print(\"changed\")' >> stages/resolve.py"
    running = command(project, [f"{START} resolve", change, f"{START} resolve", "ls .dvc/tmp"])
    out, errors = running.communicate(timeout=120)
    assert not errors
    changed, socket = out.split()
    assert changed == "changed"
    assert socket == f"warm-{running.pid}.sock"
    assert contents(project / "data/made-of") == expected
    for _ in range(100):
        if not servers(project):
            break
        time.sleep(0.1)
    assert not servers(project)
    assert not list((project / ".dvc/tmp").iterdir())


def test_exit_code_arguments_and_sentence_come_back(project):
    (project / "params.yaml").write_text("seed: 1\n")
    lines = [f"{START} resolve; echo $?", f"{START} figures nothing; echo $?"]
    out, errors = command(project, lines).communicate(timeout=120)
    assert out.split() == ["1", "2"]
    first, *rest = errors.splitlines()
    assert first.startswith("resolve.py: params.yaml: ")
    assert "invalid choice: 'nothing'" in rest[-1]


def test_an_interrupt_reaches_the_stage(project):
    slow = 'import time\nprint("at work", flush=True)\ntime.sleep(60)\n'
    (project / "stages/slow.py").write_text(slow)
    running = command(project, [f"{START} slow"])
    assert running.stdout.readline() == "at work\n"
    os.killpg(running.pid, signal.SIGINT)
    _, errors = running.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors
    assert "slow.py" in errors


def test_a_stage_ends_with_whoever_started_it(project):
    slow = "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(60)\n"
    (project / "stages/slow.py").write_text(slow)
    running = command(project, [f"{START} slow"])
    stage = int(running.stdout.readline())
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate(timeout=30)
    for _ in range(100):
        if not Path(f"/proc/{stage}").exists() and not servers(project):
            return
        time.sleep(0.1)
    pytest.fail("the stage or the warm process lives on")
