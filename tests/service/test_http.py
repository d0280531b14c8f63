"""The service over HTTP: languages, media types, methods, origins, request ids, batches, internal errors."""

import json
import re
from importlib.metadata import version
from typing import Any
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient
from markupsafe import escape

import engines
from service.conformance import vectors_of
from service.http.preferences import languages_for
from service.judging.referee import Referee
from service.scheduling import FEW, SCHEDULER
from service.words.languages import language_for
from tests.service.sessions.tables import service_client
from tests.service.test_openapi import follow_reference, operations, published_contract

RESOLVE = next(vector.request for vector in vectors_of("twins") if vector.id == "twins-first-trick-of-four")
FOUR_HANDS = {
    "game": "twins",
    "state": {
        "phase": "trick",
        "trick": 1,
        "chips": [12] * 4,
        "pot": 0,
        "hands": [[f"{colour}-{value}" for value in range(1, 9)] for colour in ("blue", "brown", "pink", "green")],
    },
}
NO_STORE = "sqlite:////dev/null/nowhere"  #: A store that does not exist; nothing here uses sessions.
ORIGIN = "https://table.example"


def post(client: FlaskClient, path: str = "/resolve", body: Any = RESOLVE["body"], **headers: str) -> Any:
    """Post a body; `Idempotency_Key` stands for a header with a hyphen."""
    sent = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(path, data=json.dumps(body), headers=sent)


