"""The `studies:` section: what each paper trains, on which data sets."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from stages.settings.section import Count, Section

StudyName = Literal["jain-wallace", "serrano-smith", "sun-lu", "meister", "amini-kosseim"]
Encoder = Literal[
    "bilstm", "bigru", "cnn", "conv", "average", "mlp", "affine", "none", "transformer"
]
Attention = Literal["additive", "dot", "context"]


class Projection(Section):
    """How scores become weights; `strength` is the lambda of sparsegen."""

    kind: Literal["softmax", "sparsemax", "sparsegen", "uniform"]
    strength: Annotated[float, Field(lt=1)] | None = None

    @model_validator(mode="after")
    def _strength(self) -> "Projection":
        if (self.strength is not None) != (self.kind == "sparsegen"):
            raise ValueError("strength belongs to kind sparsegen, and only there")
        return self


class Study(Section):
    """The default grid of one paper."""

    datasets: tuple[str, ...]
    encoders: tuple[Encoder, ...]
    attentions: tuple[Attention, ...]
    projections: tuple[Projection, ...]
    epochs: Count
    seeds: tuple[int, ...]
