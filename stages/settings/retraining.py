"""Sections of params.yaml for adversaries trained from scratch (Wiegreffe & Pinter; AtteFa)."""

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from stages.settings.section import Count, Excepting, Fraction, Section
from stages.settings.studies import Positive, Study, StudyName


class Procedure(Section):
    """One way to train an adversary."""

    loss: Literal["bounded", "swept"]  # sTVD - sJSD; or TVD - strength * KL, one run for each
    start: Literal["fresh", "base"]  # newly drawn, or the base's own weights shaken a little
    epochs: Count
    patience: Count
    learning_rate: Positive
    hold: Annotated[int, Field(ge=0)] = 0  # first epochs in which attention's parameters stay
    strengths: tuple[Positive, ...] = ()  # lambda of Wiegreffe & Pinter
    only: tuple[str, ...] = ()  # models it is tried on; all where none is named

    @model_validator(mode="after")
    def _strengths_where_swept(self) -> "Procedure":
        if (self.loss == "swept") != bool(self.strengths):
            raise ValueError("strengths: needed with loss swept, and only there")
        return self


class Retrain(Section):
    """What is the same for all adversaries, and the procedures by name."""

    shake: Annotated[float, Field(ge=0)]  # noise on a start from the base, in its own deviations
    collapsed: Fraction  # deviation of outputs below which an adversary has given up
    procedures: dict[str, Procedure]


class RetrainCell(Section):
    """A node of retrain: whose models are opposed, and how.

    `taught` is a model with frozen attention to train under the base's and adversary's weights.
    """

    study: StudyName
    dataset: str
    vectors: str
    procedures: tuple[str, ...]
    models: tuple[str, ...] = ()  # all where none is named
    taught: str | None = None

    def named_in(
        self, place: str, retrain: Retrain, studies: Mapping[StudyName, Study]
    ) -> list[tuple[str, Iterable[str], Collection[str]]]:
        """What it names, and what there is to name: key, names, known names."""
        models = studies[self.study].models if self.study in studies else {}
        return [
            (f"{place}.procedures", self.procedures, retrain.procedures),
            (f"{place}.models", self.models, models),
            (f"{place}.taught", (self.taught,) if self.taught else (), models),
        ]


class RetrainBudget(Excepting):
    """How much retraining a scale does; null means all there is, or what the procedure says."""

    documents: Count | None  # of the training split
    epochs: Count | None
    learning_rate: Positive | None
    batch: Count | None
    bases: Count | None  # seeds of the base
    adversaries: Count  # seeds of the adversary against each
    instances: Count | None  # documents of dev, and of test
    tokens: Count | None  # of these
