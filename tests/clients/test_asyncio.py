"""`rules_referee_client.aio` against the live service: a game, and what asyncio has of its own."""

import asyncio
import random
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from rules_referee_client import RefereeProblem, StoreUnavailable, Unauthorized
from rules_referee_client.aio import Referee
from tests.clients.test_python import README, STORE_UNAVAILABLE, choose_move
from tests.loops import run
from tests.server import Server


def client_at(server: Server) -> Referee:
    """The asynchronous client of a running service."""
    return Referee(f"http://127.0.0.1:{server.port}")


def test_a_game_is_played_by_all_seats_at_once_and_followed(server: Server) -> None:
    async def play() -> None:
        async with client_at(server) as referee:
            opened = await referee.twins.open({"game": "twins", "seats": 3})
            following = asyncio.create_task(follow(opened.seats[1]))
            while (table := await opened.host.read())["to_act"] and table["version"] < 25:
                await asyncio.gather(*(act(opened.seats[seat or 0]) for seat in table["to_act"]))
            version = table["version"]
            await opened.host.close()
            assert [entry["version"] for entry in await following] == list(range(1, version + 1))

    async def act(seat: Any) -> None:
        if moves := (await seat.legal_moves())["moves"]:
            await seat.move(choose_move(moves, random.Random(1)))

    async def follow(seat: Any) -> list[Any]:
        return [entry async for entry in seat.events()]

    run(play())


def test_a_task_that_follows_can_be_cancelled(server: Server) -> None:
    async def cancel() -> None:
        async with client_at(server) as referee:
            opened = await referee.twins.open({"game": "twins", "seats": 3})
            task = asyncio.create_task(anext(opened.host.live()))
            await asyncio.sleep(0.2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await opened.host.read())["version"] == 0

    run(cancel())


def test_problems_are_of_the_same_classes_as_in_the_other_client(server: Server) -> None:
    async def ask() -> None:
        async with client_at(server) as referee:
            with pytest.raises(Unauthorized):
                await referee.twins.at("0" * 32, "forged").read()

    run(ask())


STREAM = {"Content-Type": "text/event-stream"}


def client_with_replies(replies: list[httpx2.Response], requests: list[httpx2.Request]) -> Referee:
    """A client that gets these replies instead of a server's. It adds the requests that it sends to `requests`."""

    def reply(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return replies[len(requests) - 1]

    referee = Referee("http://referee", retries=1)
    referee.connection._client._transport = httpx2.MockTransport(reply)
    return referee


async def move_with_replies(replies: list[httpx2.Response]) -> tuple[Any, list[httpx2.Request]]:
    """Make a move with a client that gets these replies. Return what it returns, and the requests that it sent."""
    requests: list[httpx2.Request] = []
    async with client_with_replies(replies, requests) as referee:
        return await referee.twins.at("id", "token").move({"type": "deal"}), requests


def test_a_change_is_sent_again_under_the_same_key() -> None:
    later = httpx2.Response(503, headers={"Retry-After": "0"}, content=STORE_UNAVAILABLE)
    runs = httpx2.Response(409, content=STORE_UNAVAILABLE.replace(b"store-unavailable", b"request-in-progress"))
    for first in (later, httpx2.Response(502, content=b"Bad gateway"), runs):
        move, requests = run(move_with_replies([first, httpx2.Response(201, json={"version": 1})]))
        assert move == {"version": 1}
        assert len({request.headers["Idempotency-Key"] for request in requests}) == 1
    with pytest.raises(StoreUnavailable):
        run(move_with_replies([later, later]))


def test_an_answer_that_is_not_the_referees_raises_a_problem() -> None:
    with pytest.raises(RefereeProblem, match="Sign in") as raised:
        run(move_with_replies([httpx2.Response(200, content=b"<html>Sign in to the network</html>")]))
    assert raised.value.status == 200


def test_a_refused_stream_is_opened_again_after_the_seconds_of_retry_after_but_at_most_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("rules_referee_client.aio.connection.asyncio.sleep", sleep)
    entry = b'retry: 500\n\nid: 1\nevent: entry\ndata: {"version": 1}\n\n'
    replies = [
        httpx2.Response(429, headers={"Retry-After": "3600"}),
        httpx2.Response(200, headers=STREAM, content=entry),
        httpx2.Response(503, headers={"Retry-After": "7"}, content=STORE_UNAVAILABLE),
        httpx2.Response(200, headers=STREAM, content=entry.replace(b"1", b"2") + b"event: closed\ndata: {}\n\n"),
    ]

    requests: list[httpx2.Request] = []

    async def follow() -> list[Any]:
        async with client_with_replies(replies, requests) as referee:
            return [each async for each in referee.twins.at("id", "token").events()]

    assert run(follow()) == [{"version": 1}, {"version": 2}]
    assert [request.headers["Last-Event-ID"] for request in requests] == ["0", "0", "1", "1"]
    assert waited == [60, 0.5, 7]


def test_the_events_of_a_session_end_if_it_is_closed_while_the_stream_is_broken() -> None:
    gone = httpx2.Response(404, content=STORE_UNAVAILABLE.replace(b"store-unavailable", b"not-found"))
    entry = b'retry: 10\n\nid: 1\nevent: entry\ndata: {"version": 1}\n\n'

    async def follow() -> list[Any]:
        async with client_with_replies([httpx2.Response(200, headers=STREAM, content=entry), gone], []) as referee:
            return [each async for each in referee.twins.at("id", "token").events()]

    assert run(follow()) == [{"version": 1}]


def test_an_answer_that_is_no_stream_raises_a_problem() -> None:
    async def follow() -> None:
        async with client_with_replies([httpx2.Response(200, content=b"Sign in")], []) as referee:
            await anext(referee.twins.at("id", "token").events())

    with pytest.raises(RefereeProblem, match="Sign in"):
        run(follow())


def test_the_program_of_the_readme_runs(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    _, source, *_ = re.findall(
        r"```py\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    )  # the second is asyncio's
    program = compile(source.replace("8000", str(server.port)), README, "exec")
    with ThreadPoolExecutor(1) as thread:
        thread.submit(exec, program, {}).result()
    assert capsys.readouterr().out == "True\n"
