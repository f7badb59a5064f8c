"""Writes the table of data sets in data/README.md: `python -m stages.corpora.data_table`."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from stages.settings.catalogue import Catalogue, load_catalogue
from stages.settings.datasets import Dataset
from stages.settings.errors import stage
from stages.settings.params import load

README = Path("data/README.md")
MARKED = re.compile(r"(<!-- data table: [^\n]* -->\n).*?(<!-- end of data table -->)", re.S)
HEAD = "| data set | kind | what it is | stands for | owner | terms |\n|---|---|---|---|---|---|\n"


def markdown(catalogue: Catalogue, used: Collection[str]) -> str:
    """One row per entry of the catalogue; those that params.yaml uses are in bold."""
    return HEAD + "".join(
        _row(f"**{group}**" if group in used else group, catalogue.members(group))
        for group in catalogue.groups
    )


def _row(name: str, members: Mapping[str, Dataset]) -> str:
    first = next(iter(members.values()))
    title = first.title if len(members) == 1 else f"{len(members)} sets: {', '.join(members)}"
    kind = f"{first.source.kind}, private" if first.private else first.source.kind
    columns = (name, kind, f"{title}. {first.origin}", first.stands_for, first.owner, first.terms)
    return "| " + " | ".join(column.replace("|", "/") for column in columns) + " |\n"


def main() -> None:
    """Rewrite the table between the markers."""
    text = README.read_text(encoding="utf-8")
    table = markdown(load_catalogue(), load().corpora)
    README.write_text(MARKED.sub(lambda m: m[1] + table + m[2], text), encoding="utf-8")


if __name__ == "__main__":
    stage(main, note=False)
