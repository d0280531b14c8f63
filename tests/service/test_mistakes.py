"""The mistakes of `mistakes.py`: each is refused with a sentence that says what is wrong, where, and how to mend it."""

import http.client
import json
import re
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from flask.testing import FlaskClient

import engines
from tests.server import Server
from tests.service.mistakes import MISTAKES, SESSION, Mistake
from tests.service.sessions.tables import SECRET, service_client

Answer: TypeAlias = tuple[int, str, Any]
Send: TypeAlias = Callable[[str, str, bytes | None, dict[str, str]], Answer]
"""(method, path, body, headers) → status, media type, and the body read as JSON."""
IDS = [f"{place}: {mistake.what}" for place, mistake in enumerate(MISTAKES)]


class Table:
    """A session, and the requests of its bearers."""

    def __init__(self, send: Send) -> None:
        self.send = send
        body = json.dumps(SESSION).encode()
        headers = {"Content-Type": "application/json", "Idempotency-Key": SECRET}
        _, _, opened = send("POST", "/sessions", body, headers)
        tokens = opened["tokens"]
        self.id = opened["id"]
        self.tokens = {"host": tokens["host"]} | {f"seat-{seat}": each for seat, each in enumerate(tokens["seats"])}

    def ask(self, mistake: Mistake, language: str = "en") -> Answer:
        """The answer to a mistake."""
        method, path = mistake.send.replace("ID", self.id).split(" ")
        body = mistake.body
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        headers = {"Accept-Language": language, "Content-Type": "application/json", **mistake.headers}
        if mistake.bearer is not None:
            headers["Authorization"] = f"Bearer {self.tokens[mistake.bearer]}"
        if not headers["Content-Type"]:
            del headers["Content-Type"]
        return self.send(method, path, body, headers)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A session of a service in this process."""
    client = service_client(f"sqlite:///{tmp_path_factory.mktemp('mistakes')}/store.db")

    def send(method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        answer = client.open(path, method=method, data=body, headers=headers)
        return answer.status_code, str(answer.mimetype), answer.get_json(force=True)

    return Table(send)


def sentences(problem: Any, where: str | None) -> list[str]:
    """What a problem says at a place: pointers of errors and faults, parameters; None: of the whole request."""
    if where is None:
        return [problem["detail"]]
    errors = [each["detail"] for each in problem.get("errors", ()) if where == each.get("parameter", each["pointer"])]
    return errors + [each["text"] for each in problem.get("faults", ()) if where in each["pointers"]]


@pytest.mark.parametrize("mistake", MISTAKES, ids=IDS)
def test_a_mistake_is_answered_with_what_is_wrong_where_and_how_to_mend_it(mistake: Mistake, table: Table) -> None:
    status, media_type, problem = table.ask(mistake)
    assert (status, problem["type"]) == (mistake.status, f"/problems/{mistake.slug}")
    assert media_type == "application/problem+json"
    (sentence,) = sentences(problem, mistake.where)
    for part in mistake.says:
        assert part.replace("ID", table.id) in sentence


@pytest.mark.parametrize("mistake", MISTAKES, ids=IDS)
@pytest.mark.parametrize("language", ["it", "fr"])
def test_a_mistake_is_answered_at_the_same_place_in_other_languages(
    mistake: Mistake, language: str, table: Table
) -> None:
    (english,) = sentences(table.ask(mistake)[2], mistake.where)
    (sentence,) = sentences(table.ask(mistake, language)[2], mistake.where)
    assert sentence not in ("", english)


def test_there_are_a_hundred_mistakes_and_each_is_another() -> None:
    requests = {(each.send, repr(each.body), repr(each.headers), each.bearer) for each in MISTAKES}
    assert len(requests) == len(MISTAKES) >= 100


def test_every_call_has_its_mistakes(client: FlaskClient) -> None:
    sent = {without_game(each.send.partition("?")[0].replace("seats/0", "seats/<seat>")) for each in MISTAKES}
    due = {
        without_game(f"{method} {rule.rule}").replace("<session_id>", "ID")
        for rule in client.application.url_map.iter_rules()
        if rule.endpoint.startswith(("stateless.", "sessions."))
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert due - sent == set()


def without_game(call: str) -> str:
    """Return a call with `…` for the game in its path."""
    return re.sub(f"/games/(?:{'|'.join(engines.registry())})/", "/games/…/", call)


def test_a_running_service_answers_every_mistake_alike(server: Server, table: Table) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)

    def send(method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers.get_content_type(), json.loads(answer.read())

    running = Table(send)
    for mistake in MISTAKES:
        status, media_type, problem = running.ask(mistake)
        expected = table.ask(mistake)
        assert (status, media_type) == expected[:2], mistake.what
        texts = [each.replace(running.id, table.id) for each in sentences(problem, mistake.where)]
        assert texts == sentences(expected[2], mistake.where), mistake.what
    connection.close()
