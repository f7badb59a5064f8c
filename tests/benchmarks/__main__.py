"""Runs all benchmarks: `python -m tests.benchmarks` writes reports/benchmarks/.

ratios.csv: speed against the batched plain way and libraries. growth.csv, slopes.csv: cost by
length, documents, vocabulary. roofline.csv: distance to the limit of the machine. Each with a
figure. core_use.csv: how busy the jobs of the laptop run keep 2 and 8 workers. The table of ratios
in tests/README.md is rewritten.
"""

import time
from pathlib import Path

import pandas as pd

from stages.papers.shared.style import save_svg
from tests.benchmarks import cases, core_use, growth, readme, roofline

FOLDER = Path("reports/benchmarks")


def write(name, table, figure=None):
    print(f"\n{name}\n{table.to_string(index=False, float_format='{:,.2f}'.format)}", flush=True)
    # four significant digits: measured speeds are no more exact
    rounded = table.map(lambda value: float(f"{value:.4g}") if isinstance(value, float) else value)
    rounded.to_csv(FOLDER / f"{name}.csv", index=False)
    if figure is not None:
        save_svg(figure, FOLDER / f"{name}.svg")


def main():
    started = time.perf_counter()
    FOLDER.mkdir(parents=True, exist_ok=True)
    limits = roofline.measured()
    write("roofline", limits, roofline.draw(limits))
    curves = growth.measured()
    write("growth", curves, growth.draw(curves))
    write("slopes", growth.slopes(curves))
    print(f"leave-one-out, bilstm: {growth.half_constant(curves):.2f} of a fresh start")
    write("core_use", core_use.table(pd.read_csv(core_use.RECORDED)))
    ratios = cases.table()
    write("ratios", ratios, cases.draw(ratios))
    readme.rewrite()
    missed = ratios[ratios["ratio"] < ratios["bar"]]
    print(f"\n{len(missed)} bars missed, {time.perf_counter() - started:.0f} seconds in all")


if __name__ == "__main__":
    main()
