"""permutation: how far the output moves when attention is permuted, per document."""

from stages.counterfactual.tables import permutation_table
from stages.engine.analyses import Options, Tables, run_analysis
from stages.engine.trained import TrainedRun
from stages.settings.errors import stage


def analyse(run: TrainedRun, options: Options) -> Tables:
    """One run."""
    model, reader = run.load()
    table = permutation_table(model, reader, options.section, run.seed_of("permutation"))
    return {"instances": table}


if __name__ == "__main__":
    stage(lambda: run_analysis(analyse, "permutation", __doc__, replicas=True))
