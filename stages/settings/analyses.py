"""The `analyses:` section: options of each analysis and the studies whose runs it measures."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from stages.settings.overrides import Overridable
from stages.settings.section import Count, Fraction, Names, Positive, Section


class DocumentBudget(Overridable):
    """How many test documents an analysis reads at a scale; null means all of them."""

    instances: Count | None = None
    tokens: Count | None = None


class Analysis(Section):
    """What every analysis has."""

    studies: dict[str, Literal["all"] | Names]  # study -> its data sets


class Correlation(Analysis):
    """Attention beside other measures of importance."""

    integrated_points: Count
    shares: Annotated[tuple[Fraction, ...], Field(min_length=1)]
    top_k: Count
    top_share: Fraction


class Permutation(Analysis):
    """Permuted attention."""

    count: Count


class Adversarial(Analysis):
    """The search for distant attention with the same output."""

    candidates: Count
    steps: Count
    learning_rate: Positive
    spread: Positive
    penalty: Positive
    margin: Positive
    epsilons: Annotated[tuple[Positive, ...], Field(min_length=1)]
    examples: Count


class Erasure(Analysis):
    """Attention weights set to zero until the decision flips."""

    random_orders: Count


class Dispersion(Analysis):
    """Influence of inputs on states."""

    positions: Count  # states of a document that are analysed, at most


class Procedure(Section):
    """One way to train an adversary."""

    loss: Literal["bounded", "swept"]  # sTVD - sJSD; or TVD - strength * KL, one run for each
    start: Literal["fresh", "base"]  # newly drawn, or the base's own weights with added noise
    epochs: Count
    patience: Count
    learning_rate: Positive
    hold: Annotated[int, Field(ge=0)] = 0  # first epochs in which attention's parameters stay
    strengths: tuple[Positive, ...] = ()  # lambda of Wiegreffe & Pinter
    models: tuple[str, ...] = ()  # it applies to; all where none is named

    @model_validator(mode="after")
    def _strengths_where_swept(self) -> "Procedure":
        if (self.loss == "swept") != bool(self.strengths):
            raise ValueError("strengths: needed with loss swept, and only there")
        return self


class Opponents(Section):
    """The adversaries that are trained against a study's runs on one data set."""

    procedures: Names
    models: tuple[str, ...] = ()  # all where none is named
    # a model with frozen attention to train under the base's and the adversary's weights
    guided: str | None = None


class Retrain(Section):
    """Adversaries trained from scratch (Wiegreffe & Pinter 2019; Amini & Kosseim 2022)."""

    studies: dict[str, dict[str, Opponents]]  # study -> data set -> adversaries
    start_noise: Annotated[float, Field(ge=0)]  # on a start from the base, in deviations
    collapsed: Fraction  # deviation of outputs below which an adversary counts as collapsed
    # dev and test documents that an epoch is scored on; the best epochs are scored on all
    epoch_documents: Count = 500
    procedures: dict[str, Procedure]


class RetrainBudget(Overridable):
    """How much retraining a scale does; null means all there is, or what the procedure says."""

    documents: Count | None = None  # of those that the base was trained on
    epochs: Count | None = None
    learning_rate: Positive | None = None
    batch: Count | None = None
    bases: Count | None = None  # seeds of the base
    adversaries: Count = 1  # seeds of the adversary against each
    instances: Count | None = None  # documents of dev, and of test
    tokens: Count | None = None  # of these


class Analyses(Section):
    """All analyses by name."""

    correlation: Correlation
    permutation: Permutation
    adversarial: Adversarial
    erasure: Erasure
    polarity: Analysis  # scores of single tokens; it has no options
    dispersion: Dispersion
    retrain: Retrain
