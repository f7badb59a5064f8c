"""The rules of the house, checked: what stages depend on, sizes of files, what the README says."""

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from stages.settings.code import code_of

from tests.benchmarks import readme

ROOT = Path(__file__).resolve().parents[2]
PIPELINE = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
STAGES = {name: entry.get("do", entry) for name, entry in PIPELINE.items()}
SOURCES = sorted((ROOT / "stages").rglob("*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


SCRIPTS = {re.search(r"-m stages\.(?:engine\.warm )?(\w+)", e["cmd"])[1] for e in STAGES.values()}
LOADED = (
    "import sys; print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('stages')))"
)


@pytest.mark.parametrize("name", sorted(set(STAGES) - {"resolve"}))
def test_a_stage_depends_on_a_file_that_says_what_it_is_made_of(name):
    script = re.search(r"-m stages\.engine\.warm (\w+)", STAGES[name]["cmd"])[1]
    found = [dep for dep in STAGES[name]["deps"] if dep.startswith("data/made-of/")]
    assert len(found) == 1
    assert found[0].split("/")[2].removesuffix(".json") == script
    assert not [dep for dep in STAGES[name]["deps"] if dep.startswith("stages")]


@pytest.mark.parametrize("script", sorted(SCRIPTS))
def test_code_that_python_loads_for_a_stage_is_code_that_it_is_made_of(script):
    command = [sys.executable, "-c", f"import stages.{script}; {LOADED}"]
    loaded = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    files = {str(Path(path).relative_to(ROOT)) for path in loaded.stdout.split()}
    assert f"stages/{script}.py" in files
    assert files <= set(code_of(script))


def test_what_is_read_and_not_imported_is_part_of_a_stage():
    read = {str(f.relative_to(ROOT)) for f in (ROOT / "stages").rglob("*") if f.is_file()}
    read = {f for f in read if not f.endswith((".py", ".pyc", ".nbi", ".nbc"))}
    of_plan = {f"stages/engine/{name}.csv" for name in ("sizes", "speeds")}  # read by no stage
    assert read - of_plan <= {file for script in SCRIPTS for file in code_of(script)}
    assert "stages/nn/encoders/transformer.py" in code_of("train_base")
    assert "stages/papers/shared/published_scores.csv" in code_of("figures")
    assert "stages/site/templates/base.html" in code_of("report")
    assert not [file for file in code_of("report") if "__pycache__" in file]
    # and what a stage never reads is none
    assert not [file for file in code_of("preprocess") if file.startswith("stages/nn")]
    assert "stages/importance/dispersion.py" not in code_of("train_base")
    assert "stages/engine/speeds.csv" not in code_of("train_base")


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
