"""The small project of tests/fixtures, prepared and trained once for all tests."""

import pytest

from tests.fixtures.project import Project


@pytest.fixture(scope="session")
def prepared(tmp_path_factory):
    """A project with corpora and vectors; tests that change it work on a copy."""
    project = Project(tmp_path_factory.mktemp("prepared") / "project")
    project.prepare()
    return project


@pytest.fixture(scope="session")
def trained(prepared, tmp_path_factory):
    """A project whose two studies are trained."""
    project = prepared.copy(tmp_path_factory.mktemp("trained") / "project")
    for study in ("pooled", "scaled"):
        project.make("train_base", study)
    return project
