"""data/catalogue.yaml as a frozen object: which archives and data sets there are.

An entry of `datasets:` is one data set or, with `variants:`, a group of data sets that share most
keys: the variant 1 of mock is the data set mock-1.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from stages.settings.datasets import Dataset
from stages.settings.errors import UserError, one_of
from stages.settings.reading import mapping, read_yaml, validated
from stages.settings.section import Section, frozen
from stages.settings.sources import Package

Raw = dict[str, Any]
BY_KEY = ("source", "split", "vocabulary")  # mappings that are merged key by key


class Catalogue(Section):
    """All of data/catalogue.yaml, every data set with its defaults filled in."""

    archives: dict[str, tuple[Package, ...]]
    defaults: Raw = Field(default_factory=dict)
    datasets: dict[str, Dataset]  # one per variant
    # entry of datasets: -> its data sets, for an entry without variants itself; never in the file
    groups: dict[str, tuple[str, ...]] = Field(exclude=True)

    @model_validator(mode="after")
    def _known_archives(self) -> "Catalogue":
        for name, dataset in self.datasets.items():
            if dataset.archive and dataset.archive not in self.archives:
                raise ValueError(
                    f"datasets.{name}: archive: {dataset.archive!r} is unknown; "
                    f"allowed: {one_of(self.archives)}"
                )
        return self

    def members(self, group: str) -> dict[str, Dataset]:
        """The data sets of an entry, by name."""
        if group not in self.groups:
            raise UserError(f"no data set '{group}'; allowed: {one_of(self.groups)}")
        return {name: self.datasets[name] for name in self.groups[group]}


@cache
def load_catalogue(path: Path = Path("data/catalogue.yaml")) -> Catalogue:
    """Read and validate data/catalogue.yaml."""
    return parse_catalogue(read_yaml(path), str(path))


def parse_catalogue(raw: Any, origin: str) -> Catalogue:
    """Validate a parsed YAML document; the first error becomes one sentence."""
    whole = mapping(raw, origin)
    if "groups" in whole:
        raise UserError(f"{origin}: unknown key 'groups'; variants: of datasets: make groups")
    defaults = whole.get("defaults", {})
    if isinstance(whole.get("datasets"), dict) and isinstance(defaults, dict):
        for key in defaults.keys() - Dataset.model_fields.keys():
            allowed = one_of(Dataset.model_fields)
            raise UserError(f"{origin}: defaults: unknown key {key!r}; allowed: {allowed}")
        datasets, groups = spelt_out(whole["datasets"], defaults, origin)
        whole = whole | {"datasets": datasets, "groups": groups}
    return validated(Catalogue, frozen(whole), origin)


def spelt_out(
    entries: Mapping[str, Any], defaults: Raw, origin: str
) -> tuple[Raw, dict[str, tuple[str, ...]]]:
    """Every data set with all its keys, and the data sets of each entry by name."""
    datasets: Raw = {}
    groups: dict[str, tuple[str, ...]] = {}
    for name, entry in entries.items():
        members = {name: _merged(defaults, entry)}
        if isinstance(entry, dict) and isinstance(entry.get("variants"), dict):
            shared = _merged(defaults, {k: v for k, v in entry.items() if k != "variants"})
            variants = entry["variants"].items()
            members = {f"{name}-{variant}": _merged(shared, own) for variant, own in variants}
        for twice in datasets.keys() & members.keys():
            raise UserError(f"{origin}: datasets: '{twice}' is an entry and a variant")
        datasets |= members
        groups[name] = tuple(members)
    return datasets, groups


def _merged(shared: Raw, own: Any) -> Any:
    """The keys of `own` over the shared ones."""
    if not isinstance(own, dict):
        return own  # left for validation to refuse
    merged = shared | own
    for key in BY_KEY:
        if isinstance(own.get(key), dict) and isinstance(shared.get(key), dict):
            merged[key] = shared[key] | own[key]
    return merged
