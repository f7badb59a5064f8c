"""adversarial: attention as different as possible with the same output, per document."""

from stages.counterfactual.tables import adversarial_tables
from stages.engine.analyses import Options, Tables, run_analysis
from stages.engine.trained import TrainedRun
from stages.settings.errors import stage


def analyse(run: TrainedRun, options: Options) -> Tables:
    """One run; examples of the first seed only."""
    model, reader = run.load()
    tables = adversarial_tables(model, reader, options.section, run.seed_of("adversarial"))
    return {"instances": tables["instances"]} if run.run.replica else tables


if __name__ == "__main__":
    stage(lambda: run_analysis(analyse, "adversarial", __doc__, replicas=True))
