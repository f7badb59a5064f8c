"""Starts a stage from a process that has the heavy libraries loaded already.

`python -m stages.engine.warm train_base imdb` does what `python -m stages.train_base imdb` does. To
import torch takes two seconds, to fork a process that has it next to nothing. So the first stage of
a DVC command starts such a process, which forks a child for each stage and ends with the command.
Started by hand, or where processes cannot be forked, a stage is run in the ordinary way.
"""

import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from pathlib import Path

FOLDER = Path(".dvc/tmp")
WORD = 8  # bytes of a number on the line


def main() -> None:
    """Hand the stage over, or run it here."""
    stage, *arguments = sys.argv[1:]
    command = dvc_above(os.getppid()) if sys.platform == "linux" else None
    line = None if command is None else _line_to(FOLDER / f"warm-{command}.sock", command)
    if line is None:
        run(stage, arguments)
    else:
        sys.exit(_handed_over(line, stage, arguments))


def run(stage: str, arguments: list[str]) -> None:
    """As `python -m` would, in this process."""
    sys.argv = [stage, *arguments]
    runpy.run_module(f"stages.{stage}", run_name="__main__", alter_sys=True)


def dvc_above(process: int) -> int | None:
    """The DVC command among a process and those above it, however many shells lie between."""
    while process > 1:
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[:3]
        if b"dvc" in [word.rsplit(b"/", 1)[-1] for word in words]:
            return process
        process = int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return None


def _line_to(place: Path, command: int) -> socket.socket | None:
    """A connection to the command's warm process, which is started if there is none."""
    line = _connected(place)
    if line is None:
        place.parent.mkdir(parents=True, exist_ok=True)
        given = [sys.executable, "-m", "stages.engine.warm_server", str(place), str(command)]
        server = subprocess.Popen(
            given,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert server.stdout is not None
        server.stdout.read()  # it is closed as soon as the process listens
        line = _connected(place)
    return line


def _connected(place: Path) -> socket.socket | None:
    line = socket.socket(socket.AF_UNIX)
    try:
        line.connect(str(place))
    except OSError:
        line.close()
        return None
    return line


def _handed_over(line: socket.socket, stage: str, arguments: list[str]) -> int:
    """The exit code of the stage, run by a child of the warm process with our own streams."""
    asked = {"stage": stage, "arguments": arguments, "environment": dict(os.environ)}
    message = json.dumps(asked).encode()
    socket.send_fds(line, [len(message).to_bytes(WORD, "big")], [0, 1, 2])
    line.sendall(message)
    child = number(line)
    while True:
        try:
            return number(line) % 256
        except KeyboardInterrupt:
            os.kill(child, signal.SIGINT)


def number(line: socket.socket) -> int:
    """The next number on the line."""
    return int.from_bytes(exactly(line, WORD), "big", signed=True)


def exactly(line: socket.socket, size: int) -> bytes:
    """So many bytes."""
    found = b""
    while len(found) < size:
        part = line.recv(size - len(found))
        if not part:
            sys.exit("warm: the process at the other end is gone")
        found += part
    return found


if __name__ == "__main__":
    main()
