"""What single stages get of params.yaml once scale, data set and exceptions have had their say.

DVC writes every value that a stage lists under `params` into dvc.lock, for every cell again, and
reads and writes that file at every step. Long settings therefore reach stages as files.
"""

from collections.abc import Iterator
from typing import Any

from stages.settings.params import Settings, TrainBudget
from stages.settings.studies import Study, StudyName

# page of the report -> what it iterates over
PAGES = {
    "data": ("corpora", "vectors"),
    "scores": ("cells",),
    "jain-wallace": ("scale", "cells", "corpora", "trials", "retrains"),
    "serrano-smith": ("scale", "cells", "corpora", "erasures"),
    "sun-lu": ("scale", "cells", "corpora", "polarities"),
    "meister": ("scale", "cells", "corpora", "dispersions", "retrains"),
    "amini-kosseim": ("scale", "cells", "corpora", "retrains"),
    "report": (
        *("scale", "fetch", "corpora", "vectors", "cells", "trials"),
        *("erasures", "polarities", "dispersions", "retrains"),
    ),
}


def granted(
    settings: Settings, study: StudyName, family: str, name: str
) -> Iterator[tuple[Study, TrainBudget]]:
    """Each model of a study on one data set, as a study of its own, with its budget."""
    whole = settings.studies[study].at(family, name)
    for model in whole.models:
        names = (family, name, model, f"{family}/{model}", f"{name}/{model}")
        budget = settings.budget.train_base[study].of(*names)
        yield budget.grants(whole, model), budget


def resolved(settings: Settings) -> dict[str, Any]:
    """Name of a file -> what is in it: `train_base/<cell>`, `retrain/<cell>`, `figures/<page>`."""
    found: dict[str, Any] = {}
    for name, cell in settings.cells.items():
        found[f"train_base/{name}"] = {
            dataset: [
                {"study": only.model_dump(exclude={"for_dataset"}), "tokens": budget.tokens}
                for only, budget in granted(settings, cell.study, cell.dataset, dataset)
            ]
            for dataset in settings.members(cell.dataset)
        }
    shared = {"budget": settings.budget.retrain, "procedures": settings.retrain}
    for name, opposed in settings.retrains.items():
        parts = shared | {"cell": opposed}
        found[f"retrain/{name}"] = {key: part.model_dump() for key, part in parts.items()}
    whole = settings.model_dump()
    for page, keys in PAGES.items():
        found[f"figures/{page}"] = {key: whole[key] for key in keys}
    return found
