"""reports/jain-wallace from the results of the analyses."""

from functools import partial
from pathlib import Path

import pandas as pd

from stages.papers.jain_wallace import page
from stages.papers.jain_wallace.evidence import Results
from stages.papers.jain_wallace.interactive import EXAMPLE, STUDY, example_data
from stages.papers.jain_wallace.tables import table_1, with_gates
from stages.papers.shared import reading
from stages.papers.shared.scores import run_scores
from stages.settings.files import replacing, write_json
from stages.settings.params import Settings


def write(settings: Settings, folder: Path) -> None:
    """Tables, figures, the exhaustive grid, claims and metrics of Jain & Wallace 2019."""
    taus, integrated, instances, weights, faithfulness = (
        reading.analysed(settings, "correlation", STUDY, name)
        for name in ("correlation", "integrated", "instances", "weights", "faithfulness")
    )
    models = reading.models(settings, STUDY)
    results = Results(
        pd.concat([taus, integrated]).merge(instances[[*EXAMPLE, "predicted"]], on=EXAMPLE),
        instances,
        weights,
        reading.analysed(settings, "permutation", STUDY, "instances"),
        reading.analysed(settings, "adversarial", STUDY, "instances"),
        with_gates(run_scores(models)),
        reading.retrained(settings, STUDY, "guided"),
    )
    gate, processes = settings.studies[STUDY].gate, settings.budget.processes
    stats = reading.stats_of(STUDY, dict.fromkeys(about["dataset"] for about in models))
    fidelity = page.write_tables(results, faithfulness, table_1(models, stats), folder)
    page.write_verdicts(results, gate, fidelity, folder)
    page.write_figures(results.drawn(gate), folder / "figures", processes)
    examples = reading.analysed(settings, "adversarial", STUDY, "examples")
    words = partial(reading.words, STUDY)
    page.write_examples(results.drawn(gate), examples, words, folder / "figures", processes)
    write_json(folder / "examples.json", example_data(settings), indent=None)
    with replacing(folder / "grid") as fresh:
        page.write_grid(results, fresh, processes)
