"""The base of every section of params.yaml: frozen, fully typed, no unknown key."""

from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

Count = Annotated[int, Field(ge=1)]
Fraction = Annotated[float, Field(gt=0, lt=1)]
Text = Annotated[str, BeforeValidator(lambda v: str(v) if isinstance(v, int | float) else v)]


class Section(BaseModel):
    """A mapping of params.yaml; a key it does not declare is an error naming the declared ones."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, values: Any) -> Any:
        if isinstance(values, dict):
            unknown = [key for key in values if key not in cls.model_fields]
            if unknown:
                allowed = [key for key, field in cls.model_fields.items() if not field.exclude]
                raise ValueError(f"unknown key {unknown[0]!r}; allowed: {', '.join(allowed)}")
        return values


class Excepting(Section):
    """A section of plain values, some of which are others for what `exceptions` name."""

    exceptions: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _exceptions_hold(self) -> Self:
        plain = self.model_dump(exclude={"exceptions"})
        for name, changed in self.exceptions.items():
            for key, value in changed.items():
                if key not in plain:
                    known = ", ".join(plain)
                    raise ValueError(f"exceptions.{name}: unknown key {key!r}; allowed: {known}")
                type(self).model_validate(plain | {key: value})
        return self

    def of(self, *names: str) -> Self:
        """The same with what is excepted under these names: data set, model, data set/model."""
        changed = self.model_dump()
        for name in names:
            changed |= self.exceptions.get(name, {})
        return type(self).model_validate(changed)


def frozen(value: Any) -> Any:
    """Lists as tuples, all the way down."""
    if isinstance(value, dict):
        return {key: frozen(inner) for key, inner in value.items()}
    return tuple(map(frozen, value)) if isinstance(value, list) else value
