"""The small project of tests/fixtures as a repository in which DVC runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from ruamel.yaml import YAML

from tests.fixtures.project import PATIENCE, ROOT, Project

# the text of the data sets that the tests use is no archive; pages need the papers' studies
LEFT_OUT = re.compile(r"fetch|figures|report")


def git_identity() -> dict[str, str]:
    pairs = {"user.name": "test", "user.email": "test@example.org"}
    values = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for place, (key, value) in enumerate(pairs.items()):
        values |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
    return values


class Repository(Project):
    """A project with the stages of dvc.yaml up to the analyses, in git and DVC."""

    def __init__(self, folder: Path):
        super().__init__(folder)
        (folder / "data/raw").mkdir()
        (folder / "data/raw/nothing.txt").touch()
        for name in (".dvcignore", ".gitignore", ".dvc/config"):
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        with (folder / ".gitignore").open("a", encoding="utf-8") as file:
            file.write("__pycache__\n!/data/own/*\n!/data/raw/\n")
        stages = YAML(typ="safe").load(ROOT / "dvc.yaml")["stages"]
        kept = {name: stage for name, stage in stages.items() if not LEFT_OUT.match(name)}
        with (folder / "dvc.yaml").open("w", encoding="utf-8") as file:
            YAML(typ="safe").dump({"stages": kept}, file)
        for command in ("init -q -b main", "add -A", "commit -qm start"):
            self.command("git", *command.split())

    @property
    def environment(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return super().environment | git_identity() | {"PATH": path}

    def command(self, *command: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=3 * PATIENCE,
        )
        assert done.returncode == 0, done.stdout[-3000:]
        return done.stdout

    def dvc(self, *arguments: str) -> str:
        return self.command(sys.executable, "-m", "dvc", *arguments)

    def stages_run(self, *arguments: str) -> set[str]:
        """The stages that a command of DVC runs."""
        return set(re.findall(r"Running stage '([^']+)'", self.dvc(*arguments)))
