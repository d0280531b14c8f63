"""Query parameters that a call does not have, and headers and parameters of a wrong form, are named in the refusal."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from service.bounds import LONGEST_KEY
from service.http.parameters import LANGUAGE, TOKEN
from tests.service.sessions.tables import SECRET, SessionClient, open_session

TWINS = {"game": "twins", "seats": 3}
CALLS = ["/resolve", "/games/twins/deal", "/batch", "/sessions"]
READ_CALLS = ["", "/legal-moves", "/moves", "/transcript", "/events"]
CHANGING_CALLS = ["/moves", "/rematch", "/tokens", "/commitments", "/seeds", "/clock", "/tickets"]
CALLS_WITHOUT_PARAMETERS = [
    "/",
    "/docs",
    "/openapi.yaml",
    "/llms.txt",
    "/guides/clients",
    "/problems/forbidden",
    "/livez",
    "/metrics",
    "/games",
]


@pytest.fixture
def table(client: FlaskClient) -> SessionClient:
    """A public session of gin rummy, just opened."""
    return open_session(client, "gin-rummy", public=True)


def parameters_of_refusal(answer: Any) -> list[str]:
    """The parameters that a refusal names."""
    assert (answer.status_code, answer.get_json()["type"]) == (400, "/problems/invalid-request")
    return [each["parameter"] for each in answer.get_json()["errors"] if each["pointer"] == ""]


@pytest.mark.parametrize("path", CALLS)
def test_a_call_takes_no_query_parameter(client: FlaskClient, path: str) -> None:
    answer = client.post(f"{path}?verbose=1", json=TWINS)
    assert parameters_of_refusal(answer) == ["verbose"]
    assert answer.get_json()["detail"] == 'This call takes no query parameter: leave "verbose" out.'


@pytest.mark.parametrize("call", READ_CALLS)
def test_a_read_of_a_session_refuses_a_parameter_that_it_has_not(table: SessionClient, call: str) -> None:
    for bearer in ("host", "spectator"):
        assert parameters_of_refusal(table.get(bearer, f"{call}?afte=1&x")) == ["afte", "x"]


@pytest.mark.parametrize("call", CHANGING_CALLS)
def test_a_change_of_a_session_refuses_every_parameter_of_a_bearer(table: SessionClient, call: str) -> None:
    assert parameters_of_refusal(table.post("host", f"{call}?after=1", {})) == ["after"]
    assert table.post("nobody", f"{call}?after=1", {}).status_code == 401


def test_a_session_is_not_deleted_with_a_parameter(table: SessionClient) -> None:
    path = f"{table.path}?force=1"
    assert parameters_of_refusal(table.client.delete(path, headers=table.headers("host"))) == ["force"]
    assert table.get("host").status_code == 200


def test_a_seat_is_not_taken_with_a_parameter(client: FlaskClient) -> None:
    assert parameters_of_refusal(client.post("/sessions/x/seats/0?invite=abc", json={})) == ["invite"]


def test_a_misspelled_parameter_is_guessed(table: SessionClient) -> None:
    (error,) = table.get("host", "/moves?After=1").get_json()["errors"]
    assert error["detail"] == 'There is no query parameter "After" here; there are after. Did you mean "after"?'


def test_a_parameter_that_is_there_twice_is_refused(table: SessionClient) -> None:
    """Which of its values counts would be a guess, even if both are alike."""
    for query in ("after=0&after=1", "after=1&after=1"):
        answer = table.get("host", f"/moves?{query}")
        assert parameters_of_refusal(answer) == ["after"]
        assert answer.get_json()["detail"] == 'The query parameter "after" is there more than once: send it once.'


def test_two_parameters_that_are_there_twice_are_both_named(table: SessionClient) -> None:
    answer = table.get("host", "/events?after=0&ticket=x&after=1&ticket=y")
    assert parameters_of_refusal(answer) == ["after", "ticket"]
    assert answer.get_json()["detail"] == "2 query parameters are there more than once: send each once."


@pytest.mark.parametrize("path", CALLS_WITHOUT_PARAMETERS)
def test_pages_documents_and_probes_ignore_parameters(client: FlaskClient, path: str) -> None:
    assert client.get(f"{path}?utm_source=x&after=1", headers={"Accept": "*/*"}).status_code == 200


@pytest.mark.parametrize("name", sorted(LANGUAGE))
@pytest.mark.parametrize("path", ["/games", "/games/twins", "/games/twins/rulebook"])
def test_a_language_in_the_address_of_json_is_refused_and_the_header_named(
    client: FlaskClient, path: str, name: str
) -> None:
    answer = client.get(f"{path}?{name}=it")
    assert parameters_of_refusal(answer) == [name]
    assert answer.get_json()["detail"] == f'The header Accept-Language says the language: leave "{name}" out.'
    assert client.post(f"/resolve?{name}=it", json={}).get_json()["detail"] == answer.get_json()["detail"]


def test_a_page_ignores_a_language_in_its_address(client: FlaskClient) -> None:
    assert client.get("/games/twins/rulebook?lang=it", headers={"Accept": "text/html"}).status_code == 200


@pytest.mark.parametrize("name", sorted(TOKEN))
def test_a_token_in_an_address_is_refused_and_not_repeated(table: SessionClient, name: str) -> None:
    answer = table.get("spectator", f"?{name}={table.tokens['host']}")
    assert parameters_of_refusal(answer) == [name]
    assert "Authorization" in answer.get_json()["detail"]
    assert table.tokens["host"] not in answer.text


@pytest.mark.parametrize("after", ["x", "-1", "1.0", "", "1" * 10])
def test_a_version_of_a_wrong_form_is_named_as_a_parameter(table: SessionClient, after: str) -> None:
    assert parameters_of_refusal(table.get("host", f"/moves?after={after}")) == ["after"]


@pytest.mark.parametrize("key", ["", "short", "x" * (LONGEST_KEY + 1)])
def test_a_key_of_a_wrong_length_is_named_as_a_header(client: FlaskClient, key: str) -> None:
    answer = client.post("/sessions", json=TWINS, headers={"Idempotency-Key": key})
    assert parameters_of_refusal(answer) == ["Idempotency-Key"]
    assert client.post("/sessions", json=TWINS, headers={"Idempotency-Key": SECRET}).status_code == 201


def test_only_two_hundred_parameters_are_listed(client: FlaskClient) -> None:
    problem = client.post(f"/resolve?{'&'.join(f'x{n}=1' for n in range(201))}", json={}).get_json()
    assert (len(problem["errors"]), problem["more"]) == (200, True)
    assert problem["detail"] == "201 query parameters do not belong here."


@pytest.mark.parametrize("query", ["lastEventId=1", "lastEventId=0&lastEventId=1"])
def test_a_stream_is_taken_up_again_by_the_parameter_of_polyfills(table: SessionClient, query: str) -> None:
    """They add it to an address that may have it already: the last one counts."""
    for move in ({"type": "pass", "seat": 0}, {"type": "pass", "seat": 1}):
        assert table.post("host", "/moves", {"moves": [move]}).status_code == 201
    stream = table.get("host", f"/events?{query}")
    frames = iter(stream.response)
    assert "id: 2" in next(frame for frame in map(bytes.decode, frames) if "data:" in frame)  # type: ignore[arg-type]
    stream.close()
