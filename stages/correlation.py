"""correlation: attention beside gradients, leave-one-out and other measures, per document."""

import pandas as pd

from stages.engine.grid import Subject
from stages.engine.trials import arguments, put_through
from stages.importance.tables import attention_table, faithfulness_tables, importance_tables
from stages.settings.errors import stage
from stages.settings.params import load
from stages.settings.seeds import generator


def tried(subject: Subject) -> dict[str, pd.DataFrame]:
    """One model."""
    settings = load()
    model, reader = subject.opened()
    if subject.replica:
        return {"weights": attention_table(model, reader)}
    names = (subject.study, subject.dataset, subject.cell.name)
    draw = generator(subject.seed, *names, "importance")
    found = importance_tables(model, reader, settings.correlation, draw)
    fewer = subject.reader("test", settings.budget.faithfulness)
    draw = generator(subject.seed, *names, "faithfulness")
    found |= faithfulness_tables(model, fewer, settings.correlation, draw)
    return found | {"weights": attention_table(model, reader)}


def main() -> None:
    """All models of a study."""
    put_through(tried, "correlation", arguments(__doc__), replicas=True)


if __name__ == "__main__":
    stage(main)
