"""Atomic writes: into a folder beside the target, then one rename."""

import json
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A temporary folder that replaces `folder` on success and is removed on failure."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        yield fresh
        fresh.chmod(0o755)
        old = fresh.with_name(fresh.name + ".old")
        if folder.exists():
            folder.rename(old)
        try:
            fresh.rename(folder)
        except BaseException:
            if old.exists():
                old.rename(folder)
            raise
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def write_json(path: Path, value: Any, indent: int | None = 2) -> None:
    """Byte-stable JSON, readable unless `indent` is None."""
    path.write_text(json.dumps(value, indent=indent, ensure_ascii=False) + "\n", encoding="utf-8")


def read_json(path: Path) -> Any:
    """The value in a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def files_below(folder: Path) -> dict[str, Path]:
    """Every file below a folder by its path within it, in order."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path for path in files}


def remove_others(parent: Path, names: Collection[str]) -> None:
    """Remove the folders of data sets that are no longer listed."""
    for folder in parent.iterdir():
        if folder.is_dir() and folder.name not in names and not folder.name.startswith("."):
            shutil.rmtree(folder)
