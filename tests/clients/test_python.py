"""`clients/python` against the live service: whole games, problems, streams that break off, what is sent again."""

import hashlib
import os
import random
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeAlias

import pytest
from urllib3 import HTTPResponse

from rules_referee_client import (
    IdempotencyKeyReused,
    IllegalMove,
    IncidentOpen,
    InvalidRequest,
    InvalidState,
    NotFound,
    NotOver,
    Referee,
    RefereeProblem,
    RequestInProgress,
    SeedMismatch,
    StoreUnavailable,
    TimeRunning,
    Unauthorized,
    VersionMismatch,
)
from rules_referee_client.calls import Game, Opened, Table
from rules_referee_client.connection import Capped
from rules_referee_client.models import BatchEntry, GinRummyRuleset, TwinItCount
from rules_referee_client.problems import BY_TYPE
from service.problems import KINDS
from tests.clients import generated
from tests.later_version import UNKNOWN
from tests.server import Server, until

README = Path(__file__).resolve().parents[2] / "clients/python/README.md"
AnyTable = Table[Any, Any, Any, Any, Any, Any, Any]
AnyOpened = Opened[Any, Any, Any, Any, Any, Any, Any, Any]

OPENINGS: dict[str, Callable[[Referee], AnyOpened]] = {
    "gin-rummy": lambda referee: referee.gin_rummy.open(
        {"game": "gin-rummy", "seats": 2, "ruleset": {"options": {"target": 20}}}
    ),
    "take-that": lambda referee: referee.take_that.open({"game": "take-that", "seats": 2}),
    "twin-it": lambda referee: referee.twin_it.open({"game": "twin-it", "seats": 2}),
    "twins": lambda referee: referee.twins.open({"game": "twins", "seats": 3}),
}


@pytest.fixture
def referee(server: Server) -> Referee:
    """The client of a running service."""
    return Referee(f"http://127.0.0.1:{server.port}")


@pytest.mark.parametrize("game", OPENINGS)
def test_a_whole_game_is_played_and_followed(referee: Referee, game: str) -> None:
    opened = OPENINGS[game](referee)
    chance = random.Random(game)
    for _ in range(2_000):
        table = opened.host.read()
        if not table["to_act"]:
            break
        move = choose_move(opened.host.legal_moves()["moves"], chance)
        seat = move.get("seat")
        bearer = opened.host if seat is None else opened.seats[seat]
        assert bearer.move(move)["version"] == table["version"] + 1
    else:
        pytest.fail("the game has no end")
    assert table["result"] is not None
    followed = list(islice(opened.seats[0].events(), table["version"]))
    assert followed == whole_log(opened.seats[0])
    assert opened.seats[0].transcript()["server_seed"]


def choose_move(moves: list[Any], chance: random.Random) -> Any:
    """One of the legal moves: what ends a hand, else what keeps little deadwood, so that a game is soon over."""
    ends = [each for each in moves if each["move"]["type"] in ("knock", "take")]
    return min(ends or moves, key=lambda each: (each["facts"].get("deadwood", 0), chance.random()))["move"]


def test_answers_of_a_later_version_are_read() -> None:
    """Such a version adds a member, a fact and a code, all of the name `UNKNOWN`."""
    with Server("tests.later_version:create_app()") as server:
        twins = Referee(f"http://127.0.0.1:{server.port}").twins
        dealt: Any = twins.deal({"seats": 3, "seed": "rain"})
        assert dealt[UNKNOWN] == {"value": 1}
        hands = [[f"{colour}-{value}" for value in range(1, 9)] for colour in ("brown", "green", "pink")]
        state: Any = {"phase": "trick", "trick": 1, "chips": [12, 12, 12], "pot": 0, "hands": hands}
        listing: Any = twins.legal_moves({"state": state})
        assert listing["moves"][-1]["facts"][UNKNOWN] == 1
        resolved: Any = twins.resolve(
            {"state": state, "moves": [{"type": "play", "seat": 0, "cards": ["brown-1", "brown-2"]}]}
        )
        assert resolved["events"][-1]["code"] == UNKNOWN


