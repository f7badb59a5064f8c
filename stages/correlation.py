"""correlation: attention beside gradients, leave-one-out and other measures, per document."""

from stages.engine.analyses import Options, Tables, run_analysis
from stages.engine.trained import TrainedRun
from stages.importance.tables import faithfulness_tables, importance_tables
from stages.settings.errors import stage


def analyse(run: TrainedRun, options: Options) -> Tables:
    """One run; the slower measures, and those of every token, of the first seed only."""
    model, reader = run.load()
    tables = importance_tables(model, reader, options.section, run.generator("importance"))
    tables["weights"] = tables["tokens"][["instance", "position", "weight"]].copy()
    if run.run.replica:
        del tables["tokens"]
        return tables
    fewer = run.reader("test", options.budgets["faithfulness"])
    slower = faithfulness_tables(model, fewer, options.section, run.generator("faithfulness"))
    return tables | slower


if __name__ == "__main__":
    stage(lambda: run_analysis(analyse, "correlation", __doc__, ("faithfulness",), replicas=True))
