"""Every call under /sessions, on each kind of store."""

import json
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from flask.testing import FlaskClient

from engines.core.shuffle import commitment
from service.sessions import changes, log, service
from service.sessions.service import SessionLocks
from service.sessions.stores.protocol import StoreUnavailable
from service.words.languages import LANGUAGES
from tests.server import until
from tests.service.sessions.tables import (
    GAMES,
    SECRET,
    SessionClient,
    open_session,
    open_session_under_key,
    problem,
    seat_counts,
    service_client,
)

PASS_0 = {"type": "pass", "seat": 0}
TAKE = {"type": "take-upcard", "seat": 0}
PASS_1 = {"type": "pass", "seat": 1}
DRAW = {"type": "draw", "seat": 0, "from": "stock"}
DRAW_OUT_OF_TURN = {"type": "draw", "seat": 1, "from": "stock"}


def hidden_hand(document: Any, seat: int) -> bool:
    """Return whether an answer shows no card of a seat's hand."""
    return set(document["state"]["hands"][seat]) == {None}


# --- opening ---------------------------------------------------------------------------------------


def test_an_opening_returns_the_address_of_the_session(client: FlaskClient) -> None:
    response = client.post("/sessions", json={"game": "gin-rummy", "seats": 2})
    assert response.headers["Location"] == f"/sessions/{response.get_json()['id']}"
    assert response.headers["ETag"].startswith('"0-host')


@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_opened_with_all_its_numbers_of_seats(client: FlaskClient, game: str) -> None:
    for seats in seat_counts(game):
        assert open_session(client, game, seats).seats == seats


def test_an_entry_that_looks_the_same_to_everyone_is_stored_once(client: FlaskClient, table: SessionClient) -> None:
    """In a stored entry `faces` has the different views, and `of` says for each bearer which of them is its own."""
    assert table.move("host", PASS_0).status_code == 201
    store = client.application.extensions["sessions"].store
    (entry,) = store.log(table.id, 0, 10, json.loads(store.read(table.id).record)["generation"])
    members = json.loads(entry.body)
    assert len(members["faces"]) == 1
    assert set(members["of"].values()) == {0}


def test_an_opening_may_name_the_seat_that_begins_as_a_deal_may(client: FlaskClient) -> None:
    """TI-1.4."""
    table = open_session(client, "twin-it", 3, first=2)
    assert table.get("host").get_json()["state"]["turn"] == 2
    assert table.get("host", "/transcript").get_json()["deal"]["first"] == 2
    refused = client.post("/sessions", json={"game": "twin-it", "seats": 3, "first": 3})
    assert [fault["rule"] for fault in refused.get_json()["faults"]] == ["TI-1.4"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("seed", "mine"), ("deck", ["AS"]), ("fair", "unfair"), ("host", None), ("public", 1), ("public", "yes"),
     ("seats", 0), ("unknown", 1), ("game", None)],
)  # fmt: skip
def test_an_invalid_member_is_named(client: FlaskClient, field: str, value: Any) -> None:
    response = client.post("/sessions", json={"game": "gin-rummy", "seats": 2, field: value})
    assert response.status_code == 400
    assert [error["pointer"] for error in response.get_json()["errors"]] == [f"/{field}"]


@pytest.mark.parametrize(("length", "status"), [(15, 400), (16, 201), (255, 201), (256, 400)])
def test_the_key_of_an_opening_is_too_long_to_be_guessed(client: FlaskClient, length: int, status: int) -> None:
    body, headers = {"game": "gin-rummy", "seats": 2}, {"Idempotency-Key": "k" * length}
    assert client.post("/sessions", json=body, headers=headers).status_code == status


def test_a_key_opens_one_session_even_after_a_change_of_the_token_keys(store_url: str) -> None:
    old, new = (service_client(store_url, token_keys=keys) for keys in (("A",), ("B", "A")))
    body, headers = {"game": "gin-rummy", "seats": 2}, {"Idempotency-Key": SECRET}
    first, *others = (client.post("/sessions", json=body, headers=headers) for client in (old, old, new))
    for each in others:
        assert (each.status_code, each.get_data()) == (201, first.get_data())
        assert each.headers["Location"] == first.headers["Location"]
    assert new.application.extensions["sessions"].store.count() == 1
    another = new.post("/sessions", json=body, headers={"Idempotency-Key": SECRET[::-1]})
    assert another.get_json()["id"] != first.get_json()["id"]


