"""Parts by name: the kind `bilstm` of encoders is the class Part in encoders/bilstm.py.

A new encoder, score, projection or head is one file with one class `Part`; its name in params.yaml
is the file's name, its options are the keyword arguments of the class.
"""

import importlib
import inspect
from typing import Any

from torch import nn

from stages.settings.errors import UserError, one_of
from stages.settings.studies import Choice


def make(folder: str, choice: Choice, **context: Any) -> Any:
    """Build a part; `context` is what the model knows (sizes), the rest comes from params.yaml."""
    part: type[nn.Module] = importlib.import_module(f"stages.nn.{folder}.{choice.kind}").Part
    known = {
        name: parameter
        for name, parameter in inspect.signature(part.__init__).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    given = {name: value for name, value in context.items() if name in known}
    allowed = [name for name in known if name not in context and name != "self"]
    for option in choice.options:
        if option not in allowed:
            raise UserError(
                f"params.yaml: {folder} {choice.kind} has no option '{option}'; "
                f"allowed: {one_of(allowed) or 'none'}"
            )
    missing = [
        name
        for name in allowed
        if name not in choice.options and known[name].default is inspect.Parameter.empty
    ]
    if missing:
        raise UserError(f"params.yaml: {folder} {choice.kind} needs the option '{missing[0]}'")
    try:
        return part(**given, **choice.options)
    except (TypeError, ValueError, KeyError, RuntimeError) as error:
        raise UserError(f"params.yaml: {folder} {choice.kind}: {error}") from None
