"""Families: an entry of `datasets:` with `variants:` is several data sets that share most keys."""

from typing import Any

from stages.settings.errors import UserError

Raw = dict[str, Any]


def expanded(datasets: Raw) -> tuple[Raw, dict[str, tuple[str, ...]]]:
    """Each variant as a data set `family-variant`, and the data sets of each family by name."""
    flat: Raw = {}
    families: dict[str, tuple[str, ...]] = {}
    for name, entry in datasets.items():
        variants = entry.get("variants") if isinstance(entry, dict) else None
        members = {name: entry}
        if isinstance(variants, dict):
            shared = {key: value for key, value in entry.items() if key != "variants"}
            members = {f"{name}-{own}": _merged(shared, keys) for own, keys in variants.items()}
        for twice in flat.keys() & members.keys():
            raise UserError(f"params.yaml: datasets: '{twice}' is an entry and a variant")
        flat |= members
        families[name] = tuple(members)
    return flat, families


def _merged(shared: Raw, own: Any) -> Any:
    """The variant's keys over the shared ones; those of `source` one by one."""
    if not isinstance(own, dict):
        return own
    merged = shared | own
    if isinstance(own.get("source"), dict):
        merged["source"] = shared.get("source", {}) | own["source"]
    return merged
