"""The runs of a study: every model, sweep value and seed on a data set, within a scale."""

from dataclasses import dataclass

from stages.settings.params import Settings
from stages.settings.studies import Model, Training


@dataclass(frozen=True)
class Run:
    """One network to train."""

    study: str
    group: str
    dataset: str
    model: str
    value: float | None  # of the sweep
    seed: int
    settings: Model
    training: Training
    tokens: int | None  # of the training split, at most

    @property
    def replica(self) -> bool:
        """Whether it has another seed than the first."""
        return self.seed > 1

    @property
    def name(self) -> str:
        """Folder name: bilstm-additive+1, or dp@10+1 where an option is swept."""
        return self._named(self.model)

    @property
    def seeded_as(self) -> str:
        """The name that seeds its initial weights and batches."""
        return self._named(self.training.draws_of or self.model)

    def _named(self, model: str) -> str:
        value = "" if self.value is None else f"@{self.value:g}"
        return f"{model}{value}+{self.seed}"


def runs_of(settings: Settings, study: str, group: str) -> list[Run]:
    """The runs of a study on the data sets of a group."""
    return [
        run
        for dataset in settings.members(group)
        for model in settings.studies[study].entries
        for run in model_runs(settings, study, group, dataset, model)
    ]


def model_runs(
    settings: Settings, study_name: str, group: str, dataset: str, model: str
) -> list[Run]:
    """The runs of one model on one data set; none where the study does not train it there."""
    study = settings.studies[study_name]
    if not study.trained_on(model, dataset, group):
        return []
    entry = study.entry(model, dataset, group)
    budget = settings.budget.train_base[study_name].of(dataset=(dataset, group), model=(model,))
    seeds = range(1, min(study.seeds, budget.seeds or study.seeds) + 1)
    training = budget.apply(entry.training)
    return [
        Run(study_name, group, dataset, model, value, seed, swept, training, budget.tokens)
        for value, swept in entry.swept()
        if not budget.values or value is None or value in budget.values
        for seed in seeds
    ]
