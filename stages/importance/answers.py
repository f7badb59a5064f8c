"""The output whose change importance measures: p of a sigmoid, or p of the predicted class."""

from torch import Tensor

from stages.nn.attention import AttentionModel


def answer_index(model: AttentionModel, logits: Tensor) -> Tensor:
    """Index (B, 1) of the most probable output; 0 for a sigmoid, which has only one."""
    return model.probabilities(logits).argmax(-1, keepdim=True)


def probability(model: AttentionModel, logits: Tensor, answers: Tensor) -> Tensor:
    """Probability (B,) of the outputs at `answers` (B, 1)."""
    return model.probabilities(logits).gather(-1, answers).squeeze(-1)