def whole_log(table: AnyTable) -> list[Any]:
    """The whole log, page by page."""
    entries: list[Any] = []
    after: int | None = 0
    while after is not None:
        page = table.log(after)
        entries += page["entries"]
        after = page["next"]
    return entries


def test_the_calls_without_a_session_answer(referee: Referee) -> None:
    twins = referee.twins
    state = twins.deal({"seats": 3, "seed": "rain"})["state"]
    move = twins.legal_moves({"state": state})["moves"][0]["move"]
    assert twins.validate({"state": state, "move": move})["legal"]
    assert twins.resolve({"state": state, "moves": [move]})["applied"] == 1
    assert twins.audit({"state": state})["consistent"]
    assert twins.view({"state": state, "seat": None})["seat"] is None
    assert {each["game"] for each in referee.games()} >= set(OPENINGS)
    assert twins.about()["title"] == "Twins"
    assert twins.rulebook()["clauses"][0]["id"] == "TW-1.1"
    entry: BatchEntry = {"id": "one", "path": "/games/twins/audit", "body": {"state": state}}
    answers = referee.batch([entry, {"path": "/games/twins/audit", "body": {}}])
    assert [(each.get("id"), each["status"]) for each in answers] == [("one", 200), (None, 400)]


def test_sentences_are_in_the_language_that_was_asked_for(server: Server) -> None:
    in_italian = Referee(f"http://127.0.0.1:{server.port}", language="it")
    with pytest.raises(IllegalMove) as raised:
        in_italian.gin_rummy.open({"game": "gin-rummy", "seats": 2}).host.move({"type": "lay-off", "seat": 0})
    assert raised.value.status == 422
    violation = raised.value.problem["violations"][0]
    assert violation["text"] == "Nessuno ha bussato: non c'è nulla a cui legare."
    assert str(raised.value) == f"{violation['text']} ({violation['rule']})"


def test_a_move_is_made_once_and_only_at_the_table_that_was_seen(referee: Referee) -> None:
    host = referee.twins.open({"game": "twins", "seats": 3}).host
    host.read()
    etag = host.etag
    first = host.move({"type": "buy", "seat": 0, "count": 0}, if_match=etag, key="mine")
    assert host.move({"type": "buy", "seat": 0, "count": 0}, if_match=etag, key="mine") == first
    with pytest.raises(IdempotencyKeyReused):
        host.move({"type": "buy", "seat": 0, "count": 1}, key="mine")
    with pytest.raises(VersionMismatch):
        host.move({"type": "buy", "seat": 1, "count": 0}, if_match=etag)


def test_seats_are_taken_by_invite_and_tokens_renewed(referee: Referee) -> None:
    opened = referee.twins.open({"game": "twins", "seats": 3, "invite": True})
    assert opened.seats == []
    seat = referee.twins.join(opened.host.id, 0, opened.answer["invites"][0])
    old = referee.twins.at(seat.id, seat.token)
    seat.renew_token()
    assert seat.read()["game"] == "twins"
    by_the_host = referee.twins.at(seat.id, opened.host.renew_token(0))
    assert by_the_host.read()["version"] == opened.host.read()["version"]
    for void in (old, seat):
        with pytest.raises(Unauthorized):
            void.read()


def test_a_rematch_gives_each_bearer_its_place_at_the_next_table(referee: Referee) -> None:
    ruleset: GinRummyRuleset = {"name": "standard", "options": {"knock_limit": 99, "target": 1}}
    opened = referee.gin_rummy.open({"game": "gin-rummy", "seats": 2, "ruleset": ruleset})
    with pytest.raises(NotOver):
        opened.host.rematch()
    while moves := opened.host.legal_moves()["moves"]:
        opened.host.move(next((each for each in moves if each["move"]["type"] == "knock"), moves[0])["move"])
    places = [table.rematch() for table in (*opened.seats, opened.host)]
    assert opened.host.read()["rematch"] == {"id": places[0].id, "by": 0, "seated": [0, 1]}
    assert len({place.id for place in places}) == 1
    sessions = [place.read()["state"] for place in places]
    assert [[None in hand for hand in state["hands"]] for state in sessions if state] == [
        [False, True],
        [True, False],
        [False, False],
    ]


