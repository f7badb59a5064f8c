"""erasure: attention weights set to zero, one and many, until the decision flips."""

import pandas as pd

from stages.counterfactual.erasure_tables import erasure_tables, mean_context
from stages.engine.grid import Subject
from stages.engine.trials import arguments, put_through
from stages.settings.errors import stage
from stages.settings.params import load


def tried(subject: Subject) -> dict[str, pd.DataFrame]:
    """One model."""
    options = load().erasure
    model, reader = subject.opened()
    training = subject.reader("train", load().budget.mean_context)
    return erasure_tables(
        model,
        reader,
        mean_context(model, training),
        options.random_orders,
        subject.seed_of("erasure"),
    )


def main() -> None:
    """All models of a study."""
    put_through(tried, "erasure", arguments(__doc__))


if __name__ == "__main__":
    stage(main)
