"""figures: tidy tables to the tables, figures and headline numbers in reports/<scale>."""

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from stages.papers.shared import reading
from stages.papers.shared.facts import add_facts, facts
from stages.papers.shared.results import gates
from stages.papers.shared.scores import run_scores, score_table
from stages.papers.shared.writing import write_tables
from stages.settings import paths
from stages.settings.errors import stage
from stages.settings.files import read_json, replacing, write_json
from stages.settings.params import Settings, load

Write = Callable[[Settings, Path], None]


def scores(settings: Settings, study: str, folder: Path) -> float:
    """Test scores, gates and facts of a study's runs, learning curves; returns mean accuracy."""
    models = reading.models(settings, study)
    table = score_table(models, reading.stands_for(settings, study))
    gate = gates(run_scores(models), settings.studies[study].gate)
    write_tables({"scores": table, "gate": gate.round(4)}, folder / "tables")
    write_tables({"learning": reading.histories(settings, study)}, folder / "plots")
    add_facts(facts(settings, study, models), folder)
    return round(float(table["accuracy"].mean()), 4)


def main() -> None:
    """Everything of one paper, or the tables of data sets."""
    settings = load()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", choices=["data", *settings.studies])
    page = parser.parse_args().page
    write: Write = import_module(f"stages.papers.{page.replace('-', '_')}.report").write
    reports = paths.reports(settings.scale)
    with replacing(reports / page) as folder:
        for name in ("tables", "figures"):
            (folder / name).mkdir()
        write(settings, folder)
        metrics = folder / "metrics.json"
        if metrics.is_file():
            values = read_json(metrics)
            if page in settings.studies:
                values["test_accuracy"] = scores(settings, page, folder)
            metrics.unlink()
            (reports / "metrics").mkdir(exist_ok=True)
            write_json(reports / "metrics" / f"{page}.json", values)


if __name__ == "__main__":
    stage(main)