def test_in_a_joint_deal_every_seat_commits_then_gives_its_seed_and_a_clock_can_run(referee: Referee) -> None:
    opened = referee.twin_it.open({"game": "twin-it", "seats": 2, "fair": "joint", "ruleset": {"name": "cooperative"}})
    assert opened.host.read()["state"] is None
    seeds = ["rain", "wind"]
    for seat, seed in zip(opened.seats, seeds, strict=True):
        seat.commit(hashlib.sha256(seed.encode()).hexdigest())
    with pytest.raises(SeedMismatch):
        opened.seats[0].give_seed("sun")
    for seat, seed in zip(opened.seats, seeds, strict=True):
        seat.give_seed(seed)
    assert opened.host.read()["state"] is not None
    assert opened.host.transcript()["seeds"] == seeds
    assert opened.seats[0].start_clock(30)["clock"] is not None


def test_a_clock_that_binds_is_started_without_seconds_and_collects_counts(referee: Referee) -> None:
    opened = referee.twin_it.open({"game": "twin-it", "seats": 2, "ruleset": {"name": "timed"}, "clock_seconds": 10})
    seat = opened.seats[1]
    count: TwinItCount = {"type": "count", "seat": 1, "groups": []}
    with pytest.raises(TimeRunning) as early:
        seat.count(count)
    assert early.value.problem.get("ends_in_ms", 0) is None
    assert seat.start_clock()["clock_seconds"] == 10

    def count_is_accepted() -> bool:
        try:
            return seat.count(count) == {"counted": [], "version": 1}
        except TimeRunning:
            return False

    until(count_is_accepted, 15)
    assert (seat.read()["counted"], opened.seats[0].read()["counted"]) == ([], None)


def test_a_session_that_is_closed_ends_every_stream_that_follows_it(referee: Referee) -> None:
    opened = referee.twins.open({"game": "twins", "seats": 3})
    opened.host.move({"type": "buy", "seat": 0, "count": 0})
    following = opened.seats[1].events()
    assert next(following)["version"] == 1
    opened.host.close()
    assert list(following) == []


def test_another_thread_can_end_the_stream_that_follows_a_session(referee: Referee) -> None:
    following = referee.twins.open({"game": "twins", "seats": 3}).host.live()
    threading.Timer(0.3, following.close).start()
    assert list(following) == []


def test_the_class_of_an_error_says_what_is_wrong(referee: Referee) -> None:
    wrong: Any = {"state": {}, "moves": []}
    with pytest.raises(InvalidRequest) as raised:
        referee.twins.resolve(wrong)
    assert raised.value.problem["errors"][0]["pointer"].startswith("/state")
    with pytest.raises(InvalidState):
        referee.twins.resolve({"state": {"phase": "buying", "chips": [1, 2, 3], "pot": 0}, "moves": []})


def test_every_kind_of_problem_has_a_class() -> None:
    """The client has one for each type of problem document that the service may answer with."""
    assert BY_TYPE.keys() == {f"/problems/{slug}" for slug in KINDS}


def test_the_generated_parts_of_both_clients_are_what_the_contract_says() -> None:
    stale = []
    for name, expected in generated.expected_files().items():
        text = generated.path_of(name).read_text("utf-8")
        stale += [] if text == expected or (name.startswith("models") and text.startswith(expected)) else [name]
    assert stale == [], "make clients writes them"


