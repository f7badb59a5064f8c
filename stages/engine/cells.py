"""The cells of a study on one data set: every model, option value and seed."""

import itertools
from dataclasses import dataclass

from stages.settings.studies import Model, Study


@dataclass(frozen=True)
class Cell:
    """One model to train. `runs` of one model can be trained together along an axis."""

    model: str
    settings: Model
    value: float | None
    seed: int

    @property
    def name(self) -> str:
        """Folder name: bilstm-additive+1, or dp@10+1 where the option is varied."""
        value = "" if self.value is None else f"@{self.value:g}"
        return f"{self.model}{value}+{self.seed}"


def cells_of(study: Study) -> list[Cell]:
    """All cells of a study."""
    return [
        Cell(name, settings, value, seed)
        for name, model in study.models.items()
        for (value, settings), seed in itertools.product(_each(model), study.seeds)
    ]


def _each(model: Model) -> list[tuple[float | None, Model]]:
    """The model with every value of its varied option, or just itself."""
    if not model.each:
        return [(None, model)]
    ((key, values),) = model.each.items()
    part, option = key.split(".")
    return [
        (value, model.model_copy(update={part: getattr(model, part).updated({option: value})}))
        for value in values
    ]
