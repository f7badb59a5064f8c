"""dispersion: how spread influence is over inputs and states, per document (Meister et al.)."""

import pandas as pd

from stages.engine.grid import Subject
from stages.engine.trials import arguments, put_through
from stages.importance.dispersion_tables import dispersion_tables
from stages.settings.errors import stage
from stages.settings.params import load
from stages.settings.seeds import generator


def tried(subject: Subject) -> dict[str, pd.DataFrame]:
    """One model; with softmax also the same before it was trained."""
    positions = load().dispersion.positions
    model, reader = subject.opened()
    names = (subject.study, subject.dataset, subject.cell.name, "dispersion")
    found = dispersion_tables(model, reader, positions, generator(subject.seed, *names))
    if subject.cell.settings.projection.kind != "softmax":
        return found
    fresh = dispersion_tables(
        subject.untrained(model), reader, positions, generator(subject.seed, *names)
    )
    return found | {"untrained": fresh["instances"]}


def main() -> None:
    """All models of a study."""
    put_through(tried, "dispersion", arguments(__doc__), replicas=True)


if __name__ == "__main__":
    stage(main)
