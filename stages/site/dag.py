"""The DAG by families of stages, from dvc.yaml: which family makes what which other reads."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Edges = dict[str, set[str]]  # family -> families that it needs
WIDTH, HEIGHT, ACROSS, DOWN = 128, 30, 144, 42  # of a box, and from one box to the next
Places = dict[str, tuple[float, float]]  # upper left corners
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
        each = [
            {"key": key} | (_item(value) if isinstance(value, Mapping) else {})
            for key, value in items.items()
        ]
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
    """Columns from left to right, each family as near to those that need it as can be.

    An edge over several columns has a place of its own in those it passes, so that it meets no box.
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
    """The last column is that of what nothing needs; the others count back from it."""
    users: Edges = {name: {n for n in needed if name in needed[n]} for name in needed}

    def depth(name: str) -> int:
        return max((1 + depth(user) for user in users[name]), default=0)

    depths = {name: depth(name) for name in needed}
    return {name: max(depths.values()) - found for name, found in depths.items()}


def _places(lines: Sequence[Sequence[str]]) -> Places:
    """Every box and passing edge of the columns, each column in the middle of the height."""
    tallest = max(map(len, lines))
    return {
        name: (4 + place * ACROSS, 4 + ((tallest - len(names)) / 2 + line) * DOWN)
        for place, names in enumerate(lines)
        for line, name in enumerate(names)
    }


def _curve(route: Sequence[tuple[float, float]]) -> str:
    """From the right of a box, through the places that are passed, to the left of another."""
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
