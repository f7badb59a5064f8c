"""Command-line arguments of the stages that run jobs: a study, and some of its data sets."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stages.settings.errors import UserError, one_of


@dataclass(frozen=True)
class Selection:
    """What a stage was started for."""

    study: str
    groups: tuple[str, ...]  # data sets or groups of them
    whole: bool  # all that params.yaml lists


def selection(description: str | None, listed: Callable[[str], Sequence[str]]) -> Selection:
    """Parse `<study> [--only DATASET ...]`; `listed` gives the data sets of a study."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("study", help="an entry of studies: in params.yaml")
    parser.add_argument("--only", nargs="+", metavar="DATASET", help="some of its data sets")
    arguments = parser.parse_args()
    groups = tuple(listed(arguments.study))
    for name in arguments.only or ():
        if name not in groups:
            raise UserError(f"--only: no {name} of {arguments.study}; allowed: {one_of(groups)}")
    if arguments.only:
        return Selection(arguments.study, tuple(arguments.only), False)
    return Selection(arguments.study, groups, True)
