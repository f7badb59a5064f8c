"""reports/jain-wallace from the results of the analyses."""

from functools import partial
from pathlib import Path

import pandas as pd

from stages.papers.jain_wallace import page
from stages.papers.jain_wallace.evidence import Results
from stages.papers.jain_wallace.interactive import STUDY, example_data
from stages.papers.jain_wallace.tables import table_1, with_gates
from stages.papers.shared import reading
from stages.papers.shared.scores import run_scores
from stages.settings.files import replacing, write_json
from stages.settings.params import Settings


def write(settings: Settings, folder: Path) -> None:
    """Tables, figures, the exhaustive grid, claims and metrics of Jain & Wallace 2019."""
    taus = pd.concat(
        [_results(settings, "correlation", name) for name in ("correlation", "integrated")]
    )
    instances = _results(settings, "correlation", "instances")
    keys = ["dataset", "model", "seed", "instance"]
    weights = _results(settings, "correlation", "weights")
    models = reading.models(settings, STUDY)
    results = Results(
        taus.merge(instances[[*keys, "predicted"]], on=keys),
        instances,
        weights,
        _results(settings, "permutation", "instances"),
        _results(settings, "adversarial", "instances"),
        with_gates(run_scores(models)),
        reading.retrained(settings, STUDY, "guided"),
    )
    gate, processes = settings.studies[STUDY].gate, settings.budget.processes
    faithfulness = _results(settings, "correlation", "faithfulness")
    stats = reading.stats_of(STUDY, dict.fromkeys(about["dataset"] for about in models))
    fidelity = page.write_tables(results, faithfulness, table_1(models, stats), folder)
    page.write_verdicts(results, gate, fidelity, folder)
    page.write_figures(results.drawn(gate), folder / "figures", processes)
    weights_shown = _results(settings, "adversarial", "examples")
    words = partial(reading.words, STUDY)
    page.write_examples(results.drawn(gate), weights_shown, words, folder / "figures", processes)
    write_json(folder / "examples.json", example_data(settings), indent=None)
    with replacing(folder / "grid") as fresh:
        page.write_grid(results, fresh, processes)


def _results(settings: Settings, analysis: str, name: str) -> pd.DataFrame:
    """One table of an analysis over all data sets of the study."""
    return reading.analysed(settings, analysis, STUDY, name)
