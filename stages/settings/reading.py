"""Reads a YAML file into a frozen object; the first thing wrong in it becomes one sentence."""

import re
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from stages.settings.errors import UserError
from stages.settings.section import Section

Top = TypeVar("Top", bound=Section)


def read_yaml(path: Path) -> Any:
    """The content of a YAML file."""
    try:
        # DVC's own parser: `dvc exp run -S` rewrites the file by its rules of quoting
        return YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} is not there; run from the top folder of the project") from None
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" line {mark.line + 1}" if mark else ""
        key = re.match(r'found duplicate key "(.*?)" with', getattr(error, "problem", None) or "")
        fault = f"key '{key[1]}' is given twice" if key else "not valid YAML"
        raise UserError(f"{path}{where}: {fault}") from None
    except ValueError as error:  # not UTF-8, or a date such as 2019-13-01
        raise UserError(f"{path}: not valid YAML ({error})") from None


def validated(section: type[Top], whole: Any, origin: str) -> Top:
    """The object of a whole file whose lists are tuples (`frozen`)."""
    try:
        return section.model_validate(whole)
    except ValidationError as error:
        raise UserError(f"{origin}: {sentence(error, whole)}") from None


def mapping(raw: Any, origin: str) -> dict[str, Any]:
    """The file's content if it is a mapping."""
    if not isinstance(raw, dict):
        raise UserError(f"{origin}: expected a mapping of sections at the top")
    return raw


def sentence(error: ValidationError, whole: Any) -> str:
    """`key: what is wrong`, from the first of pydantic's errors."""
    first = error.errors(include_url=False)[0]
    if first["type"] == "missing":
        return ".".join([*_keys(first["loc"][:-1], whole), f"{first['loc'][-1]}: key required"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] != "value_error":
        message = f"{message[0].lower()}{message[1:]}, got {str(first['input'])[:60]!r}"
    place = _keys(first["loc"], whole)
    return f"{'.'.join(place)}: {message}" if place else message


def _keys(place: tuple[int | str, ...], inner: Any) -> list[str]:
    """The keys that lead to a value; pydantic's location also holds the types of a union."""
    keys = []
    for part in place:
        within = range(len(inner)) if isinstance(inner, tuple) else inner
        if isinstance(within, dict | range) and part in within:
            inner = inner[part]
            keys.append(str(part))
    return keys
