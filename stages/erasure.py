"""erasure: attention weights set to zero, one and many, until the decision flips."""

from stages.counterfactual.erasure_tables import erasure_tables, mean_context
from stages.engine.analyses import Options, Tables, run_analysis
from stages.engine.trained import TrainedRun
from stages.settings.errors import stage


def analyse(run: TrainedRun, options: Options) -> Tables:
    """One run."""
    model, reader = run.load()
    context = mean_context(model, run.reader("train", options.budgets["mean_context"]))
    orders, seeds = options.section.random_orders, run.seed_of("erasure")
    return erasure_tables(model, reader, context, orders, seeds)


if __name__ == "__main__":
    stage(lambda: run_analysis(analyse, "erasure", __doc__, ("mean_context",)))