def test_a_key_cannot_be_reused_for_another_opening(client: FlaskClient) -> None:
    client.post("/sessions", json={"game": "gin-rummy", "seats": 2}, headers={"Idempotency-Key": SECRET})
    response = client.post("/sessions", json={"game": "twins", "seats": 3}, headers={"Idempotency-Key": SECRET})
    assert problem(response) == (422, "idempotency-key-reused")


def test_a_session_reopened_under_its_key_is_a_new_one(client: FlaskClient) -> None:
    """The new session accepts neither the old tokens nor the old ETag."""
    old = open_session_under_key(client)
    known = old.get("spectator").headers["ETag"]
    old.delete("host")
    assert open_session_under_key(client).id == old.id
    assert old.get("host").status_code == 404
    assert old.get("spectator", **{"If-None-Match": known}).status_code == 200


def test_all_errors_of_an_opening_are_named_at_once(client: FlaskClient) -> None:
    body = {"game": "twins", "seats": 9, "fair": "no", "seed": "mine", "pubic": True}
    errors = client.post("/sessions", json=body).get_json()["errors"]
    details = {error["pointer"]: error["detail"] for error in errors}
    assert details.keys() == {"/seats", "/fair", "/seed", "/pubic"}
    assert details["/seed"] == "A session draws its own cards: leave this out."
    assert "public" in details["/pubic"]


def test_the_number_of_open_sessions_is_limited(store_url: str) -> None:
    client = service_client(store_url, open_sessions=2)
    open_session(client)
    table = open_session(client)
    refused = client.post("/sessions", json={"game": "gin-rummy", "seats": 2})
    assert problem(refused) == (503, "store-unavailable")
    assert int(refused.headers["Retry-After"]) > 0
    table.delete("host")
    open_session(client)


# --- reading ---------------------------------------------------------------------------------------


def test_a_blind_host_sees_what_a_spectator_sees(client: FlaskClient) -> None:
    blind = open_session(client, host="blind", public=True)
    assert blind.get("host").get_data() == blind.get("spectator").get_data()
    assert hidden_hand(blind.get("host").get_json(), 0)


def test_answers_are_private_and_differ_by_token(table: SessionClient) -> None:
    for response in (table.get("seat-0"), table.get("seat-0", "/moves"), table.move("seat-0", PASS_0)):
        assert response.headers["Cache-Control"] == "private, no-cache"
        assert "Authorization" in response.headers["Vary"]


@pytest.mark.parametrize("call", ["", "/legal-moves"])
def test_an_unchanged_answer_is_not_sent_again(table: SessionClient, call: str) -> None:
    tag = table.get("seat-0", call).headers["ETag"]
    again = table.get("seat-0", call, **{"If-None-Match": tag})
    assert (again.status_code, again.get_data(), again.headers["ETag"]) == (304, b"", tag)
    assert table.get("seat-1", call, **{"If-None-Match": tag}).status_code == 200  # a tag is valid for its bearer only
    table.move("seat-0", PASS_0)
    assert table.get("seat-0", call, **{"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", ""), ("GET", "/seeds"), ("GET", "/nowhere"), ("GET", "/nowhere/else")]
)
def test_an_error_under_a_session_is_private_too(table: SessionClient, method: str, path: str) -> None:
    response = table.client.open(table.path + path, method=method)
    assert response.status_code in {404, 405}
    assert response.headers["Cache-Control"] == "private, no-cache"
    assert response.headers.getlist("Vary") == ["Authorization, Accept-Language"]


def test_an_answer_outside_a_session_is_not_private(client: FlaskClient) -> None:
    assert "private" not in client.get("/sessionsless").headers.get("Cache-Control", "")


