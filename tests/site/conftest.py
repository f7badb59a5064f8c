"""The small site is made once; its folder is the current one only while it is made."""

import os

import pytest

from tests.site import made


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    before = os.getcwd()
    os.chdir(folder)
    try:
        return made.site(folder)
    finally:
        os.chdir(before)
