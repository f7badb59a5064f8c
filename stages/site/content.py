"""What people wrote about a paper, in page.yaml of its folder: scope, captions, what counts."""

from pathlib import Path
from typing import Literal

from pydantic import ValidationError
from ruamel.yaml import YAML

from stages.settings.errors import UserError
from stages.settings.section import Section, frozen

Side = Literal["against", "for"]


class Key(Section):
    """A claim that the answer rests on: which way it speaks if it holds, and what it then says."""

    id: str
    speaks: Side
    holds: str
    fails: str


class Content(Section):
    """The words of a paper's page."""

    title: str
    authors: str
    printed: str
    question: str
    scope: tuple[str, ...]
    not_run: tuple[str, ...]
    deviations: tuple[str, ...]
    experiments: dict[str, tuple[str, ...]]  # -> claims
    key: tuple[Key, ...]
    figures: dict[str, str]  # file name without ending -> caption
    tables: dict[str, str]

    def experiment(self, claim: str) -> str:
        """The experiment that decides a claim."""
        found = (name for name, claims in self.experiments.items() if claim in claims)
        return next(found, "other")


def read(path: Path) -> Content:
    """The content of a page.yaml, or one sentence on what is wrong with it."""
    raw = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    try:
        return Content.model_validate(frozen(raw))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise UserError(f"{path}: {place or 'top'}: {first['msg']}") from None


def numbered(name: str) -> str:
    """`figure-3` as Figure 3, `supplement-14-24` as Supplement 14-24."""
    head, _, rest = name.partition("-")
    return f"{head.capitalize()} {rest.replace('-', '–')}" if rest[:1].isdigit() else _spoken(name)


def _spoken(name: str) -> str:
    return name.replace("-", " ").capitalize()
