"""A user's own private file through the nodes: none of its words leaves data/."""

import csv

import pytest

from tests.fixtures.project import Project

SECRET = [f"secretword{chr(97 + n)}" for n in range(26)]


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path / "project")
    with (project.folder / "data/own/tickets.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["body", "urgent"])
        writer.writerows(
            (
                f"{SECRET[n % 26]} letters go astray {SECRET[-n % 26]} again {SECRET[0]}",
                "yes" if n % 2 else "no",
            )
            for n in range(60)
        )
    return project


def test_private_text_stays_in_the_corpus(project):
    output = project.make("preprocess", "--only", "tickets")
    output += project.make("embed", "--only", "tickets")
    output += project.make("train_base", "pooled", "--only", "tickets")
    for analysis in ("correlation", "permutation", "retrain"):
        output += project.make(analysis, "pooled", "--only", "tickets")
    assert "secretword" not in output
    corpora = project.folder / "data/corpora"
    assert b"secretworda" in (corpora / "tickets/types.txt").read_bytes()
    outside = [
        path
        for name in ("models", "data/results", "data/jobs", "data/vectors")
        for path in (project.folder / name).rglob("*")
        if path.is_file() and path.name != "types.txt"  # the words of the corpus
    ]
    outside += [*corpora.rglob("stats.json"), *corpora.rglob("lengths.csv")]
    assert len(outside) > 20
    for path in outside:
        assert b"secretword" not in path.read_bytes(), path


def test_a_broken_private_file_is_refused_without_quoting_it(project):
    with (project.folder / "data/own/tickets.csv").open("a", encoding="utf-8") as file:
        file.write("secretworda,yes,one column too many\n")
    assert project.run("preprocess", "--only", "tickets") == (
        1,
        "preprocess.py: data/own/tickets.csv, line 62: expected 2 columns\n",
    )
    assert not (project.folder / "data/corpora/tickets").exists()


def test_an_unknown_data_set_lists_the_allowed_ones(project):
    for stage in ("preprocess", "embed"):
        line = f"{stage}.py: --only: no imdb of corpora; allowed: babi, synthetic, tickets\n"
        assert project.run(stage, "--only", "imdb") == (1, line)
