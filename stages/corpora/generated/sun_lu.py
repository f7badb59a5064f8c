"""Sun & Lu's synthetic documents: polarity tokens among neutral ones, in no order.

Sun & Lu (2020), supplement C. In Data I a document's polarity tokens are of its own class; in
Data II the last few documents of each class have those of another class (noise). A token is its
group and a number ("positive17", "neutral512"), so that the group can be parsed from the name; ids
are assigned later, by frequency.
"""

from collections.abc import Iterator

import numpy as np

from stages.corpora.examples import Example
from stages.settings.sources import NEUTRAL, SunLu


def generate(source: SunLu, draw: np.random.Generator) -> Iterator[Example]:
    """The documents of all classes in random order, without splits."""
    plan = _plan(source)
    for place in draw.permutation(len(plan)):
        label, group = plan[place]
        yield Example(_document(source, group, draw), label)


def _plan(source: SunLu) -> list[tuple[str, str]]:
    """Label and polarity group of each document; the group of noise is that of the next class."""
    classes = list(source.documents)
    plan = []
    for label, other in zip(classes, [*classes[1:], classes[0]], strict=True):
        count = source.documents[label]
        noisy = round(source.noise * count)
        plan += [(label, label)] * (count - noisy) + [(label, other)] * noisy
    return plan


def _document(source: SunLu, group: str, draw: np.random.Generator) -> str:
    neutral = _tokens(NEUTRAL, source.neutral_types, source.neutral_tokens, draw)
    polarity = _tokens(group, source.types_per_class, source.polarity_tokens, draw)
    return " ".join(draw.permutation([*neutral, *polarity]))


def _tokens(group: str, types: int, count: int, draw: np.random.Generator) -> list[str]:
    """Distinct tokens of one group."""
    return [f"{group}{number}" for number in draw.choice(types, size=count, replace=False)]
