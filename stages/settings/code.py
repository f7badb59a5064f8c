"""Which files of the project a stage is made of. DVC follows no imports, so `resolve` does."""

import ast
import hashlib
from functools import cache
from pathlib import Path

STAGES = Path(__file__).parents[1]
PROJECT = STAGES.parent
BY_NAME = STAGES / "nn"  # settings name its parts, no import does
READ = (STAGES / "papers", STAGES / "site")  # hold tables, words and templates


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
    if room == BY_NAME:
        return frozenset(room.rglob("*.py"))
    kinds = ("csv", "yaml", "html", "css", "js")
    files = [file for kind in kinds for file in room.rglob(f"*.{kind}")] if room in READ else []
    return frozenset(file for file in files if not file.name.startswith("."))


@cache
def _imported(file: Path) -> frozenset[Path]:
    """Files of the project that a file imports, anywhere in it."""
    if file.suffix != ".py":
        return frozenset()
    names: list[str] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import, which is not followed"
            names += [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
    own = [name.split(".") for name in names if name.startswith("stages.")]
    stems = [PROJECT.joinpath(*parts[: n + 1]) for parts in own for n in range(len(parts))]
    places = [place for stem in stems for place in (stem.with_suffix(".py"), stem / "__init__.py")]
    return frozenset(place for place in places if place.is_file())


@cache
def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]
