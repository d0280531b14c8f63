"""The commands of an operator: `sessions list`, `show`, `delete`, and `backup --verify`."""

import json
import sqlite3
import syslog
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from service import cli
from tests.service.sessions.tables import open_session, service_client
from tests.service.test_terminal import STEERING_TEXT, assert_harmless, output_on_a_terminal


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What goes to the log of the system."""
    lines: list[dict[str, Any]] = []
    monkeypatch.setattr(syslog, "syslog", lambda _, line: lines.append(json.loads(line)))
    return lines


@pytest.fixture
def run(
    store_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run a command on the store; returns its status, its output and its errors."""
    monkeypatch.setenv("REFEREE_STORE_URL", store_url)

    def run(*arguments: str) -> tuple[int, str, str]:
        status = cli.main(arguments)
        return status, *capsys.readouterr()

    return run


def test_sessions_are_listed_without_anything_of_their_tables(
    store_url: str, run: Callable[..., tuple[int, str, str]]
) -> None:
    client = service_client(store_url)
    tables = {open_session(client, "gin-rummy", seats=2).id: 2, open_session(client, "twins", seats=3).id: 3}
    status, output, errors = run("sessions", "list")
    shown = [json.loads(line) for line in output.splitlines()]
    assert (status, errors) == (0, "")
    assert {each["id"]: each["seats"] for each in shown} == tables
    assert {*shown[0]} == {"id", "version", "game", "seats", "moves", "size"}


def test_no_hand_and_no_seed_is_shown_unless_it_is_asked_for(
    store_url: str, run: Callable[..., tuple[int, str, str]], logged: list[dict[str, Any]]
) -> None:
    table = open_session(service_client(store_url), "gin-rummy", seats=2)
    hand = table.get("host").get_json()["state"]["hands"][0]
    _, without, _ = run("sessions", "show", table.id)
    _, with_hands, errors = run("sessions", "show", table.id, "--hands")
    assert {*json.loads(without)} & {"state", "incident", "setup", "server_seed", "seeds"} == set()
    assert not any(f'"{card}"' in without for card in hand)
    assert json.loads(with_hands)["state"]["hands"][0] == hand
    assert {*json.loads(with_hands)} & {"server_seed", "seeds", "generation"} == set()
    assert [(each["message"], each["session"], each["hands"]) for each in logged] == [
        ("sessions show", table.id, False),
        ("sessions show", table.id, True),
    ]
    assert json.loads(errors) == logged[1]


def test_a_deleted_session_is_gone_for_a_running_service_too(
    store_url: str, run: Callable[..., tuple[int, str, str]], logged: list[dict[str, Any]]
) -> None:
    table = open_session(service_client(store_url), "gin-rummy", seats=2)
    assert table.get("host").status_code == 200
    assert run("sessions", "delete", table.id)[0] == 0
    assert table.get("host").status_code == 404
    assert table.move("host", {"type": "pass", "seat": 0}).status_code == 404
    status, _, errors = run("sessions", "delete", table.id)
    assert (status, errors) == (2, f"referee sessions delete: there is no session {table.id}\n")
    assert [each["message"] for each in logged] == ["sessions delete"]


def test_no_text_in_a_store_steers_the_terminal(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store"
    table = open_session(service_client(url), "gin-rummy", seats=2, names=["Ann", "Bo"])
    with closing(sqlite3.connect(tmp_path / "store")) as db, db:
        (record,) = db.execute("SELECT head FROM sessions").fetchone()
        hostile = json.dumps({**json.loads(record), "names": [STEERING_TEXT, "Bo"]}, ensure_ascii=False)
        db.execute("UPDATE sessions SET head = ?", (hostile.encode("utf-8", "surrogatepass"),))
    output = output_on_a_terminal("sessions", "show", table.id, "--store", url)
    assert table.id in output
    assert_harmless(output)


def test_a_backup_that_can_be_read_says_so_and_a_session_that_cannot_is_counted(
    tmp_path: Path, run: Callable[..., tuple[int, str, str]], store_url: str, logged: list[dict[str, Any]]
) -> None:
    client = service_client(store_url)
    for _ in range(2):
        open_session(client, "gin-rummy", seats=2)
    copy = tmp_path / "copy"
    run("backup", str(copy))
    status, output, _ = run("backup", "--verify", str(copy))
    assert status == 0
    assert output.startswith(f"Sessions in {copy}: 2, all can be read; 0 of them have ended.")
    with closing(sqlite3.connect(copy)) as db, db:
        db.execute("UPDATE sessions SET head = '{}' WHERE rowid = (SELECT min(rowid) FROM sessions)")
    status, _, errors = run("backup", "--verify", str(copy))
    assert (status, errors) == (2, f"referee backup --verify: {copy}: of 2 sessions 1 cannot be read\n")
    assert [(each["message"], each["file"]) for each in logged] == [("backup", str(copy))]
    assert [each.name for each in tmp_path.glob("copy*")] == ["copy"]
