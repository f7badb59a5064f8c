"""Sections of params.yaml for the tests that trained models are put through."""

from stages.settings.section import Count, Fraction, Section
from stages.settings.studies import Positive

# test -> section of params.yaml that says which studies go through it, on which data sets
SECTIONS = {
    "correlation": "trials",
    "permutation": "trials",
    "adversarial": "trials",
    "erasure": "erasures",
    "polarity": "polarities",
    "dispersion": "dispersions",
}


class DocumentBudget(Section):
    """How many test documents a scale tries; null means all of them."""

    instances: Count | None
    tokens: Count | None


class Correlation(Section):
    """Attention beside other measures of importance."""

    integrated_points: Count
    shares: tuple[Fraction, ...]
    top_k: Count
    top_share: Fraction


class Permutation(Section):
    """Shuffled attention."""

    count: Count


class Erasure(Section):
    """Weights set to zero until the decision flips."""

    random_orders: Count


class Dispersion(Section):
    """Influence of inputs on states."""

    positions: Count  # states of a document looked at, at most


class Adversarial(Section):
    """The search for distant attention with the same answer."""

    candidates: Count
    steps: Count
    learning_rate: Positive
    spread: Positive
    penalty: Positive
    margin: Positive
    epsilons: tuple[Positive, ...]
    examples: Count
