"""Workers replace others without a gap, and complete what runs before they stop."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from distributions.worker.tests.applications import GATE
from distributions.worker.tests.conftest import PATIENT
from distributions.worker.tests.raw_http import (
    ask,
    ask_anew,
    asking,
    get,
    read,
    read_answer,
    read_to_the_end,
    several,
)
from distributions.worker.tests.servers import Subject, succeeded, until

AT_ONCE = 15  #: Seconds: enough on a busy machine, and less than the server would wait (`graceful_timeout`).
TWO_WORKERS = {"workers": 2}


@pytest.fixture
def fresh() -> Iterator[Subject]:
    """A server that a test may stop."""
    with Subject(options=PATIENT) as started:
        yield started


def test_a_stop_answers_running_requests_ends_streams_and_closes_idle_connections(fresh: Subject) -> None:
    with several(fresh, 4) as (waiting, stream, unread_stream, idle):
        ask(idle, get("/livez"))
        unread_stream.sendall(get("/flood"))
        stream.sendall(get("/stream/0.1"))
        read(stream, until=lambda received: b"beat" in received)
        waiting.sendall(get("/wait/1.0"))
        ask(idle, get("/livez"))
        assert fresh.stop() < AT_ONCE
        answer = read_answer(waiting)
        assert (answer.body, answer.headers["connection"]) == (b"waited", "close")
        assert read_to_the_end(stream).endswith(b"0\r\n\r\n")
        assert idle.recv(1) == b""


def test_requests_that_have_reached_a_busy_worker_are_answered_before_it_stops(fresh: Subject) -> None:
    with fresh.connect() as first, several(fresh, 20) as known, several(fresh, 20) as new:
        for client in known:
            ask(client, get("/livez"))
        first.sendall(get("/busy/1.0"))
        with several(fresh, 20) as unknown:
            for client in (*known, *new, *unknown):
                client.sendall(get("/busy/0.02"))
            fresh.stop()
            answered = [read_answer(client).body for client in (*known, *new, *unknown)]
    assert answered == [b"done"] * 60


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name)
def test_a_client_that_goes_on_asking_during_a_stop_gets_a_last_answer_that_announces_the_close(
    fresh: Subject, sign: signal.Signals
) -> None:
    with fresh.connect() as client:
        answers = [ask(client, get("/livez"))]
        fresh.process.send_signal(sign)
        while answers[-1].headers["connection"] == "keep-alive":
            answers.append(ask(client, get("/livez")))
            time.sleep(0.05)
        assert client.recv(1) == b""
    assert len(answers) > 1
    assert {each.body for each in answers} == {b"alive"}


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A file. While it exists, no worker of the subject completes its start."""
    return tmp_path / "gate"


@pytest.fixture
def gated(gate: Path) -> Iterator[Subject]:
    """A server whose two workers serve. No further worker can complete its start."""
    with Subject(settings=TWO_WORKERS, options=PATIENT, variables={GATE: str(gate)}) as started:
        until(lambda: started.listening() == 2)
        assert all_are_served(started)
        gate.touch()
        yield started


def all_are_served(server: Subject) -> bool:
    """Return whether 20 new clients are answered: enough for some to reach each worker."""
    return all(ask_anew(server, get("/livez")).body == b"alive" for _ in range(20))


def test_no_client_waits_for_workers_that_replace_others(gated: Subject, gate: Path) -> None:
    old = set(gated.workers())
    with asking(gated.port) as statuses:
        gated.process.send_signal(signal.SIGHUP)
        until(lambda: len(gated.workers()) == 4)
        assert all_are_served(gated)
        assert old <= set(gated.workers())
        gate.unlink()
        until(lambda: not old & set(gated.workers()))
        assert all_are_served(gated)
    assert set(statuses) == {200}


def test_no_client_waits_for_a_worker_that_starts_beside_another(gated: Subject, gate: Path) -> None:
    gated.kill(gated.workers()[0])
    assert all_are_served(gated)
    until(lambda: len(gated.workers()) == 2)
    assert all_are_served(gated)
    assert gated.listening() == 1
    gate.unlink()
    until(lambda: gated.listening() == 2)


