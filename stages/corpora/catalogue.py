"""The README's table of data sets, from params.yaml: `python -m stages.corpora.catalogue`."""

import re
from collections.abc import Mapping
from pathlib import Path

from stages.settings.datasets import Dataset
from stages.settings.errors import stage
from stages.settings.params import Settings, load

README = Path("README.md")
MARKED = re.compile(r"(<!-- data table: [^\n]* -->\n).*?(<!-- end of data table -->)", re.S)
HEAD = "| data set | kind | what it is | stands for | owner | terms |\n|---|---|---|---|---|---|\n"


def markdown(settings: Settings) -> str:
    """One row per entry of `datasets:`; those that `dvc repro` prepares come in bold."""
    return HEAD + "".join(
        _row(family, settings.members(family), family in settings.corpora)
        for family in settings.families
    )


def _row(family: str, members: Mapping[str, Dataset], prepared: bool) -> str:
    first = next(iter(members.values()))
    name = f"**{family}**" if prepared else family
    title = first.title if len(members) == 1 else f"{len(members)} sets: {', '.join(members)}"
    kind = f"{first.source.kind}, private" if first.private else first.source.kind
    cells = (name, kind, f"{title}. {first.origin}", first.stands_for, first.owner, first.terms)
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |\n"


def main() -> None:
    """Rewrite the table between the README's markers."""
    text = README.read_text(encoding="utf-8")
    table = markdown(load())
    README.write_text(MARKED.sub(lambda m: m[1] + table + m[2], text), encoding="utf-8")


if __name__ == "__main__":
    stage(main)
