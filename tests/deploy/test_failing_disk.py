"""The disk fails under a running server: every write is refused.

Writes that SQLite has not synced may be lost, as in a power cut (docs/sessions.md); the test syncs first.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.conftest import ask_anew, get, post
from tests.server import Server, until

MIB = 1024 * 1024
FIRST, NEXT = (b'{"moves": [{"type": "buy", "seat": %d, "count": 0}]}' % seat for seat in (0, 1))


class Disk:
    """A mounted file system that is stored in a file."""

    def __init__(self, image: Path, folder: Path) -> None:
        self.image, self.folder = image, folder

    def mount(self) -> None:
        subprocess.run(["mount", "-o", "loop", self.image, self.folder], check=True, capture_output=True)

    def unmount(self) -> None:
        subprocess.run(["umount", "--lazy", self.folder], check=True)

    def fail(self) -> None:
        """Fail as ext4 does when its device fails: all writes are refused from now on, even to open files."""
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


def test_a_disk_that_becomes_read_only_stops_only_sessions_and_loses_no_move(disk: Disk) -> None:
    settings = {"REFEREE_STORE_URL": f"sqlite:///{disk.folder}/sessions.sqlite3"}
    with Server(settings=settings) as server:
        (worker,) = server.workers()
        opened = json.loads(ask_anew(server, post("/sessions", b'{"game": "twins", "seats": 3, "dealer": 2}')).body)
        path, bearer = f"/sessions/{opened['id']}", f"Authorization: Bearer {opened['tokens']['host']}"
        assert ask_anew(server, post(f"{path}/moves", FIRST, bearer)).status == 201
        os.sync()
        disk.fail()
        assert ask_anew(server, post(f"{path}/moves", NEXT, bearer)).status == 503
        assert ask_anew(server, post("/sessions", b'{"game": "twins", "seats": 3}')).status == 503
        assert [ask_anew(server, get(each)).status for each in ("/livez", "/games", "/readyz")] == [200, 200, 503]
        (line,) = until(server.errors)
        assert line["message"].startswith("the store is away: ")
        assert server.workers() == [worker]
    disk.unmount()
    disk.mount()
    with Server(settings=settings) as server:
        answer = ask_anew(server, get(path, bearer))
        assert (answer.status, json.loads(answer.body)["version"]) == (200, 1)
        assert ask_anew(server, post(f"{path}/moves", NEXT, bearer)).status == 201
