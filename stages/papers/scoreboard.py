"""Writes the verdicts of reports/*/claims.json between the markers of the README.

Run `python -m stages.papers.scoreboard` after a run.
"""

import re
from pathlib import Path
from typing import Any

from stages.papers.claims import counted
from stages.settings import paths
from stages.settings.files import read_json

README = Path("README.md")
START, END = "<!-- verdicts: written by stages.papers.scoreboard -->", "<!-- end of verdicts -->"
PAPERS = {
    "jain-wallace": "Jain & Wallace 2019 (and Wiegreffe & Pinter 2019)",
    "serrano-smith": "Serrano & Smith 2019",
    "sun-lu": "Sun & Lu 2020",
    "meister": "Meister et al. 2021",
    "amini-kosseim": "Amini & Kosseim 2022",
}


def section(name: str, records: list[dict[str, Any]]) -> str:
    """One paper's claims as a folded table, with the counts in its heading."""
    counts = counted(records)
    heading = ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n)
    rows = "\n".join(map(_row, records))
    return (
        f"<details><summary><b>{PAPERS[name]}</b>: {heading}</summary>\n\n"
        f"| claim | ours (95 % interval) | n | verdict |\n|---|---|---|---|\n{rows}\n\n</details>"
    )


def _row(entry: dict[str, Any]) -> str:
    statement = entry["statement"].replace("|", "\\|")
    n = entry["n"] or ""
    return f"| {entry['id']}: {statement} | {measured(entry)} | {n} | {entry['verdict']} |"


def measured(entry: dict[str, Any]) -> str:
    """Our number with its interval; empty where there is none."""
    ours = "" if entry["ours"] is None else _number(entry["ours"])
    if entry["low"] is not None:
        ours += f" ({_number(entry['low'])} to {_number(entry['high'])})"
    return ours


def _number(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 1000 else f"{value:.0f}"


def block(reports: Path) -> str:
    """The text from marker to marker, both included."""
    sections = [
        section(name, read_json(reports / name / "claims.json"))
        for name in PAPERS
        if (reports / name / "claims.json").is_file()
    ]
    return "\n\n".join([START, *sections, END])


def rewritten(text: str, reports: Path) -> str:
    """The README with the block replaced."""
    pattern = re.compile(f"{re.escape(START)}.*?{re.escape(END)}", re.DOTALL)
    return pattern.sub(lambda _: block(reports), text)


if __name__ == "__main__":
    README.write_text(rewritten(README.read_text(encoding="utf-8"), paths.REPORTS), "utf-8")
