"""`REFEREE_STORE_URL=none`: there are no sessions, nothing is stored, and nothing leads to what needs them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from distributions.worker.tests.raw_http import ask, ask_anew, get, post
from service import cli
from service.http.documents import GUIDES
from tests.server import Server

NO_STORE = {"REFEREE_STORE_URL": "none"}
SESSION = f"/sessions/{'0' * 32}"
TEXTS = {
    "en": "This service stores nothing: sessions are off here.",
    "it": "Questo servizio non conserva nulla: qui le sessioni sono disattivate.",
    "de": "Dieser Dienst speichert nichts: Sitzungen sind hier ausgeschaltet.",
    "fr": "Ce service n'enregistre rien\u00a0: les sessions sont désactivées ici.",
}
PAGES = ["/", "/settle", "/docs", "/llms.txt", *(f"/guides/{name}" for name in GUIDES)]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that has no sessions."""
    with Server(settings=NO_STORE) as started:
        yield started


@pytest.fixture
def sessions_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the environment of this process so that there are no sessions."""
    for name, value in NO_STORE.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize(
    "request_",
    [
        get("/sessions", "Accept-Language: LANGUAGE"),
        post("/sessions", b'{"game": "twins", "seats": 3}', "Accept-Language: LANGUAGE"),
        post("/sessions", b"{", "Accept-Language: LANGUAGE"),
        get(SESSION, "Accept-Language: LANGUAGE"),
        get(SESSION, "Accept-Language: LANGUAGE").replace(b"GET", b"DELETE"),
        get(f"{SESSION}/events", "Accept-Language: LANGUAGE", "Accept: text/event-stream"),
        post(f"{SESSION}/moves", b"{}", "Accept-Language: LANGUAGE"),
        get("/sessions/no/such/path", "Accept-Language: LANGUAGE").replace(b"GET", b"PATCH"),
        get("/sessions/", "Accept-Language: LANGUAGE"),
        get("/play", "Accept-Language: LANGUAGE"),
    ],
    ids=lambda request_: request_.split(b" HTTP")[0].decode(),
)
def test_every_path_that_needs_sessions_says_that_they_are_off(server: Server, request_: bytes, language: str) -> None:
    answer = ask_anew(server, request_.replace(b"LANGUAGE", language.encode()))
    problem = answer.problem
    assert (answer.status, problem["type"], problem["detail"]) == (404, "/problems/not-found", TEXTS[language])
    assert answer.headers["content-language"] == language


def test_an_opening_of_every_size_is_answered_and_the_connection_goes_on(server: Server) -> None:
    with server.connect() as client:
        for size in (0, 20_000, 900_000):
            assert ask(client, post("/sessions", b" " * size)).status == 404


def test_the_service_is_ready_and_has_no_metrics_of_sessions(server: Server) -> None:
    answer = ask_anew(server, get("/readyz"))
    assert answer.status == 200
    assert {"status": "ready", "checks": {"sessions": "off"}}.items() <= json.loads(answer.body).items()
    figures = ask_anew(server, get("/metrics"))
    assert figures.status == 200
    assert b"referee_build_info" in figures.body
    assert b"referee_sessions" not in figures.body
    assert b"referee_store_bytes" not in figures.body


def test_calls_without_sessions_are_answered(server: Server) -> None:
    assert ask_anew(server, post("/deal", b'{"game": "twins", "seats": 3}')).status == 200


@pytest.mark.parametrize("page", PAGES)
def test_no_page_links_to_play_or_to_calls_of_sessions(server: Server, page: str) -> None:
    answer = ask_anew(server, get(page))
    assert answer.status == 200
    assert b'"/play"' not in answer.body
    assert b"manifest" not in answer.body
    assert b"POST /sessions" not in answer.body or page.startswith(("/docs", "/guides"))


def test_with_sessions_on_the_pages_link_to_play_and_list_the_calls_of_sessions() -> None:
    with Server() as server:
        pages = [ask_anew(server, get(page)).body for page in ("/", "/docs", "/llms.txt")]
        assert [b'href="/play"' in page for page in pages] == [True, True, False]
        assert [b"manifest" in page for page in pages] == [True, False, False]
        assert b"\n- POST /sessions: " in pages[2]


def test_a_start_and_a_stop_say_nothing_of_a_store() -> None:
    with Server(settings=NO_STORE) as server:
        ask_anew(server, get("/livez"))
        server.process.terminate()
        server.process.wait(30)
        assert server.err.read_text("utf-8") == ""


@pytest.mark.usefixtures("sessions_off")
def test_the_doctor_finds_nothing_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["doctor", "--json"])
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["store"] == {"name": "store", "good": True, "detail": "Sessions are off; nothing is stored."}


@pytest.mark.usefixtures("sessions_off")
@pytest.mark.parametrize("command", ["backup", "restore"])
def test_there_is_nothing_to_back_up_or_restore(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "copy"
    if command == "restore":
        file.touch()
    assert cli.main([command, str(file)]) == 2
    reason = f"referee {command}: REFEREE_STORE_URL is none: sessions are off, and there is no store\n"
    assert capsys.readouterr() == ("", reason)
