"""Writes the small site once per session; its folder is the current one only meanwhile."""

import os

import pytest

from tests.site import small_project


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    before = os.getcwd()
    os.chdir(folder)
    try:
        return small_project.site(folder)
    finally:
        os.chdir(before)
