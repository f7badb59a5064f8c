"""The output whose change importance measures: a sigmoid's p, a softmax's p of its own answer."""

from torch import Tensor

from stages.nn.attention import AttentionModel


def answered(model: AttentionModel, logits: Tensor) -> Tensor:
    """Place of the answer among the outputs (B, 1); a sigmoid has just one."""
    return model.probabilities(logits).argmax(-1, keepdim=True)


def probability(model: AttentionModel, logits: Tensor, answers: Tensor) -> Tensor:
    """Probability (B,) of the given outputs (B, 1)."""
    return model.probabilities(logits).gather(-1, answers).squeeze(-1)
