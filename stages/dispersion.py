"""dispersion: how spread influence is over inputs and states, per document (Meister et al.)."""

from stages.engine.analyses import Options, Tables, run_analysis
from stages.engine.trained import TrainedRun
from stages.importance.dispersion_tables import dispersion_tables
from stages.settings.errors import stage


def analyse(run: TrainedRun, options: Options) -> Tables:
    """One run; with softmax also the same model before training."""
    model, reader = run.load()
    positions = options.section.positions
    tables = dispersion_tables(model, reader, positions, run.generator("dispersion"))
    if run.run.settings.projection.kind != "softmax":
        return tables
    fresh = run.untrained(model)
    untrained = dispersion_tables(fresh, reader, positions, run.generator("dispersion"))
    return tables | {"untrained": untrained["instances"]}


def main() -> None:
    """All runs of a study."""
    run_analysis(analyse, "dispersion", __doc__, replicas=True)


if __name__ == "__main__":
    stage(main)
