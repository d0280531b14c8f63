"""gzip is used if the client asks for it and the answer is long, and never for an answer with a secret."""

import gzip
import json
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.http import bodies
from service.scheduling import SCHEDULER
from tests.service.sessions.tables import open_session
from tests.service.test_http import FOUR_HANDS

DOCUMENTS = [
    "/playground/words/it.js",
    "/docs/swagger-ui.css",
    "/games/twins",
    "/games/twins/rulebook",
    "/openapi.yaml",
]
TABLE = {"game": "twin-it", "state": {"phase": "play", "piles": [["0A"], ["1A"]]}}
HUNDRED_AUDITS = {"requests": [{"path": "/audit", "body": TABLE}] * 100}
LONG_ANSWER = ("/legal-moves", FOUR_HANDS)


def answer_of(client: FlaskClient, path: str, body: Any = None, encoding: str = "gzip", **headers: str) -> TestResponse:
    """Post a body, or read a path if there is none, with this `Accept-Encoding`."""
    sent = {"Accept-Encoding": encoding} | {name.replace("_", "-"): value for name, value in headers.items()}
    return client.get(path, headers=sent) if body is None else client.post(path, json=body, headers=sent)


@pytest.mark.parametrize("path", DOCUMENTS)
def test_a_document_and_its_tag_are_the_same_compressed_and_not(client: FlaskClient, path: str) -> None:
    plain, compressed = answer_of(client, path, encoding="identity"), answer_of(client, path)
    assert compressed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert gzip.decompress(compressed.get_data()) == plain.get_data()
    assert int(compressed.headers["Content-Length"]) == len(compressed.get_data()) < len(plain.get_data()) / 2
    assert "Accept-Encoding" in compressed.headers["Vary"]
    assert "Accept-Encoding" in plain.headers["Vary"]
    tag = compressed.headers["ETag"]
    assert tag.startswith('W/"')
    for encoding in ("gzip", "identity"):
        again = answer_of(client, path, encoding=encoding, If_None_Match=tag)
        assert (again.status_code, again.get_data()) == (304, b"")


@pytest.mark.parametrize(("path", "body"), [LONG_ANSWER, ("/batch", HUNDRED_AUDITS)])
def test_a_long_answer_to_a_call_is_the_same_compressed_and_not(client: FlaskClient, path: str, body: Any) -> None:
    plain, compressed = answer_of(client, path, body, encoding="identity"), answer_of(client, path, body)
    assert len(plain.get_data()) > bodies.SHORTEST_COMPRESSED
    assert compressed.headers["Content-Encoding"] == "gzip"
    assert int(compressed.headers["Content-Length"]) == len(compressed.get_data())
    assert json.loads(gzip.decompress(compressed.get_data())) == plain.get_json()


@pytest.mark.parametrize("encoding", ["", "identity", "br", "gzip;q=0", "*;q=0"])
def test_a_client_that_does_not_ask_for_gzip_gets_none(client: FlaskClient, encoding: str) -> None:
    assert "Content-Encoding" not in answer_of(client, LONG_ANSWER[0], LONG_ANSWER[1], encoding).headers


def test_a_short_answer_is_not_compressed(client: FlaskClient) -> None:
    assert "Content-Encoding" not in answer_of(client, "/audit", TABLE).headers


def test_nothing_of_a_session_is_compressed(client: FlaskClient) -> None:
    table = open_session(client, "gin-rummy", names=["a" * 40, "b" * 40])
    for move in [{"type": "pass", "seat": seat} for seat in (0, 1)]:
        assert table.move("host", move).status_code == 201
    for call in ("", "/moves", "/transcript", "/legal-moves"):
        assert "Content-Encoding" not in table.get("host", call, Accept_Encoding="gzip").headers


def test_compressing_yields_to_other_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    yields: list[None] = []
    monkeypatch.setattr(SCHEDULER, "yield_if_due", lambda: yields.append(None))
    body = b"a card " * 100_000
    assert gzip.decompress(bodies.gzip(body)) == body
    assert len(yields) > len(body) // bodies.PIECE