def test_the_files_that_are_generated_as_a_whole_are_marked_for_reviews() -> None:
    attributes = (generated.ROOT / ".gitattributes").read_text("utf-8").splitlines()
    folded = {generated.ROOT / line.split()[0] for line in attributes if line.endswith("linguist-generated")}
    partly = {"aio/calls.py", "calls.ts"}
    paths = {name: generated.path_of(name) for name in generated.files()}
    assert [name for name, path in paths.items() if (path in folded) == (name in partly)] == []


TYPED_PROGRAM = """
from rules_referee_client import IllegalMove, InvalidRequest, InvalidState, Referee, VersionMismatch, models
from rules_referee_client.rulings import twins_event

def paid(told: models.TwinsEvent) -> int:
    event = twins_event(told)
    return event["params"]["amount"] if event["code"] == "paid" else 0

def wrong(told: models.TwinsEvent, state: models.TwinsState, referee: Referee) -> object:
    event = twins_event(told)
    referee.twins.deal({"seats": 3, "sed": "rain"})
    referee.twins.resolve({"state": state, "moves": [{"type": "buy", "seat": 0, "count": 0, "cuont": 1}]})
    return event["params"]["winners"] if event["code"] == "paid" else 0

def refused(referee: Referee) -> models.Violation | models.Fault | models.WrongPlace | int:
    try:
        referee.games()
    except IllegalMove as illegal:
        violations: list[models.Violation] = illegal.problem["violations"]
        illegal.problem["faults"]
        return violations[0]
    except InvalidState as invalid:
        return invalid.problem["faults"][0]
    except InvalidRequest as invalid:
        return invalid.problem["errors"][0]
    except VersionMismatch as mismatch:
        return mismatch.problem["version"]
    return 0
"""


