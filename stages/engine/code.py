"""Digests of code: which files of the project a job runs, followed through its imports.

Comments, docstrings and layout are no part of a digest.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

STAGES = Path(__file__).parents[1]
PROJECT = STAGES.parent
# Settings reach a job as values, which are part of its key, and the engine only moves jobs around:
# of these two folders only the files that compute results count.
MACHINERY = (STAGES / "settings", STAGES / "engine")
COUNTED = frozenset(
    {
        STAGES / "settings" / "seeds.py",
        *(STAGES / "engine" / f"{name}.py" for name in ("trained", "training", "adversaries")),
        STAGES / "engine" / "guided.py",
    }
)


def code_digest(entries: Iterable[Path]) -> str:
    """One digest of some files and of all they import, at any distance."""
    digest = hashlib.sha256()
    for file in sorted(imported_files(frozenset(entries))):
        digest.update(f"{file.relative_to(PROJECT)} {_digest(file)}\n".encode())
    return digest.hexdigest()


@cache
def imported_files(entries: frozenset[Path]) -> frozenset[Path]:
    """The files and all that they import from the project."""
    seen: set[Path] = set()
    todo = set(entries)
    while todo:
        file = todo.pop()
        seen.add(file)
        todo |= {path for path in imports_of(file) if _counts(path)} - seen
    return frozenset(seen)


def _counts(path: Path) -> bool:
    return path in COUNTED or not any(folder in path.parents for folder in MACHINERY)


@cache
def imports_of(file: Path) -> frozenset[Path]:
    """Files of the project that a file imports, anywhere in it."""
    names: list[str] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names += [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
    parts = [name.split(".") for name in names if name.startswith("stages.")]
    stems = {PROJECT.joinpath(*part[: n + 1]) for part in parts for n in range(len(part))}
    files = [path for stem in stems for path in (stem.with_suffix(".py"), stem / "__init__.py")]
    return frozenset(path for path in files if path.is_file())


@cache
def _digest(file: Path) -> str:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:] or [ast.Pass()]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()
