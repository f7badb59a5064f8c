"""Errors of the user: one line that names what is wrong, where, and what is allowed."""

import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext

from stages.settings.timing import timed


class UserError(Exception):
    """A mistake in settings, data or arguments; the message is the line that is printed."""


def one_of(allowed: Iterable[str]) -> str:
    """The allowed values as they appear at the end of a message."""
    return ", ".join(allowed)


def stage(main: Callable[[], None], note: bool = True) -> None:
    """Run a stage and record its time; a UserError becomes one line and exit code 1."""
    try:
        with timed() if note else nullcontext():
            main()
    except UserError as error:
        sys.exit(f"{sys.argv[0].rsplit('/', 1)[-1]}: {error}")
