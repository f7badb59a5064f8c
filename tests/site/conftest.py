"""Writes the small site once per session."""

import pytest

from tests.site import small_project


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    return small_project.site(tmp_path_factory.mktemp("site"))
