"""Which files of the project a stage is made of. DVC follows no imports, so `resolve` does."""

import ast
import hashlib
from functools import cache
from pathlib import Path

STAGES = Path(__file__).parents[1]
PROJECT = STAGES.parent
BY_NAME = STAGES / "nn"  # settings name its parts, no import does


def code_of(stage: str) -> dict[str, str]:
    """File -> digest: the script, all it imports, and what else lies in the folders it uses."""
    found: set[Path] = set()
    todo = {STAGES / f"{stage}.py"}
    while todo:
        file = todo.pop()
        found.add(file)
        todo |= (_imported(file) | _beside(_room(file))) - found
    return {path.relative_to(PROJECT).as_posix(): _digest(path) for path in sorted(found)}


def _room(file: Path) -> Path | None:
    """The folder of stages/ that a file lies in, at any depth."""
    inner = file.relative_to(STAGES).parts
    return STAGES / inner[0] if len(inner) > 1 else None


@cache
def _beside(room: Path | None) -> frozenset[Path]:
    """What is read and not imported: tables, templates, and parts found by name."""
    files = room.rglob("*") if room else ()
    return frozenset(
        file
        for file in files
        if file.is_file()
        and "__pycache__" not in file.parts
        and (file.suffix != ".py" or room == BY_NAME)
    )


@cache
def _imported(file: Path) -> frozenset[Path]:
    """Files of the project that a file imports, anywhere in it."""
    if file.suffix != ".py":
        return frozenset()
    names: list[str] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    own = [name.split(".") for name in names if name.startswith("stages.")]
    stems = [PROJECT.joinpath(*parts[: n + 1]) for parts in own for n in range(len(parts))]
    places = [place for stem in stems for place in (stem.with_suffix(".py"), stem / "__init__.py")]
    return frozenset(place for place in places if place.is_file())


@cache
def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]