def type_errors(folder: Path, program: str) -> list[str]:
    """The messages of the errors that `mypy --strict` finds in a program that uses the package."""
    file = folder / "typed.py"
    file.write_text(program, "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(file)]
    environment = os.environ | {"MYPYPATH": str(README.parent)}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return [line.partition(": error: ")[2] for line in result.stdout.splitlines()[:-1]]


@pytest.mark.parametrize("which", [0, 1], ids=["synchronous", "asyncio"])
def test_the_programs_of_the_readme_have_no_type_error(tmp_path: Path, which: int) -> None:
    programs = re.findall(r"```py\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert type_errors(tmp_path, programs[which]) == []


def test_a_type_checker_narrows_an_event_by_its_code_and_finds_what_is_misspelt(tmp_path: Path) -> None:
    """Four lines of `TYPED_PROGRAM` are wrong on purpose."""
    assert [each[:40] for each in type_errors(tmp_path, TYPED_PROGRAM)] == [
        'Extra key "sed" for TypedDict "TwinsDeal',
        'List item 0 has incompatible type "dict[',
        'TypedDict "TwinsPaidEventParams" has no ',
        'TypedDict "IllegalMoveDocument" has no k',
    ]


def test_the_first_program_of_the_readme_runs(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    program, *_ = re.findall(r"```py\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(program.replace("8000", str(server.port)), README, "exec"), {})
    *events, refused = capsys.readouterr().out.splitlines()
    assert all(line.startswith("TW-") for line in events)
    assert re.fullmatch(r"La partita è finita: non ci sono altre mosse\. \(TW-[\d.]+\)", refused)


# --- a server that fails ------------------------------------------------------

Reply = tuple[int, dict[str, str], bytes]


class ScriptedServer:
    """A server that answers each request with the next of its replies, and a client of it.

    `requests`: the headers of the requests that it has received; `paths`: their paths.
    """

    def __init__(self, replies: list[Reply]) -> None:
        requests = self.requests = list[dict[str, str]]()
        paths = self.paths = list[str]()
        left = iter(replies)

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                requests.append(dict(self.headers))
                paths.append(self.path)
                status, headers, body = next(left)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = answer  # noqa: N815 - its base calls them so

            def log_message(self, *arguments: object) -> None:
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.referee = Referee(f"http://127.0.0.1:{self.server.server_port}", retries=1)

    def __enter__(self) -> Self:
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


StartScripted: TypeAlias = Callable[[list[Reply]], ScriptedServer]


@pytest.fixture
def start_scripted() -> Iterator[StartScripted]:
    """Starts a server that answers with these replies; it runs until the test ends."""
    with ExitStack() as stack:
        yield lambda replies: stack.enter_context(ScriptedServer(replies))


STORE_UNAVAILABLE = (
    b'{"type": "/problems/store-unavailable", "title": "Away", "status": 503, "detail": "Away.", "instance": "/"}'
)
RETRY_AT_ONCE: Reply = (503, {"Retry-After": "0"}, STORE_UNAVAILABLE)
NOT_FOUND: Reply = (404, {}, STORE_UNAVAILABLE.replace(b"store-unavailable", b"not-found").replace(b"503", b"404"))
IN_PROGRESS: Reply = (
    409,
    {"Retry-After": "0"},
    STORE_UNAVAILABLE.replace(b"store-unavailable", b"request-in-progress"),
)
INCIDENT: Reply = (409, {"Retry-After": "1"}, STORE_UNAVAILABLE.replace(b"store-unavailable", b"incident-open"))
MOVE_MADE: Reply = (201, {}, b'{"version": 1}')


@pytest.mark.parametrize("id", ["../../x", "..", "a/b", "a?b", "a b", "a\n", "%2e%2e", ""])
def test_a_text_that_is_no_id_of_a_session_is_refused_before_anything_is_sent(
    start_scripted: StartScripted, id: str
) -> None:
    server = start_scripted([])
    with server.referee as referee:
        with pytest.raises(ValueError, match="is no id of a session"):
            referee.twins.at(id, "token")
        with pytest.raises(ValueError, match="is no id of a session"):
            referee.twins.join(id, 0, "invite")
        table = referee.twins.at("id", "token")
        table.id = id
        with pytest.raises(ValueError, match="is no id of a session"):
            table.read()
    assert server.requests == []


def test_every_part_of_a_path_is_escaped(start_scripted: StartScripted) -> None:
    server = start_scripted([(200, {}, b"{}")] * 3)
    hostile: Any = "1/../../x?y"
    with server.referee as referee:
        referee.twins.at("id").log(hostile)
        Game(referee.connection, "a/b").about()
        with pytest.raises(KeyError):  # the answer has no token
            referee.twins.join("id", hostile, "invite")
    escaped = "1%2F..%2F..%2Fx%3Fy"
    assert server.paths == [f"/sessions/id/moves?after={escaped}", "/games/a%2Fb", f"/sessions/id/seats/{escaped}"]


@pytest.mark.parametrize(
    "first", [RETRY_AT_ONCE, IN_PROGRESS, (502, {}, b"Bad gateway")], ids=["away", "runs", "a gateway"]
)
def test_a_change_is_sent_again_under_the_same_key(start_scripted: StartScripted, first: Reply) -> None:
    server = start_scripted([first, MOVE_MADE])
    with server.referee as referee:
        assert referee.twins.at("id", "token").move({"type": "deal"})["version"] == 1
    assert len({each["Idempotency-Key"] for each in server.requests}) == 1


@pytest.mark.parametrize(
    ("replies", "problem"),
    [
        ([RETRY_AT_ONCE, RETRY_AT_ONCE], StoreUnavailable),
        ([IN_PROGRESS, IN_PROGRESS], RequestInProgress),
        ([INCIDENT], IncidentOpen),
    ],
)
def test_a_service_that_stays_unavailable_raises_a_problem(
    start_scripted: StartScripted, replies: list[Reply], problem: type[RefereeProblem]
) -> None:
    with pytest.raises(problem):
        start_scripted(replies).referee.twins.at("id", "token").move({"type": "deal"})


def test_no_wait_is_longer_than_a_minute() -> None:
    assert Capped().get_retry_after(HTTPResponse(headers={"Retry-After": "3600"})) == 60


@pytest.mark.parametrize(
    ("body", "type"),
    [
        (b'{"type": "/problems/new", "status": 418, "detail": "New.", "instance": "/"}', "/problems/new"),
        (b"<html>Bad gateway</html>", "about:blank"),
        (b"[]", "about:blank"),
    ],
    ids=["new", "HTML", "a list"],
)
def test_a_problem_of_an_unknown_kind_is_raised_as_the_general_one(
    start_scripted: StartScripted, body: bytes, type: str
) -> None:
    with pytest.raises(RefereeProblem) as raised:
        start_scripted([(418, {}, body)]).referee.twins.at("id").read()
    assert raised.type is RefereeProblem
    assert (raised.value.problem["type"], raised.value.status) == (type, 418)


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (200, b"<html>Sign in to the network</html>", "<html>Sign in to the network</html>"),
        (201, b'{"version": ', '{"version": '),
        (200, b"", "An answer of 200 without a body."),
        (408, b"", "An answer of 408 without a body."),
        (500, b'{"type": "about:blank", "detail": "Gateway"}', "Gateway"),
    ],
    ids=["a page", "cut short", "empty", "refused without a word", "without a status"],
)
def test_an_answer_that_is_not_the_referees_raises_a_problem(
    start_scripted: StartScripted, status: int, body: bytes, message: str
) -> None:
    with pytest.raises(RefereeProblem) as problem:
        start_scripted([(status, {}, body)]).referee.twins.at("id", "token").move({"type": "deal"})
    assert (problem.value.status, str(problem.value)) == (status, message)


def test_a_stream_that_breaks_off_is_taken_up_where_it_was(start_scripted: StartScripted) -> None:
    def entry(version: int) -> bytes:
        return b'id: %d\nevent: entry\ndata: {"version": %d}\n\n' % (version, version)

    head = {"Content-Type": "text/event-stream"}
    broken = start_scripted(
        [
            (200, head, b"retry: 10\n\n" + entry(1) + b"event: ping\ndata: {}\n\n" + entry(2)[:-1]),
            (502, {}, b"Bad gateway"),
            (504, {}, b"Gateway timeout"),
            (200, head, b"retry: 10\n\n" + entry(2) + b"event: closed\ndata: {}\n\n"),
        ]
    )
    assert [each["version"] for each in broken.referee.twins.at("id", "token").events()] == [1, 2]
    assert [each["Last-Event-ID"] for each in broken.requests] == ["0", "1", "1", "1"]


def test_the_events_of_a_session_end_if_it_is_closed_while_the_stream_is_broken(
    start_scripted: StartScripted,
) -> None:
    entry = b'retry: 10\n\nid: 1\nevent: entry\ndata: {"version": 1}\n\n'
    closed = start_scripted([(200, {"Content-Type": "text/event-stream"}, entry), NOT_FOUND])
    assert [each["version"] for each in closed.referee.twins.at("id", "token").events()] == [1]


def test_a_first_stream_that_is_refused_or_is_none_raises_a_problem(start_scripted: StartScripted) -> None:
    with pytest.raises(NotFound):
        next(start_scripted([NOT_FOUND]).referee.twins.at("id", "token").events())
    with pytest.raises(RefereeProblem, match="Sign in"):
        next(
            start_scripted([(200, {"Content-Type": "text/html"}, b"Sign in")]).referee.twins.at("id", "token").events()
        )


def test_a_session_is_closed_although_the_answer_is_lost(start_scripted: StartScripted) -> None:
    start_scripted([RETRY_AT_ONCE, NOT_FOUND]).referee.twins.at("id", "token").close()


def test_another_thread_can_end_the_wait_for_a_stream(start_scripted: StartScripted) -> None:
    away = start_scripted([(503, {"Retry-After": "60"}, STORE_UNAVAILABLE)])
    following = away.referee.twins.at("id", "token").live()
    threading.Timer(0.3, following.close).start()
    assert list(following) == []
    assert len(away.requests) == 1
