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
    study: str = ""


def selection(description: str | None, listed: Callable[[str], Collection[str]]) -> Selection:
    """Parse `<study> [--only DATASET ...]`; `listed` gives the data sets of a study."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("study", help="an entry of studies: in params.yaml")
    return _selection(parser, listed)


def selection_of_corpora(description: str | None, corpora: Collection[str]) -> Selection:
    """Parse `[--only DATASET ...]`."""
    parser = argparse.ArgumentParser(description=description)
    parser.set_defaults(study="corpora")
    return _selection(parser, lambda _: corpora)


def _selection(
    parser: argparse.ArgumentParser, listed: Callable[[str], Collection[str]]
) -> Selection:
    parser.add_argument("--only", nargs="+", metavar="DATASET", help="some of the data sets")
    arguments = parser.parse_args()
    groups = tuple(listed(arguments.study))
    for name in arguments.only or ():
        if name not in groups:
            raise UserError(f"--only: no {name} of {arguments.study}; allowed: {one_of(groups)}")
    chosen = tuple(arguments.only or groups)
    return Selection(chosen, not arguments.only, arguments.study)
