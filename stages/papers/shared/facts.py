"""Numbers of a run in the text of its page: page.yaml has {name} where one belongs.

Every study has those of `facts`; a paper can write further ones to the same file.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stages.settings.files import read_json, write_json
from stages.settings.params import Settings

FILE = "facts.json"
Facts = dict[str, str]


def facts(settings: Settings, study: str, models: list[dict[str, Any]]) -> Facts:
    """What was trained at this scale; `models` are the contents of model.json of the study."""
    runs = Counter((about["dataset"], about["name"], about["value"]) for about in models)
    values = sorted({about["value"] for about in models if about["value"] is not None})
    preprocess = settings.budget.preprocess
    lengths = [
        preprocess.of(dataset=(name, group)).max_length
        for group in settings.studies[study].datasets
        for name in settings.members(group)
    ]
    return {
        "scale": settings.scale,
        "train_documents": span(about["train_documents"] for about in models),
        "epochs": span(about["training"]["epochs"] for about in models),
        "seeds": f"{span(runs.values())} {'seeds' if max(runs.values()) > 1 else 'seed'}",
        "values": ", ".join(f"{value:g}" for value in values),
        "longest": "any number of" if None in lengths else span(filter(None, lengths)),
    }


def span(numbers: Iterable[int]) -> str:
    """The least and the largest: `97 to 6,415`, or one number if they are equal."""
    ordered = sorted(numbers)
    return " to ".join(f"{number:,}" for number in dict.fromkeys([ordered[0], ordered[-1]]))


def add_facts(more: Facts, folder: Path) -> None:
    """Add to the facts in the folder of a report."""
    write_json(folder / FILE, more | read_facts(folder))


def read_facts(folder: Path) -> Facts:
    """The facts in the folder of a report; none before it was written."""
    known: Facts = read_json(folder / FILE) if (folder / FILE).is_file() else {}
    return known
