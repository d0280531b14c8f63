"""What holds when the disk fails under a running server: the system takes writes no more, and says so.

What SQLite had not synced yet may be lost then, as with a power cut (docs/sessions.md); the test has it synced.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.conftest import ask, get, post
from tests.server import Server, until

MIB = 1024 * 1024
FIRST, NEXT = (b'{"moves": [{"type": "buy", "seat": %d, "count": 0}]}' % seat for seat in (0, 1))


class Disk:
    """A file system in a file, mounted."""

    def __init__(self, image: Path, folder: Path) -> None:
        self.image, self.folder = image, folder

    def mount(self) -> None:
        subprocess.run(["mount", "-o", "loop", self.image, self.folder], check=True, capture_output=True)

    def unmount(self) -> None:
        subprocess.run(["umount", "--lazy", self.folder], check=True)

    def fail(self) -> None:
        """What ext4 does when the device fails: from now on nothing can be written, in files that are open neither."""
        subprocess.run(["mount", "-o", "remount,abort", self.folder], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    image, folder = tmp_path / "image", tmp_path / "disk"
    folder.mkdir()
    image.write_bytes(bytes(32 * MIB))
    made = Disk(image, folder)
    maker = shutil.which("mkfs.ext4", path="/usr/sbin:/sbin:/usr/bin")
    if maker is None:
        pytest.skip("mkfs.ext4 is not installed")
    subprocess.run([maker, "-q", "-F", str(image)], check=True)
    try:
        made.mount()
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no file system can be mounted here: {error}")
    yield made
    made.unmount()


def asked(server: Server, request: bytes) -> tuple[int, bytes]:
    with server.connect() as client:
        answer = ask(client, request)
        return answer.status, answer.body


def test_a_disk_that_turns_read_only_stops_sessions_alone_and_loses_no_move(disk: Disk) -> None:
    settings = {"REFEREE_WORKERS": "1", "REFEREE_STORE_URL": f"sqlite:///{disk.folder}/sessions.sqlite3"}
    with Server(settings=settings) as server:
        (worker,) = server.workers()
        opened = json.loads(asked(server, post("/sessions", b'{"game": "twins", "seats": 3, "dealer": 2}'))[1])
        path, bearer = f"/sessions/{opened['id']}", f"Authorization: Bearer {opened['tokens']['host']}"
        assert asked(server, post(f"{path}/moves", FIRST, bearer))[0] == 201
        os.sync()
        disk.fail()
        assert asked(server, post(f"{path}/moves", NEXT, bearer))[0] == 503
        assert asked(server, post("/sessions", b'{"game": "twins", "seats": 3}'))[0] == 503
        assert [asked(server, get(each))[0] for each in ("/livez", "/games", "/readyz")] == [200, 200, 503]
        (line,) = until(server.errors)
        assert line["message"].startswith("the store is away: ")
        assert server.workers() == [worker]
    disk.unmount()
    disk.mount()
    with Server(settings=settings) as server:
        status, body = asked(server, get(path, bearer))
        assert (status, json.loads(body)["version"]) == (200, 1)
        assert asked(server, post(f"{path}/moves", NEXT, bearer))[0] == 201
