"""The table of ratios between markers of tests/README.md, from reports/benchmarks/ratios.csv."""

import re
from pathlib import Path

import pandas as pd

README, RATIOS = Path("tests/README.md"), Path("reports/benchmarks/ratios.csv")
START = "<!-- ratios: written by `python -m tests.benchmarks` -->"
END = "<!-- end of ratios -->"
HEADER = "| | literal way | here | ratio | bar |\n|---|---|---|---|---|"


def block(ratios: pd.DataFrame) -> str:
    """Speed of the literal way and of ours, their ratio and the bar of every case."""
    rows = []
    for case, ways in ratios.groupby("case", sort=False):
        ours, literal = ways.iloc[0], ways.iloc[1]
        speeds = (
            f"{_number(literal['per_second'])} {literal['unit']}/s | {_number(ours['per_second'])}"
        )
        bar = f"{literal['bar']:g}" if literal["bar"] > 0 else ""
        rows.append(f"| {case} | {speeds} | {_number(literal['ratio'])} | {bar} |")
    return "\n".join([START, HEADER, *rows, END])


def _number(value: float) -> str:
    """Two significant digits below 100, whole numbers above."""
    return f"{float(f'{value:.2g}'):g}" if value < 100 else f"{float(f'{value:.4g}'):,.0f}"


def rewrite() -> None:
    """Replaces the block in tests/README.md, after a run of the benchmarks."""
    pattern = re.compile(f"{re.escape(START)}.*?{re.escape(END)}", re.DOTALL)
    new = block(pd.read_csv(RATIOS))
    text = pattern.sub(lambda _: new, README.read_text(encoding="utf-8"))
    README.write_text(text, encoding="utf-8")
