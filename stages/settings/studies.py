"""The `studies:` section: what each paper trains, and how.

A model is put together from parts; a part's kind is the name of a file in stages/nn/<parts>/, its
options are that file's own. So a new part is a file and an entry here, nothing else.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from stages.settings.errors import one_of
from stages.settings.section import Count, Section

StudyName = Literal["jain-wallace", "serrano-smith", "sun-lu", "meister", "amini-kosseim"]
Positive = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, lt=1)]
PARTS = Path(__file__).parents[1] / "nn"


class Choice(BaseModel):
    """A part by kind, with the options its file declares."""

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: str

    @property
    def options(self) -> dict[str, Any]:
        """Everything but the kind."""
        return dict(self.model_extra or {})

    def updated(self, options: dict[str, Any]) -> "Choice":
        """The same part with other options."""
        return Choice(kind=self.kind, **(self.options | options))


def _one_of_the(folder: str) -> AfterValidator:
    def check(choice: Choice) -> Choice:
        known = sorted(p.stem for p in (PARTS / folder).glob("*.py") if p.stem != "__init__")
        if choice.kind not in known:
            raise ValueError(f"'{choice.kind}' is unknown; allowed: {one_of(known)}")
        return choice

    return AfterValidator(check)


def _lambda_below_one(choice: Choice) -> Choice:
    strength = choice.options.get("strength")
    if strength is not None and not (isinstance(strength, int | float) and strength < 1):
        raise ValueError(f"strength (lambda) of sparsegen must be a number below 1, got {strength}")
    return choice


Encoder = Annotated[Choice, _one_of_the("encoders")]
Score = Annotated[Choice, _one_of_the("scores")]
Projection = Annotated[Choice, _one_of_the("projections"), AfterValidator(_lambda_below_one)]
Head = Annotated[Choice, _one_of_the("heads")]


class Dropout(Section):
    """Shares dropped in training: embedded words (hierarchical: sentences), words, pooled."""

    embedded: Share = 0.0
    words: Share = 0.0
    pooled: Share = 0.0


class Model(Section):
    """One named configuration; `each` crosses it with lists of option values."""

    architecture: Literal["flat", "hierarchical"] = "flat"
    encoder: Encoder
    score: Score
    projection: Projection
    head: Head
    two_classes: Literal["sigmoid", "softmax"]
    dropout: Dropout = Dropout()
    weights_of: str | None = None
    only: tuple[str, ...] = ()  # data sets or families it is trained on; all where none is named
    spread: Positive | None = None  # of drawn vectors, instead of the study's
    training: dict[str, Any] = Field(default_factory=dict)
    each: dict[Literal["projection.strength", "score.scale"], tuple[float, ...]] = Field(
        default_factory=dict
    )

    @model_validator(mode="after")
    def _each_below_one(self) -> "Model":
        if len(self.each) > 1:
            raise ValueError("each: one option at a time can be crossed with values")
        if any(value >= 1 for value in self.each.get("projection.strength", ())):
            raise ValueError("each: projection.strength (lambda) of sparsegen must be below 1")
        return self


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
    weight_decay: Decay
    loss: Literal["sum", "mean"]
    class_weights: bool
    batch: Count
    cap: Count | None = None
    length_jitter: Share
    epochs: Count
    first_epoch: Count
    clip: Positive | None = None
    patience: Count | None = None
    halve_on_plateau: bool
    metric: Literal["accuracy", "roc_auc"]
    product_penalty: Annotated[float, Field(ge=0)] = 0.0  # times |V.W|, context and output vector
    traced: Annotated[int, Field(ge=0)] = 0  # seeds whose gradient terms are kept at every epoch


class Overrides(Section):
    """What one data set changes: training values, options of encoders by kind, head, dropout.

    `without` names models that the study does not have on it; `models` changes single ones.
    """

    without: tuple[str, ...] = ()
    models: dict[str, dict[str, Any]] = Field(default_factory=dict)
    training: dict[str, Any] = Field(default_factory=dict)
    encoders: dict[str, dict[str, Any]] = Field(default_factory=dict)
    head: dict[Literal["flat", "hierarchical"], dict[str, Any]] = Field(default_factory=dict)
    dropout: dict[Literal["flat", "hierarchical"], Dropout] = Field(default_factory=dict)


class TokenGroups(Section):
    """Which tokens speak for a class (Sun & Lu): two classes by gamma = (f+ - f-) / (f+ + f-),
    more by the share of one label; all by counts in training documents."""

    gamma: Share  # beyond it a polarity token
    count: Count  # if it has more occurrences than this in its class
    neutral_gamma: Share  # below it neutral
    neutral_difference: Count  # if its counts differ by less than this
    share: Share  # of one label among more than two classes, beyond it a polarity token
    neutral_share: Share  # the largest share of a neutral token


class Study(Section):
    """One paper: its models, how they are trained, and what single data sets change of that."""

    seeds: tuple[int, ...]
    select_on: Literal["dev", "test"]
    add_boundary_tokens: bool
    vocabulary: Literal["known", "all types"]
    vectors: Literal["embed", "drawn"]
    dimension: Count | None = None  # of drawn vectors, uniform on (-spread, spread)
    spread: Positive | None = None
    together: bool
    groups: TokenGroups | None = None
    training: Training
    models: dict[str, Model]
    for_dataset: dict[str, Overrides] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _changes_hold(self) -> "Study":
        """What data sets and models change must leave valid settings, found out now, not later."""
        if self.vectors == "drawn" and not (self.dimension and self.spread):
            raise ValueError("drawn vectors need the keys dimension and spread")
        traced = [self.training.traced, *(m.training.get("traced") for m in self.models.values())]
        traced += [change.training.get("traced") for change in self.for_dataset.values()]
        if any(traced) and self.groups is None:
            raise ValueError(
                "traced training needs the key groups, which says what tokens to watch"
            )
        for dataset, change in self.for_dataset.items():
            for key, names in (("without", change.without), ("models", change.models)):
                for name in names:
                    if name not in self.models:
                        known = ", ".join(self.models)
                        raise ValueError(
                            f"for_dataset.{dataset}.{key}: no model {name!r}; allowed: {known}"
                        )
        where = ""
        try:
            for dataset in self.for_dataset:
                where = f"for_dataset.{dataset}"
                self.at(dataset)
            for name, model in self.models.items():
                where = f"models.{name}.training"
                Training.model_validate(self.training.model_dump() | model.training)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            message = first["msg"].removeprefix("Value error, ")
            message = message[0].lower() + message[1:]
            raise ValueError(f"{where}: {place}: {message}".replace(": :", ":")) from None
        return self

    def at(self, family: str, name: str | None = None) -> "Study":
        """The study as it is on a family of data sets, or on one data set of it."""
        names = (family,) if name in (None, family) else (family, str(name))
        kept = {
            model: settings
            for model, settings in self.models.items()
            if not settings.only or set(names) & set(settings.only)
        }
        study = self.model_copy(update={"models": kept})
        for each in names:
            study = study._changed_by(self.for_dataset.get(each, Overrides()))
        return study

    def _changed_by(self, change: Overrides) -> "Study":
        training = Training.model_validate(self.training.model_dump() | change.training)
        kept = {name: model for name, model in self.models.items() if name not in change.without}
        models = {
            name: _changed(model, change, change.models.get(name, {}))
            for name, model in kept.items()
        }
        return self.model_copy(update={"training": training, "models": models})


def _changed(model: Model, change: Overrides, own: dict[str, Any]) -> Model:
    kind = model.encoder.kind
    if own:
        training = model.training | own.get("training", {})
        model = Model.model_validate(model.model_dump() | own | {"training": training})
    return model.model_copy(
        update={
            "encoder": model.encoder.updated(change.encoders.get(kind, {})),
            "head": model.head.updated(change.head.get(model.architecture, {})),
            "dropout": change.dropout.get(model.architecture, model.dropout),
        }
    )