def test_a_spectator_is_offered_no_moves_of_the_table(client: FlaskClient) -> None:
    """A deal is a move of the table, not of a seat. Anybody with a token may make it."""
    table, dice = open_session(client, "twins", public=True), random.Random(1)
    while "deal" not in {move["type"] for move in table.legal_moves("host")}:
        table.move("host", table.choose(dice))
    assert table.legal_moves("spectator") == []


def test_legal_moves_are_those_of_the_bearer(table: SessionClient) -> None:
    assert table.legal_moves("seat-0") == [TAKE, PASS_0]
    assert table.legal_moves("seat-1") == []
    assert table.legal_moves("spectator") == []
    assert table.legal_moves("host") == [TAKE, PASS_0]


# --- moving ----------------------------------------------------------------------------------------


def test_a_move_is_answered_with_the_table_after_it(table: SessionClient) -> None:
    response, after = table.move("seat-0", PASS_0), table.get("seat-0")
    assert response.headers["ETag"] == after.headers["ETag"]
    assert response.get_json()["state"] == after.get_json()["state"]


def test_an_illegal_move_is_refused_with_its_clauses_in_the_players_language(table: SessionClient) -> None:
    response = table.move("seat-1", PASS_1, Accept_Language="it")
    assert problem(response) == (422, "illegal-move")
    assert response.headers["Content-Language"] == "it"
    assert table.get("host").get_json()["version"] == 0


def test_moves_are_made_all_or_none(table: SessionClient) -> None:
    response = table.move("host", PASS_0, PASS_0)
    assert response.status_code == 422
    assert response.get_json()["violations"][0]["pointer"].startswith("/moves/1")
    assert table.get("host").get_json()["version"] == 0


def test_several_moves_make_one_version(table: SessionClient) -> None:
    body = table.move("host", PASS_0, PASS_1).get_json()
    assert (body["version"], body["applied"]) == (1, 2)
    assert [each["version"] for each in table.get("host", "/moves").get_json()["entries"]] == [1]


def test_a_seat_makes_one_move_a_request(table: SessionClient) -> None:
    assert problem(table.move("seat-0", PASS_0, PASS_0)) == (400, "invalid-request")


@pytest.mark.parametrize(
    ("game", "move", "pointer"),
    [
        ("gin-rummy", {"type": "draw", "seat": 0, "from": "stock", "drawn": "AS"}, "/moves/0/drawn"),
        ("gin-rummy", {"type": "deal", "seed": "mine"}, "/moves/0/seed"),
        ("twins", {"type": "buy", "seat": 0, "count": 1, "cards": ["blue-1"]}, "/moves/0/cards"),
    ],
)
def test_a_move_may_not_choose_what_is_random(client: FlaskClient, game: str, move: Any, pointer: str) -> None:
    response = open_session(client, game).move("host", move)
    assert response.status_code == 400
    assert response.get_json()["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    "body", [[], {}, {"moves": {}}, {"moves": []}, {"moves": [{}]}, {"moves": [PASS_0], "more": 1}]
)
def test_an_invalid_body_is_refused(table: SessionClient, body: Any) -> None:
    assert problem(table.post("seat-0", "/moves", body)) == (400, "invalid-request")


def test_all_errors_of_moves_are_named_at_once(table: SessionClient) -> None:
    drawn = {"type": "draw", "seat": 0, "from": "stock", "drawn": "AS"}
    response = table.post("host", "/moves", {"x": 1, "moves": [drawn, {"type": "pass", "seat": "0"}], "y": 2})
    pointers = {error["pointer"] for error in response.get_json()["errors"]}
    assert pointers == {"/x", "/y", "/moves/0/drawn", "/moves/1/seat"}


def test_a_stale_move_is_refused_before_it_is_judged(table: SessionClient) -> None:
    tag = table.get("seat-1").headers["ETag"]
    assert table.move("seat-0", PASS_0, If_Match=table.get("seat-0").headers["ETag"]).status_code == 201
    response = table.move("seat-1", DRAW_OUT_OF_TURN, If_Match=tag)
    body = response.get_json()
    assert problem(response) == (412, "version-mismatch")
    assert body["version"] == 1
    assert body["view"] == table.get("seat-1").get_json()
    assert response.headers["ETag"] == table.get("seat-1").headers["ETag"]


