"""correlation: attention beside gradients, leave-one-out and other measures, per document."""

import argparse

import pandas as pd

from stages.engine.grid import Subject
from stages.engine.trials import arguments, put_through
from stages.importance.tables import importance_tables
from stages.settings.params import load
from stages.settings.refusal import stage
from stages.settings.seeds import generator


def tried(subject: Subject) -> dict[str, pd.DataFrame]:
    """One model."""
    model, reader = subject.opened()
    draw = generator(subject.seed, subject.study, subject.dataset, subject.cell.name, "importance")
    return importance_tables(model, reader, load().correlation, draw)


def main() -> None:
    """All models of a study on a data set."""
    given: argparse.Namespace = arguments(__doc__)
    put_through(tried, "correlation", given.study, given.dataset)


if __name__ == "__main__":
    stage(main)
