"""reports/jain-wallace from the results of the analyses."""

from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from stages.papers.jain_wallace import page
from stages.papers.jain_wallace.evidence import Results
from stages.papers.jain_wallace.interactive import STUDY, example_data
from stages.papers.jain_wallace.tables import table_1
from stages.papers.shared import reading
from stages.papers.shared.scores import confusion, score_table
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
        confusion(models),
        reading.retrained(settings, STUDY, "guided"),
    )
    faithfulness = _results(settings, "correlation", "faithfulness")
    page.write_tables(results, faithfulness, _table_1(settings, models), folder)
    processes = settings.budget.processes
    page.write_figures(results, folder / "figures", processes)
    page.write_examples(
        results.adversaries,
        _results(settings, "adversarial", "examples"),
        partial(reading.words, STUDY),
        folder / "figures",
        processes,
    )
    page.write_verdicts(results, settings.scale, folder)
    write_json(folder / "examples.json", example_data(settings), indent=None)
    with replacing(folder / "grid") as fresh:
        page.write_grid(results, fresh, processes)


def _results(settings: Settings, analysis: str, name: str) -> pd.DataFrame:
    """One table of an analysis over all data sets of the study."""
    return reading.analysed(settings, analysis, STUDY, name)


def _table_1(settings: Settings, models: list[dict[str, Any]]) -> pd.DataFrame:
    stats = reading.stats_of(STUDY, dict.fromkeys(about["dataset"] for about in models))
    stands_for = reading.stands_for(settings, STUDY)
    return table_1(stats, score_table(models, stands_for), stands_for)
