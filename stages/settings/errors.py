"""Bad input gets a sentence: one line that says what is wrong, where, and what is allowed."""

import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext

from stages.settings.timing import timed


class UserError(Exception):
    """The run cannot go on; the message is the one line the user reads."""


def one_of(allowed: Iterable[str]) -> str:
    """The allowed values as they appear at the end of a refusal."""
    return ", ".join(allowed)


def stage(main: Callable[[], None], note: bool = True) -> None:
    """Run a stage script and note what it took; a refusal becomes one line and exit code 1."""
    try:
        with timed() if note else nullcontext():
            main()
    except UserError as error:
        sys.exit(f"{sys.argv[0].rsplit('/', 1)[-1]}: {error}")
