"""The table of ratios between markers of tests/README.md, from reports/benchmarks/ratios.csv."""

import re
from pathlib import Path

import pandas as pd

README, RATIOS = Path("tests/README.md"), Path("reports/benchmarks/ratios.csv")
START = "<!-- ratios: written by `python -m tests.benchmarks` -->"
END = "<!-- end of ratios -->"
HEADER = "| | ratio | bar | against | here |\n|---|---|---|---|---|"


def block(ratios: pd.DataFrame) -> str:
    """The ratio of speeds of every case, its bar, what it is against, and our speed."""
    rows = []
    for row in ratios.itertuples():
        bar = f"{row.bar:g}" if row.bar > 0 else ""
        here = f"{_number(row.ours_per_second)} {row.unit}/s"
        rows.append(f"| {row.case} | {_number(row.ratio)} | {bar} | {row.against} | {here} |")
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
