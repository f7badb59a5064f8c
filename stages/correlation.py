"""correlation: attention beside gradients, leave-one-out and other measures, per document."""

from stages.engine.analyses import Options, Tables, run_analysis
from stages.engine.trained import TrainedRun
from stages.importance.tables import attention_table, faithfulness_tables, importance_tables
from stages.settings.errors import stage


def analyse(run: TrainedRun, options: Options) -> Tables:
    """One run; of further seeds only the attention weights."""
    model, reader = run.load()
    if run.run.replica:
        return {"weights": attention_table(model, reader)}
    tables = importance_tables(model, reader, options.section, run.generator("importance"))
    fewer = run.reader("test", options.budgets["faithfulness"])
    tables |= faithfulness_tables(model, fewer, options.section, run.generator("faithfulness"))
    return tables | {"weights": attention_table(model, reader)}


def main() -> None:
    """All runs of a study."""
    run_analysis(analyse, "correlation", __doc__, ("faithfulness",), replicas=True)


if __name__ == "__main__":
    stage(main)
