"""The DAG of stage groups, drawn from DVC's graph of stages.

A group is one entry of dvc.yaml; `foreach` expands it to several stages.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
from dvc.repo import Repo

WIDTH, HEIGHT, ACROSS, DOWN = 128, 30, 144, 42  # size of a box, distance between boxes
Places = dict[str, tuple[float, float]]  # upper left corners


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


def groups() -> nx.DiGraph:
    """Groups with their number of stages, `count`, and edges to the groups that each depends on.

    Edges implied by others are left out.
    """
    with Repo() as repo:
        stages = repo.index.graph
    names = {stage: stage.name.partition("@")[0] for stage in stages}
    graph = nx.DiGraph()
    graph.add_nodes_from(names.values())
    edges = ((names[user], names[needed]) for user, needed in stages.edges)
    graph.add_edges_from((user, needed) for user, needed in edges if user != needed)
    reduced = nx.transitive_reduction(graph)
    nx.set_node_attributes(reduced, Counter(names.values()), "count")
    return reduced


def picture(graph: nx.DiGraph) -> Picture:
    """Columns from left to right; each group is as close as possible to the groups that need it.

    An edge over several columns gets a place of its own in those it passes, so it crosses no box.
    """
    generations = [set(names) for names in nx.topological_generations(graph)][::-1]
    column = {name: place for place, names in enumerate(generations) for name in names}
    lines = [[name for name in graph if name in names] for names in generations]
    routes = []
    for name, other in graph.edges:
        passed = range(column[other] + 1, column[name])
        points = [f"{other}>{name}>{c}" for c in passed]
        routes.append([other, *points, name])
        upper = lines[column[name]].index(name) < len(lines[column[name]]) / 2
        for c, point in zip(passed, points, strict=True):
            lines[c].insert(0 if upper else len(lines[c]), point)
    places = _places(lines)
    boxes = [Box(name, count, *places[name]) for name, count in graph.nodes(data="count")]
    curves = [_curve([places[point] for point in route]) for route in routes]
    width = 8 + (len(lines) - 1) * ACROSS + WIDTH
    return Picture(width, 8 + max(map(len, lines)) * DOWN - (DOWN - HEIGHT), boxes, curves)


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
