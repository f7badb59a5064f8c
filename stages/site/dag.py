"""The DAG of stage groups, drawn from the dependencies and outputs in dvc.yaml.

A group is one entry of dvc.yaml; `foreach` expands it to several stages.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from typing import Any

Edges = dict[str, set[str]]  # group -> groups that it depends on
WIDTH, HEIGHT, ACROSS, DOWN = 128, 30, 144, 42  # size of a box, distance between boxes
Places = dict[str, tuple[float, float]]  # upper left corners
NAMES = re.compile(r"\$\{([^}]+)\}")


@dataclass(frozen=True)
class Box:
    """A group at its position, with its number of stages."""

    name: str
    count: int
    x: float
    y: float


@dataclass(frozen=True)
class Picture:
    """Boxes and curves of the drawing."""

    width: float
    height: float
    boxes: list[Box]
    curves: list[str]  # path data


def groups(pipeline: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The expanded stages of each group: dependencies and outputs."""
    return {name: _expanded(stage, params) for name, stage in pipeline.items()}


def _expanded(stage: Mapping[str, Any], params: Mapping[str, Any]) -> list[tuple[list[str], ...]]:
    body = stage.get("do", stage)
    outs = [*body.get("outs", []), *body.get("metrics", [])]
    places = (_paths(body.get("deps", [])), _paths(outs))
    if "foreach" in stage:
        items = _value(stage["foreach"], params)
        each = [
            {"key": key} | (_item(value) if isinstance(value, Mapping) else {})
            for key, value in items.items()
        ]
    else:
        each = [{}]
    return [tuple([_filled(path, names) for path in group] for group in places) for names in each]


def _item(value: Mapping[str, Any]) -> dict[str, str]:
    return {f"item.{name}": str(inner) for name, inner in value.items()}


def _value(reference: Any, params: Mapping[str, Any]) -> Any:
    """The value that `${key}` refers to; a mapping or list stands for itself."""
    if not isinstance(reference, str):
        return reference
    return reduce(getitem, reference.removeprefix("${").removesuffix("}").split("."), params)


def _paths(entries: Sequence[Any]) -> list[str]:
    """Paths of dependencies or outputs; an output with options is a mapping of one key."""
    return [entry if isinstance(entry, str) else next(iter(entry)) for entry in entries]


def _filled(path: str, names: Mapping[str, str]) -> str:
    return NAMES.sub(lambda match: names.get(match[1], match[0]), path)


def edges(stages: Mapping[str, Sequence[Any]]) -> Edges:
    """Direct dependencies of each group; edges implied by others are left out."""
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
    """Whether one path is the other or contains it."""
    return dep == out or out.startswith(f"{dep}/") or dep.startswith(f"{out}/")


def _all(name: str, direct: Edges) -> set[str]:
    """All direct and indirect dependencies of a group."""
    return direct[name].union(*(_all(other, direct) for other in direct[name]))


def picture(stages: Mapping[str, Sequence[Any]], needed: Edges) -> Picture:
    """Columns from left to right; each group is as close as possible to the groups that need it.

    An edge over several columns gets a place of its own in those it passes, so it crosses no box.
    """
    column = _columns(needed)
    lines = [
        [name for name in stages if column[name] == c] for c in range(max(column.values()) + 1)
    ]
    routes = {}
    for name in stages:
        for other in sorted(needed[name]):
            passed = range(column[other] + 1, column[name])
            routes[other, name] = [other, *(f"{other}>{name}>{c}" for c in passed), name]
            upper = lines[column[name]].index(name) < len(lines[column[name]]) / 2
            for c, point in zip(passed, routes[other, name][1:-1], strict=True):
                lines[c].insert(0 if upper else len(lines[c]), point)
    places = _places(lines)
    boxes = [Box(name, len(stages[name]), *places[name]) for name in stages]
    curves = [_curve([places[point] for point in route]) for route in routes.values()]
    width = 8 + (len(lines) - 1) * ACROSS + WIDTH
    return Picture(width, 8 + max(map(len, lines)) * DOWN - (DOWN - HEIGHT), boxes, curves)


def _columns(needed: Edges) -> dict[str, int]:
    """Column of each group: the last for groups that nothing depends on, counting back."""
    users: Edges = {name: {n for n in needed if name in needed[n]} for name in needed}

    def depth(name: str) -> int:
        return max((1 + depth(user) for user in users[name]), default=0)

    depths = {name: depth(name) for name in needed}
    return {name: max(depths.values()) - steps for name, steps in depths.items()}


def _places(lines: Sequence[Sequence[str]]) -> Places:
    """Positions of boxes and passing edges, each column centred vertically."""
    tallest = max(map(len, lines))
    return {
        name: (4 + place * ACROSS, 4 + ((tallest - len(names)) / 2 + line) * DOWN)
        for place, names in enumerate(lines)
        for line, name in enumerate(names)
    }


def _curve(route: Sequence[tuple[float, float]]) -> str:
    """Path from the right of a box, through the passed columns, to the left of another box."""
    bend, middle = (ACROSS - WIDTH) * 0.8, HEIGHT / 2
    (x, y), *rest = route
    path = f"M{x + WIDTH:g} {y + middle:g}"
    for left, top in rest:
        before, height = x + WIDTH, top + middle
        path += f"C{before + bend:g} {y + middle:g} {left - bend:g} {height:g} {left:g} {height:g}"
        x, y = left, top
        if (left, top) != route[-1]:
            path += f"H{left + WIDTH:g}"
    return path
