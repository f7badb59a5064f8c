"""permutation: how far the output moves when attention is shuffled, per document."""

import pandas as pd

from stages.counterfactual.tables import permutation_table
from stages.engine.grid import Subject
from stages.engine.trials import arguments, put_through
from stages.settings.errors import stage
from stages.settings.params import load


def tried(subject: Subject) -> dict[str, pd.DataFrame]:
    """One model."""
    model, reader = subject.opened()
    table = permutation_table(
        model,
        reader,
        load().permutation,
        subject.seed_of("permutation"),
    )
    return {"instances": table}


def main() -> None:
    """All models of a study."""
    put_through(tried, "permutation", arguments(__doc__))


if __name__ == "__main__":
    stage(main)
