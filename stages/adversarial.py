"""adversarial: attention as different as can be with the same answer, per document."""

import pandas as pd

from stages.counterfactual.tables import adversarial_tables
from stages.engine.grid import Subject
from stages.engine.trials import arguments, put_through
from stages.settings.errors import stage
from stages.settings.params import load


def tried(subject: Subject) -> dict[str, pd.DataFrame]:
    """One model."""
    model, reader = subject.opened()
    return adversarial_tables(
        model,
        reader,
        load().adversarial,
        subject.seed_of("adversarial"),
    )


def main() -> None:
    """All models of a study."""
    put_through(tried, "adversarial", arguments(__doc__))


if __name__ == "__main__":
    stage(main)