def test_a_session_with_all_its_moves_made_or_too_long_a_log_is_full(store_url: str) -> None:
    few, short = (
        open_session(service_client(store_url, session_moves=2)),
        open_session(service_client(store_url, session_bytes=10)),
    )
    for table in (few, short):
        assert table.move("host", PASS_0).status_code == 201
        assert problem(table.move("host", PASS_1, DRAW)) == (409, "session-full")
    assert few.move("host", PASS_1).status_code == 201
    assert short.move("host", PASS_1).status_code == 409


def test_stored_responses_count_towards_the_size_of_the_session(store_url: str) -> None:
    client = service_client(store_url, session_bytes=2000)
    plain, with_key = open_session(client), open_session(client)
    assert [plain.move("host", move).status_code for move in (PASS_0, PASS_1)] == [201, 201]
    statuses = [with_key.move("host", move, Idempotency_Key=str(move["type"])).status_code for move in (PASS_0, DRAW)]
    assert statuses == [201, 409]


def test_stored_refusals_fill_only_a_share_of_the_session(store_url: str) -> None:
    table = open_session(service_client(store_url, session_bytes=2000))
    answers = [table.move("seat-1", PASS_1, Idempotency_Key=key) for key in ("first", "second", "first")]
    assert [each.status_code for each in answers] == [422, 409, 422]
    assert problem(answers[1]) == (409, "session-full")
    assert table.move("seat-0", PASS_0).status_code == 201


# --- repeated requests -----------------------------------------------------------------------------


def test_the_same_move_under_the_same_key_is_made_once_even_if_its_if_match_is_stale_now(table: SessionClient) -> None:
    tag = table.get("seat-0").headers["ETag"]
    requests: list[dict[str, str]] = [{"If_Match": tag}, {"If_Match": tag}, {}]
    first, *others = (table.move("seat-0", PASS_0, Idempotency_Key="k", **headers) for headers in requests)
    for each in others:
        assert (each.status_code, each.get_data()) == (201, first.get_data())
        assert each.headers["ETag"] == first.headers["ETag"]
    assert table.get("host").get_json()["version"] == 1


def test_a_key_belongs_to_one_bearer(table: SessionClient) -> None:
    table.move("seat-0", PASS_0, Idempotency_Key="k")
    assert table.move("seat-1", PASS_1, Idempotency_Key="k").status_code == 201


def test_a_key_belongs_to_one_call(table: SessionClient) -> None:
    body = {"seat": 1}
    assert table.post("host", "/tokens", body, Idempotency_Key=SECRET).status_code == 201
    assert problem(table.post("host", "/moves", body, Idempotency_Key=SECRET)) == (422, "idempotency-key-reused")


def test_a_repeated_illegal_move_gets_its_old_answer_even_if_it_is_legal_now(table: SessionClient) -> None:
    first = table.move("seat-1", PASS_1, Idempotency_Key="k")
    table.move("seat-0", PASS_0)
    second = table.move("seat-1", PASS_1, Idempotency_Key="k")
    assert first.status_code == second.status_code == 422
    assert first.get_data() == second.get_data()
    assert problem(second) == (422, "illegal-move")


@pytest.mark.parametrize(
    "again",
    [
        json.dumps({"moves": [PASS_0]}, indent=4),
        '{"moves": [{"seat": 0, "type": "pass"}]}',
        '{"moves": [{"type": "pass", "seat": 0.0}]}',
    ],
)
def test_a_body_with_the_same_meaning_counts_as_the_same(table: SessionClient, again: str) -> None:
    headers = table.headers("seat-0", {"Idempotency-Key": "k", "Content-Type": "application/json"})
    first = table.move("seat-0", PASS_0, Idempotency_Key="k")
    second = table.client.post(f"{table.path}/moves", data=again, headers=headers)
    assert (second.status_code, second.get_data()) == (201, first.get_data())


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_an_invalid_key_is_refused(table: SessionClient, key: str) -> None:
    assert table.move("seat-0", PASS_0, Idempotency_Key=key).status_code == 400


