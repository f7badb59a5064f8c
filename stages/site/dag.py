"""The DAG by families of stages, from dvc.yaml: which family makes what which other reads."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Edges = dict[str, set[str]]  # family -> families that it needs
WIDTH, HEIGHT, ACROSS, DOWN = 132, 30, 178, 44  # of a box, and from one box to the next
NAMES = re.compile(r"\$\{([^}]+)\}")


@dataclass(frozen=True)
class Box:
    """A family of stages at its place, with how many stages it stands for."""

    name: str
    count: int
    x: float
    y: float


@dataclass(frozen=True)
class Picture:
    """Boxes and curves of a drawing."""

    width: float
    height: float
    boxes: list[Box]
    curves: list[str]  # path data


def families(pipeline: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The expanded stages of each family: what it reads and what it makes."""
    return {name: _expanded(stage, params) for name, stage in pipeline.items()}


def _expanded(stage: Mapping[str, Any], params: Mapping[str, Any]) -> list[tuple[list[str], ...]]:
    body = stage.get("do", stage)
    places = (
        _paths(body.get("deps", [])),
        _paths([*body.get("outs", []), *body.get("metrics", [])]),
    )
    if "foreach" in stage:
        items = _value(stage["foreach"], params)
        each = [{"key": key, **_item(value)} for key, value in items.items()]
    elif "matrix" in stage:
        ((name, values),) = stage["matrix"].items()
        each = [_item({name: value}) for value in _value(values, params)]
    else:
        each = [{}]
    return [tuple([_filled(path, given) for path in group] for group in places) for given in each]


def _item(value: Mapping[str, Any]) -> dict[str, str]:
    return {f"item.{name}": str(inner) for name, inner in value.items()}


def _value(reference: str, params: Mapping[str, Any]) -> Any:
    found: Any = params
    for name in reference.removeprefix("${").removesuffix("}").split("."):
        found = found[name]
    return found


def _paths(entries: Sequence[Any]) -> list[str]:
    """An output with options is a mapping of one key."""
    return [entry if isinstance(entry, str) else next(iter(entry)) for entry in entries]


def _filled(path: str, given: Mapping[str, str]) -> str:
    return NAMES.sub(lambda found: given.get(found[1], found[0]), path)


def edges(stages: Mapping[str, Sequence[Any]]) -> Edges:
    """Which families a family needs; what follows from the other edges is left out."""
    makes = {name: {out for _, outs in each for out in outs} for name, each in stages.items()}
    direct: Edges = {
        name: {
            other
            for other, outs in makes.items()
            if other != name
            and any(_meets(dep, out) for deps, _ in each for dep in deps for out in outs)
        }
        for name, each in stages.items()
    }
    return {
        name: {n for n in needed if not any(n in _all(o, direct) for o in needed - {n})}
        for name, needed in direct.items()
    }


def _meets(dep: str, out: str) -> bool:
    """One is the other, or a folder that holds it."""
    return dep == out or out.startswith(f"{dep}/") or dep.startswith(f"{out}/")


def _all(name: str, direct: Edges) -> set[str]:
    """Everything that a family needs, at any distance."""
    found: set[str] = set()
    todo = set(direct[name])
    while todo:
        one = todo.pop()
        found.add(one)
        todo |= direct[one] - found
    return found


def picture(stages: Mapping[str, Sequence[Any]], needed: Edges) -> Picture:
    """Columns from left to right by the longest way from a source; curves between them."""
    column = {name: _depth(name, needed) for name in stages}
    lines: dict[int, list[str]] = {}
    for name, place in column.items():
        lines.setdefault(place, []).append(name)
    tallest = max(map(len, lines.values()))
    boxes = {}
    for place, names in lines.items():
        top = (tallest - len(names)) * DOWN / 2
        for line, name in enumerate(names):
            x, y = 4 + place * ACROSS, 4 + top + line * DOWN
            boxes[name] = Box(name, len(stages[name]), x, y)
    curves = [
        _curve(boxes[other], boxes[name]) for name in stages for other in sorted(needed[name])
    ]
    width = 8 + max(column.values()) * ACROSS + WIDTH
    return Picture(width, 8 + tallest * DOWN - (DOWN - HEIGHT), list(boxes.values()), curves)


def _depth(name: str, needed: Edges) -> int:
    return max((1 + _depth(other, needed) for other in needed[name]), default=0)


def _curve(start: Box, end: Box) -> str:
    x, y = start.x + WIDTH, start.y + HEIGHT / 2
    to_x, to_y = end.x, end.y + HEIGHT / 2
    bend = (ACROSS - WIDTH) * 0.8
    return f"M{x:g} {y:g}C{x + bend:g} {y:g} {to_x - bend:g} {to_y:g} {to_x:g} {to_y:g}"
