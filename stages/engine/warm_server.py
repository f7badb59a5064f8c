"""The warm process of a DVC command: libraries loaded, a child forked for every stage.

Code of the project is never loaded here, so a child always runs what lies on the disk. It ends with
the command; a stage whose starter is killed is ended.
"""

import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from stages.engine.warm import WORD, exactly, run

LIBRARIES = (
    *("torch", "torch._dynamo", "torch.func", "torch.optim", "numba", "pandas", "pyarrow.parquet"),
    *("pydantic", "ruamel.yaml", "safetensors.torch", "scipy.stats", "tqdm"),
    *("matplotlib.pyplot", "seaborn", "spacy.lang.en"),
)


def main() -> None:
    """Load, listen, serve; each child goes on from here with its stage."""
    place, command = Path(sys.argv[1]), int(sys.argv[2])
    for name in LIBRARIES:
        importlib.import_module(name)
    gc.freeze()  # what is loaded stays, and stays shared
    place.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place))
    listener.listen()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whoever started this process waits for it
    asked = Server(listener, os.pidfd_open(command)).serve()
    if asked is None:
        place.unlink(missing_ok=True)
        os._exit(0)  # there is nothing to tidy up
    run(asked["stage"], asked["arguments"])


class Server:
    """Waits for stages to start, for children to end and for the command to end."""

    def __init__(self, listener: socket.socket, command: int) -> None:
        self.listener, self.command = listener, command
        self.events = selectors.DefaultSelector()
        for source in (listener, command):
            self.events.register(source, selectors.EVENT_READ)
        self.children: dict[int, tuple[int, socket.socket]] = {}  # by the descriptor of each

    def serve(self) -> dict[str, Any] | None:
        """What a child was asked to do, in the child; None when all is over."""
        going = True
        while going or self.children:
            for key, _ in self.events.select():
                if key.fd not in self.events.get_map():
                    continue  # dealt with a moment ago
                if key.fileobj is self.listener:
                    asked = self._fork()
                    if asked is not None:
                        return asked
                elif key.fd == self.command:
                    self.events.unregister(self.command)
                    going = False
                elif key.fd in self.children:
                    self._ended(key.fd)
                else:
                    self._left(key.fd)
        return None

    def _fork(self) -> dict[str, Any] | None:
        """A child for one stage; in the child, what it is asked to do."""
        line, _ = self.listener.accept()
        size, streams, _, _ = socket.recv_fds(line, WORD, 3)
        asked: dict[str, Any] = json.loads(exactly(line, int.from_bytes(size, "big")))
        child = os.fork()
        if not child:
            self._close(line)
            for own, given in enumerate(streams):
                os.dup2(given, own)
            os.environ.clear()
            os.environ.update(asked["environment"])
            return asked
        for given in streams:
            os.close(given)
        line.sendall(child.to_bytes(WORD, "big", signed=True))
        descriptor = os.pidfd_open(child)
        self.children[descriptor] = (child, line)
        for source in (descriptor, line):
            self.events.register(source, selectors.EVENT_READ)
        return None

    def _close(self, line: socket.socket) -> None:
        """Nothing of the server stays open in a child."""
        self.events.close()
        os.close(self.command)
        for open_line in (self.listener, line, *(other for _, other in self.children.values())):
            open_line.close()
        for descriptor in self.children:
            os.close(descriptor)

    def _ended(self, descriptor: int) -> None:
        """Tell the starter of a child how it ended."""
        child, line = self.children.pop(descriptor)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        self.events.unregister(descriptor)
        os.close(descriptor)
        if line.fileno() in self.events.get_map():  # else its starter is gone
            self.events.unregister(line)
            with contextlib.suppress(OSError):
                line.sendall(code.to_bytes(WORD, "big", signed=True))
        line.close()

    def _left(self, descriptor: int) -> None:
        """The starter of a stage is gone: end the stage too."""
        self.events.unregister(descriptor)
        for child, line in self.children.values():
            if line.fileno() == descriptor:
                os.kill(child, signal.SIGTERM)


if __name__ == "__main__":
    main()