@contextmanager
def halted(sessions: Any, call: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Make a call of the store wait until the block ends. The event is set when the call is reached."""
    original, reached, over = getattr(sessions.store, call), threading.Event(), threading.Event()

    def wait_first(*arguments: Any) -> Any:
        reached.set()
        assert over.wait(20)
        return original(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(sessions.store, call, wait_first)
        try:
            yield reached
        finally:
            over.set()


def test_a_request_that_is_still_running_is_not_started_again(
    table: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = table.client.application.extensions["sessions"]
    with ThreadPoolExecutor(1) as pool:
        with halted(sessions, "write", monkeypatch) as reached:
            first = pool.submit(table.move, "seat-0", PASS_0, Idempotency_Key="k")
            assert reached.wait(20)
            second = table.move("seat-0", PASS_0, Idempotency_Key="k")
        assert first.result().status_code == 201
    assert (problem(second), second.headers["Retry-After"]) == ((409, "request-in-progress"), "1")
    assert table.move("seat-0", PASS_0, Idempotency_Key="k").get_data() == first.result().get_data()


def test_a_busy_session_locks_no_other_except_for_the_few_that_share_its_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.sessions.service.PATIENCE", 0.0)
    locks, free = SessionLocks(), 0
    with locks.held("busy", None):
        with pytest.raises(StoreUnavailable), locks.held("busy", None):
            pass
        for name in ("one", "two", "three"):
            with suppress(StoreUnavailable), locks.held(name, None):
                free += 1
    assert free >= 2, "of three sessions one may share the lock"


@pytest.mark.parametrize(
    ("call", "bearer", "move"), [("write", "seat-0", PASS_0), ("store_response", "seat-1", PASS_1)]
)
def test_a_move_in_a_session_deleted_meanwhile_is_answered_404(
    table: SessionClient, monkeypatch: pytest.MonkeyPatch, call: str, bearer: str, move: Any
) -> None:
    """It is deleted after the move was judged, before it is written."""
    sessions = table.client.application.extensions["sessions"]
    with ThreadPoolExecutor(1) as pool:
        with halted(sessions, call, monkeypatch) as reached:
            judged = pool.submit(table.move, bearer, move, Idempotency_Key="k")
            assert reached.wait(20)
            assert table.delete("host").status_code == 204
        assert judged.result().status_code == 404


def test_a_change_that_the_last_attempt_makes_is_answered_201(
    store_url: str, table: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "ATTEMPTS", 1)
    table.client = service_client(store_url)  # another worker, whose cache lacks the table
    assert table.move("seat-0", PASS_0).status_code == 201


def test_a_worker_caches_the_sessions_that_it_wrote_last(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "CACHED_TABLES", 2)
    tables = [open_session(client) for _ in range(3)]
    tables[1].move("host", PASS_0)
    tables.append(open_session(client))
    cached = client.application.extensions["sessions"]._cached
    assert list(cached) == [tables[1].id, tables[3].id]


# --- the log and the transcript --------------------------------------------------------------------


def test_the_log_is_as_long_as_the_version_and_can_be_read_after_one(table: SessionClient) -> None:
    for move in (PASS_0, PASS_1, DRAW):
        table.move("host", move)
    body = table.get("seat-1", "/moves").get_json()
    assert [entry["version"] for entry in body["entries"]] == [1, 2, 3]
    assert [entry["moves"] for entry in body["entries"][:2]] == [[PASS_0], [PASS_1]]
    assert body["next"] is None
    assert [entry["version"] for entry in table.get("host", "/moves?after=2").get_json()["entries"]] == [3]
    assert table.get("host", "/moves?after=3").get_json() == {"game": "gin-rummy", "entries": [], "next": None}


def test_a_page_of_the_log_names_the_next_page_if_there_is_one(
    table: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "PAGE", 2)
    for move in (PASS_0, PASS_1, DRAW):
        table.move("host", move)
    pages = {after: table.get("host", f"/moves?after={after}").get_json() for after in (0, 1, 2)}
    versions = {after: [each["version"] for each in page["entries"]] for after, page in pages.items()}
    assert versions == {0: [1, 2], 1: [2, 3], 2: [3]}
    assert {after: page["next"] for after, page in pages.items()} == {0: 2, 1: None, 2: None}


@pytest.mark.parametrize("call", ["/moves", "/transcript"])
def test_a_move_between_the_reading_of_a_session_and_of_its_log_is_left_out(
    table: SessionClient, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    table.move("host", PASS_0)
    store = table.client.application.extensions["sessions"].store
    read = store.read

    def read_before_a_move(*arguments: Any) -> Any:
        monkeypatch.setattr(store, "read", read)
        session = read(*arguments)
        assert table.move("host", PASS_1).status_code == 201
        return session

    monkeypatch.setattr(store, "read", read_before_a_move)
    pages = [table.get("host", call).get_json() for _ in range(2)]
    assert [[entry["version"] for entry in page["entries"]] for page in pages] == [[1], [1, 2]]


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "", "99999999999999999999"])
def test_an_invalid_version_is_refused(table: SessionClient, after: str) -> None:
    assert table.get("host", f"/moves?after={after}").status_code == 400


def test_events_of_the_log_are_in_the_readers_language(table: SessionClient) -> None:
    table.move("host", PASS_0)
    texts = {
        language: table.get("host", "/moves", **{"Accept-Language": language}).get_json()["entries"][0]["events"][0]
        for language in LANGUAGES
    }
    assert len({event["text"] for event in texts.values()}) == len(LANGUAGES) > 3


def test_a_blind_host_gets_no_transcript_before_the_end(client: FlaskClient) -> None:
    assert problem(open_session(client, host="blind").get("host", "/transcript")) == (403, "forbidden")


# --- joint deals -----------------------------------------------------------------------------------


@pytest.fixture
def joint(client: FlaskClient) -> SessionClient:
    """A public session whose cards are dealt once every seat has committed to a seed and given it."""
    return open_session(client, fair="joint", public=True)


RAIN, WIND = {"commitment": commitment("rain")}, {"commitment": commitment("Wïnd")}


def test_a_joint_deal_waits_for_every_commitment_and_then_for_every_seed(joint: SessionClient) -> None:
    before = joint.get("seat-0").get_json()
    assert (before["state"], before["to_act"], before["commitments"]) == (None, [0, 1], [None, None])
    answers = []
    seeds = [(1, RAIN), (0, WIND), (0, {"seed": "Wïnd"}), (1, {"seed": "rain"})]
    for seat, body in seeds:
        call = "/seeds" if "seed" in body else "/commitments"
        answer = joint.post(f"seat-{seat}", call, body)
        assert answer.status_code == 201
        answers.append(answer.get_json())
    assert [each["to_act"] for each in answers] == [[0], [0, 1], [1], [0]]
    assert [each["version"] for each in answers] == [1, 2, 3, 4]
    assert [each["state"] is None for each in answers] == [True, True, True, False]
    assert hidden_hand(answers[-1], 0)
    assert not hidden_hand(answers[-1], 1)


def test_commitments_are_shown_in_lower_case(joint: SessionClient) -> None:
    joint.post("seat-1", "/commitments", {"commitment": RAIN["commitment"].upper()})
    for bearer in joint.bearers:
        assert joint.get(bearer).get_json()["commitments"] == [None, RAIN["commitment"]]


def test_no_seed_is_accepted_before_all_have_committed(joint: SessionClient) -> None:
    assert joint.post("seat-0", "/seeds", {"seed": "rain"}).status_code == 403
    joint.post("seat-0", "/commitments", RAIN)
    refused = joint.post("seat-0", "/seeds", {"seed": "rain"})
    assert refused.status_code == 403
    assert refused.get_json()["detail"] == "Seeds are given once every seat has committed itself to its own."
    assert joint.get("seat-0").get_json()["version"] == 1


def test_only_a_seat_commits_and_only_once(joint: SessionClient) -> None:
    assert joint.post("host", "/commitments", RAIN).status_code == 403
    assert joint.post("spectator", "/commitments", RAIN).status_code == 401
    joint.post("seat-1", "/commitments", RAIN)
    for again in (RAIN, WIND):
        assert joint.post("seat-1", "/commitments", again).status_code == 403
    joint.post("seat-0", "/commitments", WIND)
    assert joint.post("seat-0", "/commitments", RAIN).status_code == 403


def test_a_seed_that_does_not_match_its_commitment_changes_nothing(joint: SessionClient) -> None:
    joint.commit("rain", "wind")
    refused = joint.post("seat-0", "/seeds", {"seed": "Rain"}, Accept_Language="it")
    assert problem(refused) == (422, "seed-mismatch")
    assert refused.get_json()["title"] == "Il seed non è quello dell'impegno"
    assert joint.get("seat-0").get_json()["to_act"] == [0, 1]
    assert joint.post("seat-0", "/seeds", {"seed": "rain"}).status_code == 201


def test_a_repeated_commitment_under_its_key_is_accepted_once(joint: SessionClient) -> None:
    first, second = (joint.post("seat-0", "/commitments", RAIN, Idempotency_Key="k") for _ in range(2))
    assert (first.status_code, first.get_data()) == (201, second.get_data())
    assert joint.get("host").get_json()["version"] == 1


def test_a_seat_that_withholds_its_seed_stops_the_game_before_any_seed_or_card_is_seen(joint: SessionClient) -> None:
    joint.commit("wind", "telltale")
    for status in (201, 403):  # a seat gives one seed
        assert joint.post("seat-1", "/seeds", {"seed": "telltale"}).status_code == status
    assert joint.post("host", "/seeds", {"seed": "wind"}).status_code == 403
    for bearer in joint.bearers:
        seen = joint.get(bearer).get_json()
        assert (seen["state"], seen["to_act"]) == (None, [0])
        for call in ("", "/moves", "/legal-moves", "/transcript"):
            assert b"telltale" not in joint.get(bearer, call).get_data()
    assert joint.move("seat-0", PASS_0).status_code == 422
    assert joint.legal_moves("host") == []
    joint.post("seat-0", "/seeds", {"seed": "wind"})
    assert joint.get("host", "/transcript").get_json()["seeds"] == ["wind", "telltale"]


@pytest.mark.parametrize("body", [{}, {"seed": ""}, {"seed": "x" * 201}, {"seed": 1}, {"seed": "x", "more": 1}, []])
def test_a_malformed_seed_is_refused(joint: SessionClient, body: Any) -> None:
    assert joint.post("seat-0", "/seeds", body).status_code == 400


@pytest.mark.parametrize("commitment", [None, 1, "", "rain", "0" * 63, "0" * 65, "g" * 64, "\u0661" * 64])
def test_a_malformed_commitment_is_refused(joint: SessionClient, commitment: Any) -> None:
    refused = joint.post("seat-0", "/commitments", {"commitment": commitment})
    assert refused.status_code == 400
    assert [each["pointer"] for each in refused.get_json()["errors"]] == ["/commitment"]


# --- the end ---------------------------------------------------------------------------------------


def test_a_deletion_is_answered_without_a_body(table: SessionClient) -> None:
    response = table.delete("host")
    assert (response.status_code, response.get_data()) == (204, b"")
    assert not {"Content-Type", "Content-Length"} & set(response.headers.keys())


def test_a_session_expires_after_its_last_move(store_url: str) -> None:
    """0.05 s after it, at a server with other settings; another session lives for a day."""
    short_lived, long_lived = (
        service_client(store_url, session_hours=0.05 / 3600),
        service_client(store_url, session_hours=24),
    )
    moved, not_moved = open_session(long_lived), open_session(long_lived)
    moved.client = short_lived  # a move at this server sets how long the session lives from now on
    assert moved.move("seat-0", PASS_0).status_code == 201
    until(lambda: moved.get("seat-0").status_code == 404)
    assert moved.move("seat-1", PASS_1).status_code == 404
    assert not_moved.get("seat-0").status_code == 200
