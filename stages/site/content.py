"""The text of a paper's page, from page.yaml in its folder: scope, captions, key claims."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self

from stages.settings.reading import read_yaml, validated
from stages.settings.section import Section, frozen


class Key(Section):
    """A key claim: the side it supports if it holds, and the clause for either verdict."""

    id: str
    speaks: Literal["against", "for"]
    holds: str
    fails: str


class Content(Section):
    """The text of a paper's page."""

    title: str
    authors: str
    published: str  # venue and year
    question: str
    scope: tuple[str, ...]
    not_run: tuple[str, ...]
    deviations: tuple[str, ...]
    analyses: dict[str, tuple[str, ...]]  # -> claims
    key: tuple[Key, ...]
    figures: dict[str, str]  # file name without ending -> caption
    tables: dict[str, str]

    def analysis(self, claim: str) -> str:
        """The analysis that decides a claim."""
        names = (name for name, claims in self.analyses.items() if claim in claims)
        return next(names, "other")

    def filled(self, facts: Mapping[str, str]) -> Self:
        """The text with numbers of the run in place of {name}; ? before there is a run."""
        known = defaultdict(lambda: "?", facts)
        parts = ("scope", "not_run", "deviations")
        lines = {part: [line.format_map(known) for line in getattr(self, part)] for part in parts}
        return self.model_copy(update={part: tuple(some) for part, some in lines.items()})


def read(path: Path) -> Content:
    """The content of a page.yaml; a UserError names the first invalid key."""
    return validated(Content, frozen(read_yaml(path)), str(path))


def numbered(name: str) -> str:
    """`figure-3` as Figure 3, `supplement-14-24` as Supplement 14-24."""
    head, _, rest = name.partition("-")
    if rest[:1].isdigit():
        return f"{head.capitalize()} {rest.replace('-', '–')}"
    return name.replace("-", " ").capitalize()
