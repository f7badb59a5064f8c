"""Exceptions: an ordered list of `{for: {...}, set: {...}}` in which later entries win.

`for` matches names by shell patterns; `dataset` matches a data set or its group. `set` assigns
values to dotted keys.
"""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from stages.settings.errors import one_of
from stages.settings.section import OneOrMore, Section

Selector = Literal["dataset", "model", "procedure"]


class Override(Section):
    """Values for the runs that match every pattern of `for`."""

    for_: dict[Selector, OneOrMore] = Field(alias="for", min_length=1)
    set: dict[str, Any] = Field(min_length=1)

    def matches(self, **names: Sequence[str]) -> bool:
        """Whether one of the names given for each selector matches one of its patterns."""
        return all(
            any(fnmatchcase(name, pattern) for name in names.get(key, ()) for pattern in patterns)
            for key, patterns in self.for_.items()
        )


def overridden(
    values: Mapping[str, Any], overrides: Iterable[Override], **names: Sequence[str]
) -> dict[str, Any]:
    """The values after all matching overrides."""
    result = dict(values)
    for override in overrides:
        if override.matches(**names):
            for key, value in override.set.items():
                result = assigned(result, key, value)
    return result


def assigned(values: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    """A copy with the value at a dotted key; mappings on the way are made where missing."""
    first, _, rest = key.partition(".")
    if rest:
        inner = values.get(first)
        value = assigned(inner if isinstance(inner, Mapping) else {}, rest, value)
    return {**values, first: value}


class Overridable(Section):
    """A section of plain values with overrides; `of` gives the values for some names."""

    overrides: tuple[Override, ...] = ()

    @model_validator(mode="after")
    def _values_hold(self) -> Self:
        plain = self.model_dump(exclude={"overrides"})
        for place, override in enumerate(self.overrides):
            for key in override.set:
                if key not in plain:
                    raise ValueError(
                        f"overrides.{place}.set: unknown key {key!r}; allowed: {one_of(plain)}"
                    )
            type(self).model_validate(plain | override.set)
        return self

    def of(self, **names: Sequence[str]) -> Self:
        """The section after the overrides that match these names."""
        plain = self.model_dump(exclude={"overrides"})
        return type(self).model_validate(overridden(plain, self.overrides, **names))


def check_patterns(
    key: str, overrides: Sequence[Override], names: Mapping[str, Iterable[str]]
) -> None:
    """Refuse patterns that match none of the names."""
    for place, override in enumerate(overrides):
        for selector, patterns in override.for_.items():
            for pattern in patterns:
                if not any(fnmatchcase(name, pattern) for name in names[selector]):
                    raise ValueError(
                        f"{key}.overrides.{place}.for.{selector}: {pattern!r} matches nothing; "
                        f"allowed: {one_of(names[selector])}"
                    )
