"""Command-line arguments of the stages that run jobs: a study, and some of its data sets."""

import argparse
from collections.abc import Callable, Collection
from dataclasses import dataclass

from stages.settings.errors import UserError, one_of


@dataclass(frozen=True)
class Selection:
    """What a stage was started for."""

    groups: tuple[str, ...]  # data sets or groups of them
    whole: bool  # all that params.yaml lists
    study: str


def selection(
    description: str | None, listed: Callable[[str], Collection[str]], study: str | None = None
) -> Selection:
    """Parse `<study> [--only DATASET ...]`; `listed` gives the data sets of a study.

    Without the first argument where `study` names what the data sets belong to.
    """
    parser = argparse.ArgumentParser(description=description)
    if study is None:
        parser.add_argument("study", help="an entry of studies: in params.yaml")
    parser.set_defaults(study=study)
    parser.add_argument("--only", nargs="+", metavar="DATASET", help="some of the data sets")
    arguments = parser.parse_args()
    groups = tuple(listed(arguments.study))
    for name in arguments.only or ():
        if name not in groups:
            raise UserError(f"--only: no {name} of {arguments.study}; allowed: {one_of(groups)}")
    return Selection(tuple(arguments.only or groups), not arguments.only, arguments.study)
