"""Extracts named files from a zip or tar archive, treating its member names as untrusted.

A name is a member, a folder (ending in "/", taken whole), or `outer.tar.gz::member` for an archive
inside the archive. Nothing is written outside the target folder; links and pickles are refused.
"""

import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from stages.settings.errors import UserError

PICKLES = {".pkl", ".pickle", ".sav", ".joblib", ".pt", ".pth", ".npy", ".model", ".h5"}
BROKEN = (zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError)
Members = dict[str, Callable[[], bytes]]


def take(archive: Path, names: tuple[str, ...], folder: Path) -> None:
    """Write the named members into the folder: single files flat, folders with their subfolders."""
    with archive.open("rb") as file:
        for name in names:
            try:
                _take_one(file, archive.name, name, folder)
            except BROKEN as error:
                raise UserError(f"{archive.name} is damaged: {type(error).__name__}") from None


def _take_one(file: BinaryIO, archive: str, name: str, folder: Path) -> None:
    outer, _, inner = name.partition("::")
    members = _members(file, archive)
    if inner:
        _take_one(io.BytesIO(_get(members, outer, archive)()), outer, inner, folder)
    elif name.endswith("/"):
        within = [member for member in members if member.startswith(name)]
        if not within:
            raise UserError(f"{archive} holds no folder {name}")
        for member in within:
            _write(folder, PurePosixPath(member.removeprefix(name)), members[member], archive)
    else:
        flat = PurePosixPath(PurePosixPath(name).name)
        _write(folder, flat, _get(members, name, archive), archive)


def _get(members: Members, name: str, archive: str) -> Callable[[], bytes]:
    if name not in members:
        raise UserError(f"{archive} holds no file {name}")
    return members[name]


def _members(file: BinaryIO, archive: str) -> Members:
    """Regular files by name, with a function that reads the content."""
    file.seek(0)
    try:
        if zipfile.is_zipfile(file):
            unzipped = zipfile.ZipFile(file)
            files = (info for info in unzipped.infolist() if not info.is_dir())
            return {info.filename: partial(unzipped.read, info) for info in files}
        file.seek(0)
        tar = tarfile.open(fileobj=file)  # noqa: SIM115 (open while its members are read)
        return {info.name: partial(_tar_read, tar, info) for info in tar if info.isfile()}
    except (*BROKEN, OSError) as error:
        raise UserError(f"{archive} cannot be opened: {type(error).__name__}") from None


def _tar_read(tar: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(info)
    assert file is not None  # only regular files are listed
    return file.read()


def _write(folder: Path, name: PurePosixPath, read: Callable[[], bytes], archive: str) -> None:
    if name.is_absolute() or ".." in name.parts or "\\" in str(name):
        raise UserError(f"{archive}: {name} leads out of the folder it is unpacked to")
    if name.suffix.lower() in PICKLES:
        raise UserError(f"{archive}: {name} may hold a pickle, which is never taken")
    target = folder.joinpath(*name.parts)
    if target.exists():
        raise UserError(f"{archive}: {name} would be written twice")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(read())
