"""Both clients at sessions behind an nginx that compresses JSON, and so makes tags weak."""

import asyncio
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import rules_referee_client
import rules_referee_client.aio
from rules_referee_client import VersionMismatch
from tests.clients.compiled import node
from tests.clients.test_typescript import TESTS
from tests.deploy.test_nginx import run_compressing_site
from tests.loops import run
from tests.server import Server, until

pytestmark = pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")

OPENING: Any = {"game": "twins", "seats": 3, "invite": True}
BUY: Any = {"type": "buy", "seat": 0, "count": 0}


@pytest.fixture
def address(server: Server, tmp_path: Path) -> Iterator[str]:
    """The address of the proxy."""
    with run_compressing_site(tmp_path, server.port) as port:
        yield f"http://127.0.0.1:{port}"


def weak_tags(folder: Path) -> list[str]:
    """Return the answers to GET that the proxy compressed."""
    lines = until((folder / "answers").read_text).splitlines()
    return [line for line in lines if line.startswith('GET gzip W/"')]


def test_the_python_client_opens_joins_moves_and_follows(address: str) -> None:
    """The client asks for no compression, so the proxy leaves tags as they are. The second move sends a weak one."""
    twins = rules_referee_client.Referee(address).twins
    opened = twins.open(OPENING)
    seat = twins.join(opened.host.id, 0, opened.answer["invites"][0])
    seat.read()
    stale = seat.etag
    assert seat.move(BUY, if_match=stale)["version"] == 2
    with pytest.raises(VersionMismatch):
        seat.move(BUY, if_match=stale)
    opened.host.read()
    next_buy: Any = {**BUY, "seat": 1}
    assert opened.host.move(next_buy, if_match=f"W/{opened.host.etag}")["version"] == 3
    assert [entry["version"] for entry in islice(seat.events(), 3)] == [1, 2, 3]


def test_the_asyncio_client_opens_joins_moves_and_follows(address: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with rules_referee_client.aio.Referee(address) as referee:
            opened = await referee.twins.open(OPENING)
            seat = await referee.twins.join(opened.host.id, 0, opened.answer["invites"][0])
            following = asyncio.create_task(first_entries(seat, 2))
            await seat.read()
            stale = seat.etag
            assert stale is not None
            assert stale.startswith('W/"1-seat-0-')
            assert (await seat.move(BUY, if_match=stale))["version"] == 2
            with pytest.raises(VersionMismatch):
                await seat.move(BUY, if_match=stale)
            assert [entry["version"] for entry in await following] == [1, 2]

    async def first_entries(seat: Any, count: int) -> list[Any]:
        entries = seat.events()
        return [await anext(entries) for _ in range(count)]

    run(play())
    assert weak_tags(tmp_path) != []


@pytest.mark.long
def test_the_typescript_client_passes_its_tests(address: str, tmp_path: Path) -> None:
    """Among them are those that open, join, move with `ifMatch` and follow."""
    node("--test", TESTS / "live.mts", REFEREE_URL=address)
    assert weak_tags(tmp_path) != []
