"""dispersion: how spread influence is over inputs and states, per document (Meister et al.)."""

from stages.counterfactual.tables import searched_table
from stages.engine.analyses import Options, Tables, run_analysis
from stages.engine.trained import TrainedRun
from stages.importance.dispersion_tables import dispersion_tables
from stages.settings.analyses import Adversarial
from stages.settings.errors import stage
from stages.settings.params import Settings


def analyse(run: TrainedRun, options: Options) -> Tables:
    """One run; with softmax also the same model before training.

    Distant attention is searched for in all models but those of the sweep over lambda.
    """
    model, reader = run.load()
    positions = options.section.positions
    tables = dispersion_tables(model, reader, positions, run.generator("dispersion"))
    if run.run.value is None:
        seed = run.seed_of("adversarial")
        searched = searched_table(model, reader, options.extra, seed)
        tables["instances"] = tables["instances"].merge(searched, on="instance")
    if run.run.settings.projection.kind != "softmax":
        return tables
    fresh = run.untrained(model)
    untrained = dispersion_tables(fresh, reader, positions, run.generator("dispersion"))
    return tables | {"untrained": untrained["instances"]}


def _search(settings: Settings, study: str) -> Adversarial:
    """The options of the search for distant attention."""
    return settings.analyses.adversarial.model_copy(update={"studies": {}})


if __name__ == "__main__":
    stage(lambda: run_analysis(analyse, "dispersion", __doc__, replicas=True, extra=_search))
