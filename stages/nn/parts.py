"""Parts by kind: the kind `bilstm` of encoders is the module class in encoders/bilstm.py.

A new encoder, score, projection or head is one file that defines one public nn.Module; its kind in
params.yaml is the file name, its options are the keyword arguments of the class.
"""

import importlib
import inspect
from types import ModuleType
from typing import Any

from torch import nn

from stages.settings.errors import UserError, one_of
from stages.settings.studies import Choice


def make(folder: str, choice: Choice, **context: Any) -> Any:
    """Builds a part from `context` (sizes, filled in by the model) and the options of params.yaml.

    Entries of `context` that the class does not take are left out.
    """
    part = part_class(importlib.import_module(f"stages.nn.{folder}.{choice.kind}"))
    parameters = {
        name: parameter
        for name, parameter in inspect.signature(part).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    sizes = {name: value for name, value in context.items() if name in parameters}
    allowed = [name for name in parameters if name not in context]
    entry = f"params.yaml: {folder} {choice.kind}"
    for option in choice.options:
        if option not in allowed:
            names = one_of(allowed) or "none"
            raise UserError(f"{entry} has no option '{option}'; allowed: {names}")
    for option in allowed:
        if option not in choice.options and parameters[option].default is inspect.Parameter.empty:
            raise UserError(f"{entry} needs the option '{option}'")
    try:
        return part(**sizes, **choice.options)
    except (TypeError, ValueError, KeyError, RuntimeError) as error:
        raise UserError(f"{entry}: {error}") from None


def part_class(module: ModuleType) -> type[nn.Module]:
    """The only public nn.Module subclass that the module defines; imported ones do not count."""
    classes = [
        value
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and issubclass(value, nn.Module)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    ]
    if len(classes) != 1:
        names = one_of(value.__name__ for value in classes) or "none"
        raise UserError(
            f"{module.__name__.replace('.', '/')}.py must define exactly one public nn.Module, "
            f"defined: {names}"
        )
    return classes[0]