LANGUAGES = {
    "en": (None, "", "en-US,it;q=0.8", "nl", "*", "it;q=0", "en;q=0, it;q=0, fr;q=0, de;q=0, *"),
    "it": ("it", "it-IT, en;q=0.5", "nl, fr;q=0.4, it;q=0.7", "en;q=0, *", "en;q=0.1, *", "IT-it", "it-CH;q=0, it"),
    "fr": ("fr-CH, en;q=0.5", "en;q=0, it-IT;q=0, *;q=0.1"),
    "de": ("de-AT", "de-CH, fr;q=0.8", "de-DE,de;q=0.9,en;q=0.8", "nl, de_LI;q=0.5", "gsw, de;q=0.7, en;q=0.3"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_language_is_the_best_one_that_we_support(language: str) -> None:
    assert {header: language_for(languages_for(header), None) for header in LANGUAGES[language]} == dict.fromkeys(
        LANGUAGES[language], language
    )


def test_the_answer_names_its_language(client: FlaskClient) -> None:
    answer = post(client, Accept_Language="fr-FR")
    assert (answer.headers["Content-Language"], answer.headers["Vary"]) == ("fr", "Accept-Language")


def test_a_problem_is_in_the_language_of_its_request(client: FlaskClient) -> None:
    read = [
        client.post("/resolve", json=body, headers={"Accept-Language": "fr"})
        for body in ({}, {"game": "twins", "state": {"phase": "buying", "chips": [1, 2, 3], "pot": 0}, "moves": []})
    ]
    assert [(answer.status_code, answer.headers["Content-Language"]) for answer in read] == [(400, "fr"), (422, "fr")]


STATUSES = [
    ("Content-Type", "application/json", 200),
    ("Content-Type", "Application/JSON; charset=UTF-8", 200),
    ("Content-Type", "application/json; charset=latin-1", 415),
    ("Content-Type", "", 415),
    ("Content-Encoding", "identity", 415),
    ("Content-Encoding", "", 415),
    ("Accept", "application/json; charset=utf-8", 200),
    ("Accept", "application/json;q=0", 406),
    ("Accept", "text/html, */*;q=0.1", 200),
]


@pytest.mark.parametrize(("header", "value", "status"), STATUSES)
def test_bodies_and_answers_are_json_in_utf_8(client: FlaskClient, header: str, value: str, status: int) -> None:
    assert post(client, **{header: value}).status_code == status


@pytest.mark.parametrize("name", ["Accept", "Accept-Language", "Accept-Encoding"])
@pytest.mark.parametrize("path", ["/livez", "/games", "/nowhere"])
def test_a_costly_header_is_refused(client: FlaskClient, name: str, path: str) -> None:
    long = "*/*," + "x" * 508
    assert client.get(path, headers={name: long}).status_code != 431
    answer = client.get(path, headers={name: f"{long}x"})
    assert (answer.status_code, answer.get_json()["type"]) == (431, "/problems/headers-too-large")
    assert answer.get_json()["detail"] == f"The header {name} has more than 512 bytes, the most that is read here."


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "path", ["/metrics", "/games", "/resolve", "/sessions", "/sessions/x/moves", "/docs", "/nowhere"]
)
def test_a_slash_behind_a_path_is_another_path_that_nothing_stands_at(
    client: FlaskClient, path: str, method: str
) -> None:
    for behind in ("/", "%2F", "//"):
        answer = client.open(path + behind, method=method, data=b"no JSON")
        assert (answer.status_code, answer.get_json()["type"]) == (404, "/problems/not-found")
        assert f"paths end without a slash, as {path}." in answer.get_json()["detail"]


ACCEPT_OF_A_BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("path", ["/plya", "/play/", "/games/bridge", "/guides/nothing"])
def test_an_unknown_address_opened_by_a_browser_is_a_page_and_for_all_others_a_problem(
    client: FlaskClient, path: str
) -> None:
    page = client.get(path, headers={"Accept": ACCEPT_OF_A_BROWSER, "Accept-Language": "it"})
    assert (page.status_code, page.mimetype, page.headers["Content-Language"]) == (404, "text/html", "it")
    assert '<a href="/play">Giocare insieme</a>' in page.text
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    for accept in ("*/*", "application/json", "text/html;q=0.5, application/json", ""):
        answer = client.get(path, headers={"Accept": accept})
        assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")
        assert "Accept" in answer.headers["Vary"].split(", ")
        assert escape(answer.get_json()["detail"]) in client.get(path, headers={"Accept": ACCEPT_OF_A_BROWSER}).text
    assert client.post(path, headers={"Accept": ACCEPT_OF_A_BROWSER}).mimetype == "application/problem+json"


def test_a_wrong_method_is_answered_with_the_allowed_ones(client: FlaskClient) -> None:
    answer = client.get("/resolve")
    assert (answer.status_code, answer.get_json()["type"]) == (405, "/problems/method-not-allowed")
    assert answer.headers["Allow"] == "OPTIONS, POST"


def test_options_names_the_methods_in_a_header_alone(client: FlaskClient) -> None:
    for path in ("/resolve", "/games", "/sessions"):
        answer = client.options(path)
        assert (answer.status_code, answer.data, "Content-Type" in answer.headers) == (200, b"", False)
        assert "OPTIONS" in answer.headers["Allow"]


UNKNOWN_PATHS = ["/nowhere", "/games/bridge/rulebook", "/problems/no-such"]
UNKNOWN_PATHS += [f"/docs/{file}" for file in ("x" * 300, "../playground.js", "nothing.js", "index.html", "guide.html")]
UNKNOWN_PATHS += [f"/guides/{name}" for name in ("add-a-game", "nothing", "..%2FREADME")]


UNKNOWN_PATHS += [
    f"/playground/{name}" for name in ("play.js/.", "play.js/x/..", "x/../play.js", "./play.js", "table/./live.js")
]


@pytest.mark.parametrize("path", UNKNOWN_PATHS)
def test_an_unknown_path_is_not_found(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.get_json()["type"]) == (404, "/problems/not-found")
    if path == "/nowhere":
        assert path in answer.get_json()["detail"]


@pytest.mark.parametrize("path", ["/games//twins", "/games/twins//rulebook", "//livez", "///games", "//resolve"])
def test_a_doubled_slash_is_not_found(client: FlaskClient, path: str) -> None:
    for method in ("GET", "POST"):
        assert client.open("/", method=method, environ_overrides={"PATH_INFO": path}).status_code == 404


INSTANCES = {"/games/twins ": "/games/twins%20", "/no\nsuch": "/no%0Asuch", "/tw\xc3\xacn?": "/tw%C3%ACn%3F"}


@pytest.mark.parametrize(
    ("path", "instance"), [*INSTANCES.items(), ("/nowhere", "/nowhere"), ("//nowhere", "/%2Fnowhere")]
)
def test_the_instance_of_a_problem_is_a_reference_to_this_server(client: FlaskClient, path: str, instance: str) -> None:
    assert client.get("/", environ_overrides={"PATH_INFO": path}).get_json()["instance"] == instance


def test_a_refusal_by_flask_is_a_problem_with_errors(client: FlaskClient) -> None:
    answer = client.get("/games", headers={"Upgrade": "websocket", "Connection": "Upgrade"})
    assert (answer.status_code, answer.get_json()["type"]) == (400, "/problems/invalid-request")
    assert answer.get_json()["errors"] == [{"pointer": "", "detail": answer.get_json()["detail"]}]


def test_the_page_of_the_contract_lists_every_call(client: FlaskClient) -> None:
    contract, page = client.get("/openapi.json").get_json(), client.get("/docs").text
    due = {operation["operationId"] for methods in contract["paths"].values() for operation in methods.values()}
    listed = re.findall(r'class="operation" id="([^"]+)"', page)
    assert sorted(listed) == sorted(due)
    assert "<em>Judging</em>" in page
    folded = re.findall(r'<details class="group">\s*<summary><h2>([^<]+)', page)
    assert sorted(folded) == sorted(client.get(f"/games/{game}").get_json()["title"] for game in engines.registry())


def test_the_page_of_the_contract_shows_the_samples_beside_their_call(client: FlaskClient) -> None:
    contract, page = client.get("/openapi.json").get_json(), client.get("/docs").text
    _, *parts = re.split(r'class="operation" id="', page)
    shown = {
        part.partition('"')[0]: re.findall(r"<summary>(\w+)</summary><pre>(.*?)</pre>", part, re.DOTALL)
        for part in parts
    }
    for methods in contract["paths"].values():
        for operation in methods.values():
            samples = [(each["lang"], str(escape(each["source"]))) for each in operation.get("x-codeSamples", ())]
            assert shown[operation["operationId"]] == samples


@pytest.mark.parametrize("number", ["1e-99999999999999999999", "123456789012345678901234567890"])
def test_a_number_of_any_size_is_judged_by_the_schema(client: FlaskClient, number: str) -> None:
    body = json.dumps(RESOLVE["body"]).replace('"pot": 0', f'"pot": {number}')
    answer = client.post("/resolve", data=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.get_json()["errors"][0]["pointer"]) == (400, "/state/pot")
    assert float(answer.get_json()["detail"].rpartition("got ")[2].removesuffix(".")) == pytest.approx(float(number))


def test_a_request_keeps_its_id(client: FlaskClient) -> None:
    assert post(client, X_Request_ID="mine-7").headers["X-Request-ID"] == "mine-7"
    assert client.get("/livez", headers={"X-Request-ID": "mine-8"}).headers["X-Request-ID"] == "mine-8"
    assert len(post(client, X_Request_ID="not fit for a log").headers["X-Request-ID"]) == 32


@pytest.fixture
def failing_client(monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """A client of a service whose every resolution fails."""
    monkeypatch.setattr(Referee, "resolution", Mock(side_effect=RuntimeError("a secret of ours")))
    return service_client(NO_STORE)


@pytest.mark.parametrize("path", ["/resolve", "/games/twins/resolve"])
def test_an_internal_error_reveals_nothing_internal(path: str, failing_client: FlaskClient) -> None:
    body = RESOLVE["body"] if path == "/resolve" else {n: v for n, v in RESOLVE["body"].items() if n != "game"}
    answer = post(failing_client, path, body)
    assert (answer.status_code, answer.get_json()["type"]) == (500, "/problems/internal-error")
    assert "secret" not in answer.get_data(as_text=True)


def test_an_entry_of_a_batch_that_fails_leaves_the_others_their_answers(failing_client: FlaskClient) -> None:
    audit = {"game": "twins", "state": RESOLVE["body"]["state"]}
    entries = [{"path": "/resolve", "body": RESOLVE["body"]}, {"path": "/audit", "body": audit}]
    failed, audited = post(failing_client, "/batch", {"requests": entries}).get_json()["responses"]
    assert (failed["status"], failed["body"]["type"]) == (500, "/problems/internal-error")
    assert "secret" not in str(failed)
    assert (audited["status"], audited["body"]["consistent"]) == (200, True)


def test_each_entry_of_a_batch_is_judged_alone(client: FlaskClient) -> None:
    entries = [
        {"id": "a", "path": "/resolve", "body": RESOLVE["body"]},
        {"id": 2, "path": "/resolve", "body": {**RESOLVE["body"], "compare": True}},
        {"path": "/games/twins/audit", "body": {"state": {"phase": "trick"}}},
        {"id": "d", "path": "/view", "body": {"game": "twins", "state": RESOLVE["body"]["state"], "seat": 5}},
    ]
    responses = post(client, "/batch", {"requests": entries}).get_json()["responses"]
    assert [(each.get("id"), each["status"]) for each in responses] == [("a", 200), (2, 400), (None, 400), ("d", 422)]
    assert responses[0]["body"] == post(client).json
    assert responses[1]["body"]["errors"][0]["pointer"] == "/compare"
    assert responses[3]["body"]["faults"][0]["pointers"] == ["/seat", "/state"]


def test_a_batch_yields_to_other_requests_between_its_entries(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    yields: list[None] = []
    monkeypatch.setattr(SCHEDULER, "yield_if_due", lambda: yields.append(None))
    post(client, "/batch", {"requests": [{"path": "/resolve", "body": RESOLVE["body"]}] * FEW})
    assert len(yields) >= FEW


def test_a_ruleset_under_which_the_table_is_impossible_answers_with_its_faults(client: FlaskClient) -> None:
    designs = [["a", "b"], ["a", "c"], ["d", "e"]]
    state = {"phase": "play", "designs": designs, "piles": [["2A"], [], []], "table": ["0A", "1A"]}
    moves = [{"type": "claim", "hands": [{"seat": 1, "card": "0A"}, {"seat": 1, "card": "1A"}]}]
    answer = post(client, "/resolve", {"game": "twin-it", "state": state, "moves": moves, "compare": ["team"]})
    (team,) = answer.get_json()["comparison"]
    assert (answer.status_code, set(team)) == (200, {"ruleset", "faults"})
    assert {each["rule"] for each in team["faults"]} == {"TI-1.3"}


def test_only_pages_of_a_named_origin_may_call(client: FlaskClient) -> None:
    shared = service_client(NO_STORE, cors_origins=(ORIGIN,))
    allowed = post(shared, Origin=ORIGIN)
    assert allowed.headers["Access-Control-Allow-Origin"] == ORIGIN
    for refused in (post(client, Origin=ORIGIN), post(shared, Origin="https://elsewhere.example")):
        assert "Access-Control-Allow-Origin" not in refused.headers
    preflight = shared.options("/resolve", headers={"Origin": ORIGIN, "Access-Control-Request-Method": "POST"})
    assert (preflight.status_code, preflight.headers["Access-Control-Allow-Origin"]) == (204, ORIGIN)
    assert preflight.headers["Access-Control-Max-Age"] == "600"


def test_a_page_may_send_and_read_every_header_of_the_contract() -> None:
    contract = published_contract()
    calls = [(method.upper(), operation) for _path, method, operation in operations(contract)]
    parameters = [follow_reference(contract, each) for _, call in calls for each in call.get("parameters", ())]
    answers = [follow_reference(contract, each) for _, call in calls for each in call["responses"].values()]
    shared = service_client(NO_STORE, cors_origins=(ORIGIN,))
    preflight = shared.options("/resolve", headers={"Origin": ORIGIN, "Access-Control-Request-Method": "POST"}).headers
    exposed = {*shared.get("/livez", headers={"Origin": ORIGIN}).headers["Access-Control-Expose-Headers"].split(", ")}
    assert {*preflight["Access-Control-Allow-Methods"].split(", ")} == {method for method, _ in calls}
    assert {*preflight["Access-Control-Allow-Headers"].split(", ")} == {
        *(each["name"] for each in parameters if each["in"] == "header"),
        "Authorization", "Content-Type", "traceparent", "tracestate",
    }  # fmt: skip
    of_browsers = {"Cache-Control", "Vary", "WWW-Authenticate"}
    assert exposed == {name for answer in answers for name in answer.get("headers", ())} - of_browsers


@pytest.mark.parametrize("origin", [ORIGIN, "https://elsewhere.example", None], ids=["allowed", "another", "none"])
@pytest.mark.parametrize(
    ("path", "varies"),
    [
        ("/livez", "Origin"),
        ("/games", "Accept-Language, Accept-Encoding, Origin"),
        ("/no-such", "Accept-Language, Accept, Origin"),
        ("/sessions/x", "Authorization, Accept-Language, Origin"),
    ],
)
def test_where_pages_may_call_one_line_says_that_every_answer_varies_by_origin(
    path: str, varies: str, origin: str | None
) -> None:
    shared = service_client(NO_STORE, cors_origins=(ORIGIN,))
    answer = shared.get(path, headers={} if origin is None else {"Origin": origin})
    assert answer.headers.getlist("Vary") == [varies]


def test_caches_keep_one_preflight_for_each_origin() -> None:
    shared = service_client(NO_STORE, cors_origins=("*",))
    preflight = shared.options("/resolve", headers={"Origin": ORIGIN, "Access-Control-Request-Method": "POST"})
    assert preflight.headers.getlist("Vary") == ["Origin"]


@pytest.mark.parametrize(
    "path",
    ["/games", "/games/twins", "/games/twins/rulebook", "/openapi.yaml", "/openapi.json", "/games/twins/openapi.json"],
)
def test_an_unchanged_document_is_not_sent_again(client: FlaskClient, path: str) -> None:
    tag = client.get(path).headers["ETag"]
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304


def test_if_match_does_not_withhold_a_document(client: FlaskClient) -> None:
    assert client.get("/games", headers={"If-Match": '"another"'}).status_code == 200


def test_a_problem_is_explained_on_a_page_to_a_browser(client: FlaskClient) -> None:
    headers = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Accept-Language": "it"}
    page = client.get("/problems/invalid-state", headers=headers)
    assert (page.mimetype, page.headers["Content-Language"]) == ("text/html", "it")
    assert "Lo stato è impossibile" in page.text
    assert "<code>faults</code>" in page.text
    assert "Accept" in page.vary
    as_json = client.get("/problems/invalid-state", headers={"Accept": "*/*"})
    assert (as_json.mimetype, as_json.get_json()["status"]) == ("application/json", 422)


def test_every_answer_names_the_version_of_the_service(client: FlaskClient) -> None:
    for path in ("/games", "/livez", "/no-such"):
        assert client.get(path).headers["Referee-Version"] == version("rules-referee")


@pytest.mark.parametrize("tags", ["*", 'W/"", W/"k", W/""', '"k"'])
def test_a_document_is_sent_to_a_client_that_names_none_of_its_tags(client: FlaskClient, tags: str) -> None:
    assert client.get("/games", headers={"If-None-Match": tags}).status_code == 200
