"""A design of Twin it! is a text that sentences repeat. It cannot change them, even if an earlier release stored it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from engines.twin_it.designs import HOUSE_DECK
from service.words.wording import STEERING
from tests.baseline import sessions
from tests.service.sessions.tables import SessionClient, open_session, service_client
from tests.service.test_player_names import STEERING as TEXTS
from tests.service.test_player_names import sentences_of

DECK = [["egg", "nut"], ["egg", "ant"], ["nut", "ant"], ["egg", "owl"]]
HOSTILE_DESIGN = "\u202eegg\n\x1b[2J"  #: A design that a service of 0.1.0 accepted.


def write_house_deck(file: str, id: str) -> None:
    """Write the designs of the house deck into the state of a stored session, which may leave them out."""
    with sqlite3.connect(file) as store:
        (stored,) = store.execute("SELECT head FROM sessions WHERE id = ?", (id,)).fetchone()
        record = json.loads(stored)
        record["state"]["designs"] = HOUSE_DECK
        changed = json.dumps(record, separators=(",", ":")).encode()
        store.execute("UPDATE sessions SET head = ? WHERE id = ?", (changed, id))
    store.close()


def replace_text(file: str, id: str, old: str, new: str) -> None:
    """Replace a text by another in all that a store of SQLite holds of a session."""
    old, new = json.dumps(old), json.dumps(new)
    with sqlite3.connect(file) as store:
        for table, column, key in (("sessions", "head", "id"), ("log", "entry", "session")):
            query = f"SELECT rowid, {column} FROM {table} WHERE {key} = ?"
            for row, value in store.execute(query, (id,)).fetchall():
                changed = value.decode().replace(old, new).encode()
                store.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, row))
    store.close()


@pytest.mark.parametrize("text", TEXTS)
def test_a_design_cannot_change_the_sentence_around_it(client: FlaskClient, text: str) -> None:
    designs = [*DECK, ["owl", text]]
    table = {"phase": "play", "piles": [["0A"], ["1A"]], "table": [], "designs": designs}
    for path, body, pointer in (
        ("/games/twin-it/deal", {"seats": 2, "designs": designs}, "/designs/4/1"),
        ("/sessions", {"game": "twin-it", "seats": 2, "designs": designs}, "/designs/4/1"),
        ("/games/twin-it/audit", {"state": table}, "/state/designs/4/1"),
    ):
        answer = client.post(path, json=body)
        assert (answer.status_code, [each["pointer"] for each in answer.get_json()["errors"]]) == (400, [pointer])
        assert not STEERING.search(answer.get_json()["detail"])


def test_the_refusal_of_a_design_shows_its_invisible_characters_escaped(client: FlaskClient) -> None:
    answer = client.post("/games/twin-it/deal", json={"seats": 2, "designs": [["egg", "nut\u200f\n"]]}).get_json()
    assert answer["detail"].endswith('got "nut\\u200f\\n".')


@pytest.mark.parametrize("release", sessions.RELEASES)
def test_hostile_designs_of_an_earlier_store_are_shown_as_stored_but_not_in_sentences(
    release: str, tmp_path: Path
) -> None:
    file = str(shutil.copy(sessions.STORES / release / "sessions.sqlite3", tmp_path))
    stored = next(each for each in sessions.sessions_of(release, "sqlite") if each["game"] == "twin-it")
    write_house_deck(file, stored["id"])
    replace_text(file, stored["id"], "red-egg", HOSTILE_DESIGN)
    table = SessionClient(sessions.client(f"sqlite:///{file}"), stored["id"], stored["game"], stored["tokens"])
    session = table.get("host").get_json()
    assert HOSTILE_DESIGN in {design for card in session["state"]["designs"] for design in card}
    entries = table.get("host", "/moves").get_json()["entries"]
    events = [event for entry in entries for event in entry["events"]]
    assert HOSTILE_DESIGN in {event["params"].get("design") for event in events}
    answer = table.move("host", next(move for move in table.legal_moves("host") if move["type"] == "flip"))
    assert answer.status_code == 201
    texts = sentences_of([entries, answer.get_json(), table.get("host").get_json()])
    assert any("egg[2J" in text for text in texts)
    assert [text for text in texts if STEERING.search(text)] == []


def test_a_joint_deal_deals_the_designs_in_the_store_even_if_they_are_hostile(tmp_path: Path) -> None:
    file = tmp_path / "sessions.sqlite3"
    table = open_session(service_client(f"sqlite:///{file}"), "twin-it", 2, designs=DECK, fair="joint")
    replace_text(str(file), table.id, "egg", HOSTILE_DESIGN)
    again = SessionClient(service_client(f"sqlite:///{file}"), table.id, table.game, table.tokens)
    again.commit("one", "two")
    again.reveal("one", "two")
    assert again.get("host").get_json()["state"]["designs"][0] == [HOSTILE_DESIGN, "nut"]