def test_a_server_that_starts_refuses_clients_until_it_can_answer_and_keeps_its_port(gate: Path) -> None:
    gate.touch()
    with Subject(settings=TWO_WORKERS, variables={GATE: str(gate)}, patient=False) as started:
        until(lambda: len(started.workers()) == 2)
        with pytest.raises(ConnectionRefusedError):
            started.connect()
        with Subject(port=started.port) as second:
            assert second.process.wait(AT_ONCE) == 1
            assert second.errors() == f"Port {second.port} of 127.0.0.1: Address already in use\n"
        assert started.out.read_text("utf-8") == ""
        gate.unlink()
        until(lambda: "http://" in started.out.read_text("utf-8"))
        assert ask_anew(started, get("/livez")).body == b"alive"


def test_no_client_waits_for_a_server_that_starts_beside_another(gated: Subject, gate: Path) -> None:
    with succeeded(gated) as successor:
        children = Path(f"/proc/{successor}/task/{successor}/children")
        until(lambda: len(children.read_text("ascii").split()) == 2)
        assert all_are_served(gated)
        gate.unlink()
        until(lambda: gated.listening() == 4)
        assert all_are_served(gated)


def test_a_stop_while_workers_are_being_replaced_does_not_wait_for_the_new_ones(gated: Subject) -> None:
    gated.process.send_signal(signal.SIGHUP)
    until(lambda: len(gated.workers()) == 4)
    assert gated.stop() < AT_ONCE


def test_a_request_that_never_ends_does_not_delay_the_stop_for_ever() -> None:
    with Subject(settings={"graceful_timeout": 2}) as server, server.connect() as client:
        client.sendall(get("/wait/60.0"))
        ask_anew(server, get("/livez"))
        assert server.stop() < AT_ONCE


def test_an_interrupt_stops_the_server_at_once(fresh: Subject) -> None:
    with fresh.connect() as client:
        client.sendall(get("/wait/60.0"))
        ask_anew(fresh, get("/livez"))
        assert fresh.stop(signal.SIGINT) < AT_ONCE
    assert fresh.errors() == ""


@pytest.mark.parametrize(
    ("sign", "seconds"),
    [(signal.SIGTERM, 0), (signal.SIGINT, 0.2), (signal.SIGTERM, 0.5)],
    ids=lambda each: getattr(each, "name", str(each)),
)
def test_a_stop_during_the_start_ends_the_server_at_once_and_silently(
    gate: Path, sign: signal.Signals, seconds: float
) -> None:
    gate.touch()
    with Subject(settings=TWO_WORKERS, variables={GATE: str(gate)}, patient=False) as server:
        until(server.workers)
        time.sleep(seconds)
        assert server.stop(sign) < AT_ONCE
        assert server.errors() == ""


def test_a_worker_that_does_not_run_is_replaced_and_the_log_says_what_it_was_doing() -> None:
    with Subject(settings={"timeout": 1}) as server, server.connect() as client:
        (stuck,) = server.workers()
        client.sendall(get("/busy/60"))
        until(lambda: stuck not in server.workers() and server.listening())  # the stuck one may listen until it ends
        assert ask_anew(server, get("/livez")).status == 200
        assert "in busy" in server.errors().partition(f"What the worker (pid:{stuck}) was doing:")[2]


def test_of_a_worker_that_was_stopped_the_log_guesses_nothing() -> None:
    with Subject(settings={"timeout": 1}) as server:
        (stopped,) = server.workers()
        os.kill(stopped, signal.SIGSTOP)
        until(lambda: stopped not in server.workers() and server.listening())
        assert ask_anew(server, get("/livez")).status == 200
        assert f"The worker (pid:{stopped}) could not say what it was doing" in server.errors()


def test_a_start_that_takes_longer_than_the_timeout_is_waited_for(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    with Subject(settings={"timeout": 1}, variables={GATE: str(gate)}, patient=False) as server:
        (starting,) = until(server.workers)
        time.sleep(3)
        gate.unlink()
        until(lambda: ask_anew(server, get("/livez")).status == 200 if server.listening() else False)
        assert server.workers() == [starting]
