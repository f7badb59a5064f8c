"""Rules of the repository: what stages depend on, sizes of files, the README's commands."""

import ast
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest
import yaml

from stages.engine.code import imports_of
from tests.benchmarks import readme

ROOT = Path(__file__).resolve().parents[1]
PIPELINE = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
STAGES = {name: entry.get("do", entry) for name, entry in PIPELINE.items()}
SOURCES = sorted((ROOT / "stages").rglob("*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


NODES = {name: re.search(r"-m stages\.(\w+)", stage["cmd"])[1] for name, stage in STAGES.items()}


def code_of(node):
    """The file of a node and all it imports from the project, at any distance."""
    seen, todo = set(), {ROOT / f"stages/{node}.py"}
    while todo:
        file = todo.pop()
        seen.add(file)
        if node != "figures" or "papers" not in file.parts:  # each page has its own paper's code
            todo |= imports_of(file) - seen
    return {file for file in seen if node != "figures" or "papers" not in file.parts}


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_lists_the_code_that_its_node_imports(name):
    places = [ROOT / dep for dep in STAGES[name]["deps"] if dep.startswith("stages/")]
    places.append(ROOT / "stages/__init__.py")
    missing = {file for file in code_of(NODES[name]) if not {file, *file.parents} & set(places)}
    assert not missing


@pytest.mark.parametrize("name", STAGES)
def test_dependencies_on_code_exist_and_the_stage_is_described(name):
    assert STAGES[name]["desc"].strip().endswith(".")
    listed = [dep for dep in STAGES[name]["deps"] if dep.startswith("stages/")]
    assert f"stages/{NODES[name]}.py" in listed
    assert len(set(listed)) == len(listed)
    assert all((ROOT / dep).exists() for dep in listed if "$" not in dep)


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
    assert readme.block(ratios) in (ROOT / "tests/README.md").read_text(encoding="utf-8")


def test_no_registry_host_and_no_pickle_anywhere():
    for path in [*SOURCES, ROOT / "README.md", ROOT / "requirements.txt"]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?://[\w.]*(pypi|npmjs|pythonhosted|debian)", text), path
        assert not re.search(r"^import pickle|pickle\.load|allow_pickle=True", text, re.M), path


def test_every_requirement_is_pinned():
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        requirement = line.split("#")[0].strip()
        assert not requirement or re.fullmatch(r"[\w.\-]+==[\w.\-]+", requirement), line
