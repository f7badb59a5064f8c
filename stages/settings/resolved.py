"""What single stages get of params.yaml once scale, data set and exceptions have had their say.

DVC writes every value that a stage lists under `params` into dvc.lock, for every cell again, and
reads and writes that file at every step. Settings therefore reach stages as files.
"""

from collections.abc import Iterator
from typing import Any

from stages.settings.analyses import SECTIONS
from stages.settings.params import Settings, TrainBudget
from stages.settings.studies import Study, StudyName

# test -> budgets of the scale that bound it, beside its own section
BUDGETS = {
    "correlation": ("correlation", "faithfulness"),
    "permutation": ("permutation",),
    "adversarial": ("adversarial",),
    "erasure": ("erasure", "mean_context"),
    "polarity": ("polarity",),
    "dispersion": ("dispersion",),
}
# page -> what it iterates over; and the report as a whole
PAGES = {
    "data": ("corpora", "vectors"),
    "jain-wallace": ("scale", "cells", "corpora", "trials", "retrains"),
    "serrano-smith": ("scale", "cells", "corpora", "erasures"),
    "sun-lu": ("scale", "cells", "corpora", "polarities"),
    "meister": ("scale", "cells", "corpora", "dispersions", "retrains"),
    "amini-kosseim": ("scale", "cells", "corpora", "retrains"),
}
REPORT = (
    *("scale", "fetch", "corpora", "vectors", "cells", "trials"),
    *("erasures", "polarities", "dispersions", "retrains"),
)


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
    """Name of a file -> what is in it."""
    return {
        **_texts(settings),
        **_training(settings),
        **_tests(settings),
        **_retraining(settings),
        **{f"figures/{page}": _dumped(settings, *keys) for page, keys in PAGES.items()},
        "figures/scores": _scores(settings),
        "report": _dumped(settings, *REPORT),
    }


def _scores(settings: Settings) -> dict[str, Any]:
    """What scores.csv is a table of, and what each data set stands for."""
    stands_for = {name: data.stands_for for name, data in settings.datasets.items()}
    return {**_dumped(settings, "cells"), "stands_for": stands_for}


def _dumped(settings: Settings, *keys: str) -> dict[str, Any]:
    return settings.model_dump(include=set(keys))


def _texts(settings: Settings) -> dict[str, Any]:
    """`fetch/<archive>`, `preprocess/<family>` and `embed/<vectors>`."""
    archives, kinds = settings.archives, settings.embed.kinds
    bounds = {
        **_dumped(settings, "seed", "preprocess"),
        "budget": settings.budget.preprocess.model_dump(),
    }
    return {
        **{
            f"fetch/{name}": [package.model_dump() for package in archives[name]]
            for name in settings.fetch.archives
        },
        **{
            f"preprocess/{family}": {
                **bounds,
                "datasets": {n: data.model_dump() for n, data in settings.members(family).items()},
            }
            for family in settings.corpora
        },
        **{
            f"embed/{name}": {"seed": settings.seed, **kinds[vectors.kind].model_dump()}
            for name, vectors in settings.vectors.items()
        },
    }


def _training(settings: Settings) -> dict[str, Any]:
    """`train_base/<cell>`: each model's own study and the tokens it is granted."""
    found = {}
    for name, cell in settings.cells.items():
        models = {
            dataset: [
                {"study": only.model_dump(exclude={"for_dataset"}), "tokens": budget.tokens}
                for only, budget in granted(settings, cell.study, cell.dataset, dataset)
            ]
            for dataset in settings.members(cell.dataset)
        }
        found[f"train_base/{name}"] = {"seed": settings.seed, "models": models}
    return found


def _tests(settings: Settings) -> dict[str, Any]:
    """`<test>/<study>`: what each of its data sets is tried with."""
    return {
        f"{test}/{study}": {name: trial_settings(settings, test, study, name) for name in names}
        for test, section in SECTIONS.items()
        for study, names in getattr(settings, section).items()
    }


def trial_settings(settings: Settings, test: str, study: StudyName, family: str) -> dict[str, Any]:
    """Section and budgets of a test, what it may say of the texts, groups of tokens for polarity.

    All else about a text reaches a test through the models.
    """
    budgets = {name: getattr(settings.budget, name).model_dump() for name in BUDGETS[test]}
    texts = {
        name: data.model_dump(include={"private", "task", "labels"})
        for name, data in settings.members(family).items()
    }
    found = {**_dumped(settings, "seed", test), "budgets": budgets, "texts": texts}
    groups = settings.studies[study].groups
    return found | {"groups": groups.model_dump()} if test == "polarity" and groups else found


def _retraining(settings: Settings) -> dict[str, Any]:
    """`retrain/<cell>`: its entry, the procedures and the budget."""
    shared = {
        **_dumped(settings, "seed", "retrain"),
        "budget": settings.budget.retrain.model_dump(),
    }
    return {
        f"retrain/{name}": {**shared, "cell": cell.model_dump()}
        for name, cell in settings.retrains.items()
    }
