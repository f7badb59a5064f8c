"""The base of every section of a settings file: frozen, typed, no unknown key."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

Count = Annotated[int, Field(ge=1)]
Fraction = Annotated[float, Field(gt=0, lt=1)]
Positive = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, lt=1)]
Names = Annotated[tuple[str, ...], Field(min_length=1)]
OneOrMore = Annotated[Names, BeforeValidator(lambda v: (v,) if isinstance(v, str) else v)]
Text = Annotated[str, BeforeValidator(lambda v: str(v) if isinstance(v, int | float) else v)]


class Section(BaseModel):
    """A mapping of a settings file; an unknown key is an error that names the allowed ones."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, values: Any) -> Any:
        if isinstance(values, dict):
            fields = cls.model_fields
            allowed = [field.alias or key for key, field in fields.items() if not field.exclude]
            unknown = [key for key in values if key not in {*allowed, *fields}]
            if unknown:
                raise ValueError(f"unknown key {unknown[0]!r}; allowed: {', '.join(allowed)}")
        return values


def frozen(value: Any) -> Any:
    """Lists as tuples, all the way down."""
    if isinstance(value, dict):
        return {key: frozen(inner) for key, inner in value.items()}
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value
