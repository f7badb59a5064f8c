"""The `studies:` section: what each paper trains, and how.

A model is built from parts. The kind of a part is the name of a file in stages/nn/<parts>/, its
options are the arguments of the class in that file: a new part is a file and an entry here.
"""

import itertools
import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from stages.settings.errors import one_of
from stages.settings.overrides import Overridable, Override, assigned, overridden
from stages.settings.section import Count, Fraction, Names, Positive, Section, Share

PARTS = Path(__file__).parents[1] / "nn"


class Choice(BaseModel):
    """A part by kind, with the options its file declares; just the kind where it has none."""

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: str

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, value: Any) -> Any:
        return {"kind": value} if isinstance(value, str) else value

    @property
    def options(self) -> dict[str, Any]:
        """Everything but the kind."""
        return dict(self.model_extra or {})


class Dropout(Section):
    """Shares dropped in training: embedded words (hierarchical: sentences), words, pooled."""

    embedded: Share = 0.0
    words: Share = 0.0
    pooled: Share = 0.0


class Model(Section):
    """The configuration of one network."""

    architecture: Literal["flat", "hierarchical"] = "flat"
    encoder: Choice
    score: Choice
    projection: Choice
    head: Choice
    two_classes: Literal["sigmoid", "softmax"]
    dropout: Dropout = Dropout()
    weights_of: str | None = None  # the model whose attention a `frozen` projection takes over
    spread: Positive | None = None  # of drawn vectors, instead of the study's

    @field_validator("encoder", "score", "projection", "head")
    @classmethod
    def _part(cls, choice: Choice, info: ValidationInfo) -> Choice:
        files = (PARTS / f"{info.field_name}s").glob("*.py")
        kinds = sorted(file.stem for file in files if file.stem != "__init__")
        if choice.kind not in kinds:
            raise ValueError(f"'{choice.kind}' is unknown; allowed: {one_of(kinds)}")
        strength = choice.options.get("strength", 0)
        if choice.kind == "sparsegen" and not (isinstance(strength, int | float) and strength < 1):
            raise ValueError(
                f"strength (lambda) of sparsegen must be a number below 1, got {strength}"
            )
        return choice


class Decay(Section):
    """Weight decay (L2) by group of parameters."""

    embedding: Annotated[float, Field(ge=0)] = 0.0
    encoder: Annotated[float, Field(ge=0)] = 0.0
    attention: Annotated[float, Field(ge=0)] = 0.0
    head: Annotated[float, Field(ge=0)] = 0.0


class Training(Section):
    """How one model is trained and which epoch is kept."""

    optimizer: Literal["adam", "amsgrad", "adagrad", "sgd"]
    learning_rate: Positive
    rate_decay: Annotated[float, Field(ge=0)] = 0.0
    weight_decay: Decay = Decay()
    loss: Literal["sum", "mean"]
    class_weights: bool = False
    batch: Count
    cap: Count | None = None
    length_jitter: Share | None = 0.1  # null: batches drawn from all lengths
    epochs: Count
    first_epoch: Count = 1
    clip: Positive | None = None
    patience: Count | None = None
    halve_on_plateau: bool = False
    metric: Literal["accuracy", "roc_auc"]
    select_on: Literal["dev", "test"] | None = None  # instead of the study's
    draws_of: str | None = None  # the model whose random draws this one shares
    product_penalty: Annotated[float, Field(ge=0)] = 0.0  # times |V.W|, context and output vector
    traced: Annotated[int, Field(ge=0)] = 0  # seeds whose gradient terms are kept at every epoch


class Entry(Model):
    """One model of a study with its training, after defaults and overrides."""

    datasets: tuple[str, ...] = ()  # data sets or groups it is trained on; all where none is named
    training: Training
    sweep: dict[Literal["projection.strength", "score.scale"], tuple[float, ...]] = Field(
        default_factory=dict, max_length=1
    )

    @property
    def model(self) -> Model:
        """The network alone."""
        return Model.model_validate(self.model_dump(include=set(Model.model_fields)))

    def swept(self) -> list[tuple[float | None, Model]]:
        """The model with every value of its sweep, or just itself."""
        if not self.sweep:
            return [(None, self.model)]
        ((key, values),) = self.sweep.items()
        dump = self.model.model_dump()
        return [(value, Model.model_validate(assigned(dump, key, value))) for value in values]


class TokenGroups(Section):
    """Which tokens speak for a class (Sun & Lu): two classes by gamma = (f+ - f-) / (f+ + f-),
    more by the share of one label; all by counts in training documents."""

    gamma: Share  # beyond it a polarity token
    count: Count  # if it has more occurrences than this in its class
    neutral_gamma: Share  # below it neutral
    neutral_difference: Count  # if its counts differ by less than this
    share: Share  # of one label among more than two classes, beyond it a polarity token
    share_count: Count  # if it has more occurrences than this in its class
    neutral_share: Share  # the largest share of a neutral token


