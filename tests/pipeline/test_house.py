"""The rules of the house, checked: what stages depend on, sizes of files, what the README says."""

import ast
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.benchmarks import readme

ROOT = Path(__file__).resolve().parents[2]
PIPELINE = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
STAGES = {name: entry.get("do", entry) for name, entry in PIPELINE.items()}
SOURCES = sorted((ROOT / "stages").rglob("*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


def imported(path: Path) -> set[Path]:
    """Files of the project that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            stem = ROOT / name.replace(".", "/")
            found |= {
                file
                for file in (stem.with_suffix(".py"), stem / "__init__.py")
                if name.startswith("stages.") and file.is_file()
            }
    return found


def closure(path: Path) -> set[Path]:
    seen, todo = set(), {path}
    while todo:
        file = todo.pop()
        seen.add(file)
        todo |= imported(file) - seen
    return seen


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_lists_all_code_it_imports(name):
    script = re.search(r"-m stages\.(?:engine\.warm )?(\w+)", STAGES[name]["cmd"]).group(1)
    listed = [ROOT / dep for dep in STAGES[name]["deps"] if dep.startswith("stages/")]
    missing = [
        str(file.relative_to(ROOT))
        for file in closure(ROOT / "stages" / f"{script}.py")
        if not any(file == dep or dep in file.parents for dep in listed)
    ]
    assert not missing


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_says_in_prose_what_it_does(name):
    assert len(STAGES[name]["desc"].split()) >= 15


def test_files_and_functions_are_small():
    for path in [*SOURCES, *(ROOT / "tests").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 300, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno < 50, f"{path}: {node.name}"


def test_readme_lines_are_those_that_ci_extracts():
    blocks = re.findall(r"```sh\n(.*?)```", README, re.S)
    assert "pip install -r requirements.txt && dvc repro" in blocks[0]
    assert "pip install -r requirements.txt && pytest" in blocks[1]
    for block in blocks[:2]:
        assert shlex.split(block.strip().splitlines()[-1])[:2] == ["pip", "install"]


def test_the_readmes_ratios_are_those_that_were_measured():
    ratios = pd.read_csv(ROOT / "reports/benchmarks/ratios.csv")
    assert readme.block(ratios) in README


def test_no_registry_host_and_no_pickle_anywhere():
    for path in [*SOURCES, ROOT / "params.yaml", ROOT / "README.md", ROOT / "requirements.txt"]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?://[\w.]*(pypi|npmjs|pythonhosted|debian)", text), path
        assert not re.search(r"^import pickle|pickle\.load|allow_pickle=True", text, re.M), path


def test_every_requirement_is_pinned():
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        requirement = line.split("#")[0].strip()
        assert not requirement or re.fullmatch(r"[\w.\-]+==[\w.\-]+", requirement), line
