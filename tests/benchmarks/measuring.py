"""How ratios are measured: fast and slow in one run, the best of a few."""

import time


def seconds(work, repeats=3):
    """The best of a few: what the work costs when nothing else disturbs it."""
    found = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return min(found)


def ratio(name, slow, slow_count, fast, fast_count, bar, unit="documents"):
    """Documents per second of the fast path over those of the slow one."""
    fast()  # compiled and warm
    quick, literal = seconds(fast) / fast_count, seconds(slow) / slow_count
    found = f"{1 / quick:,.0f} {unit}/s, literal {1 / literal:,.1f}"
    print(f"\n{name}: {found}, {literal / quick:.0f}x")
    assert literal / quick >= bar