class TrainBudget(Overridable):
    """How much of a study's training a scale does; null means what the study says."""

    epochs: Count | None = None
    tokens: Count | None = None
    seeds: Count | None = None
    learning_rate: Positive | None = None
    values: tuple[float, ...] = ()  # of a sweep; all where none is listed

    def apply(self, training: Training) -> Training:
        """The training with at most these epochs, at this learning rate."""
        return training.model_copy(
            update={
                "epochs": min(filter(None, (training.epochs, self.epochs))),
                "learning_rate": self.learning_rate or training.learning_rate,
            }
        )

    def check_values(
        self, section: str, sweeps: Mapping[tuple[str, str, str], Iterable[float]]
    ) -> None:
        """Refuse values that no sweep has.

        `sweeps` has the values of every trained model, none without a sweep, by data set, group
        and model. Values for data sets that the study leaves out for now are not checked.
        """
        everywhere = Override.model_construct(for_={}, set={"values": self.values})
        for place, override in enumerate((everywhere, *self.overrides)):
            key = f"{section}." + (f"overrides.{place - 1}.set.values" if place else "values")
            allowed: dict[str, set[float]] = {}
            for (dataset, group, model), sweep in sweeps.items():
                if override.matches(dataset=(dataset, group), model=(model,)):
                    allowed.setdefault(model, set()).update(sweep)
            for value in override.set.get("values", ()):
                if allowed and not any(allowed.values()):
                    raise ValueError(f"{key}: no model that it is for has a sweep")
                for model, values in allowed.items():
                    if values and value not in values:
                        listed = one_of(f"{one:g}" for one in sorted(values))
                        raise ValueError(
                            f"{key}: {value:g} is not in the sweep of {model}; allowed: {listed}"
                        )


class Gate(Section):
    """The test score that a run must reach to decide a claim.

    `floors` states it for data sets; otherwise it is `below_published` under the published score.
    """

    below_published: Fraction = 0.15
    floors: dict[str, Fraction] = Field(default_factory=dict)

    def floor(self, dataset: str, published: float) -> float:
        """The gate of a run; 0 where none is stated and no score was published (NaN)."""
        stated = 0.0 if math.isnan(published) else published - self.below_published
        return self.floors.get(dataset, stated)


PART_KEYS = ("architecture", "encoder", "score", "projection", "head")


class Study(Section):
    """One paper: its data sets, models and training.

    `models` holds named models and a `grid` whose axes are crossed; `defaults` are the keys that
    models do not set themselves.
    """

    datasets: Names
    seeds: Count
    select_on: Literal["dev", "test"] = "dev"
    add_boundary_tokens: bool
    vocabulary: Literal["known", "all types"] = "known"
    vectors: Literal["embed", "drawn"] = "embed"
    dimension: Count | None = None  # of drawn vectors, uniform on (-spread, spread)
    spread: Positive | None = None
    stacked: bool = False
    groups: TokenGroups | None = None
    gate: Gate = Gate()
    defaults: dict[str, Any] = Field(default_factory=dict)
    models: dict[str, dict[str, Any]]
    training: dict[str, Any]
    overrides: tuple[Override, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> "Study":
        if self.vectors == "drawn" and not (self.dimension and self.spread):
            raise ValueError("drawn vectors need the keys dimension and spread")
        if not self.entries:
            raise ValueError("models: no model is listed")
        return self

    @cached_property
    def entries(self) -> dict[str, dict[str, Any]]:
        """Raw entry of every model by name, defaults applied, the grid crossed."""
        named = dict(self.models)
        axes = dict(named.pop("grid", {}))
        template, exclude = axes.pop("name", None), axes.pop("exclude", ())
        if not isinstance(exclude, list | tuple):
            raise ValueError(f"models.grid.exclude: expected a list of models, got {exclude!r}")
        for axis, values in axes.items():
            if (
                axis not in PART_KEYS
                or not isinstance(values, Mapping | list | tuple)
                or not values
            ):
                raise ValueError(
                    f"models.grid: {axis!r} is no axis with values; allowed: {one_of(PART_KEYS)}"
                )
        crossed = {}
        for names in itertools.product(*axes.values()) if axes else ():
            entry = dict(zip(axes, names, strict=True))
            crossed[template.format(**entry) if template else "-".join(names)] = entry
        kept = {name: entry for name, entry in crossed.items() if name not in exclude}
        return {
            name: self.defaults | {key: _axis_value(axes, key, value) for key, value in own.items()}
            for name, own in (kept | named).items()
        }

    def trained_on(self, model: str, dataset: str, group: str) -> bool:
        """Whether a model is trained on a data set; `datasets` names data sets or groups."""
        names = self.entries[model].get("datasets", ())
        return not names or dataset in names or group in names

    def entry(self, name: str, dataset: str, group: str) -> Entry:
        """A model as it is trained on one data set of a group."""
        return Entry.model_validate(self.raw_entry(name, dataset, group))

    def raw_entry(self, name: str, dataset: str, group: str) -> dict[str, Any]:
        """The keys of an entry after defaults and overrides, not validated."""
        own = self.entries[name]
        raw = own | {"training": self.training | own.get("training", {})}
        return overridden(raw, self.overrides, dataset=(dataset, group), model=(name,))


def _axis_value(grid: Mapping[str, Any], key: str, value: Any) -> Any:
    """The options of a part that is named by its entry in the grid; `kind` defaults to the name."""
    values = grid.get(key)
    if isinstance(values, Mapping) and isinstance(value, str) and value in values:
        options = values[value]
        return {"kind": value, **options} if isinstance(options, Mapping) else options
    return value
