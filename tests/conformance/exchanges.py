"""What the service answers, recorded as examples of the contract: `python -m tests.conformance.exchanges` writes it.

Nothing in it depends on chance or time: what the service draws comes from a generator seeded with the game's name, the
store's clock stands still, and tokens read as what they are.
"""

import json
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import engines
from engines.core.shuffle import commitment
from service import seeds, strict_json
from service.contract.openapi.examples import EXCHANGES
from service.judging.calls import NAMED
from service.problems import KINDS, Problem
from service.words.phrases import phrase
from tests.service.sessions.tables import (
    GAMES,
    SessionClient,
    fewest_seats,
    open_session,
    service_client,
    session_of_opening,
)

SEEDS = ("rain", "wind", "snow", "hail", "dew", "fog")
STARTS = {"X-Request-ID": "an-example"}
SESSION, NEXT = f"{1:032x}", f"{2:032x}"
"""The names of every session and of every next table: so refusals are alike in all games, and recorded once."""
SMALL_DECK = [[f"sun-{number}", f"moon-{number % 4}"] for number in range(8)]
"""Designs of Twin it! for tables whose cards are not what is shown."""


class Recorder:
    """One game's exchanges, each under the operation that it is one of."""

    def __init__(self, client: Any, game: str) -> None:
        self.client, self.game = client, game
        self.exchanges: list[dict[str, Any]] = []
        self.words: dict[str, str] = {}

    def open(self, why: str, **more: Any) -> SessionClient:
        """Open a session and record it. Its secrets, which differ each time, get words of their own."""
        body = {"game": self.game, "seats": fewest_seats(self.game), **more}
        answer = self.client.post("/sessions", json=body, headers=STARTS)
        table = session_of_opening(self.client, answer.json)
        self.words |= {token: f"token-of-{bearer}" for bearer, token in table.tokens.items()}
        self.words |= {invite: f"invite-to-seat-{seat}" for seat, invite in enumerate(table.invites)}
        self.words[table.id] = SESSION
        self.record("openSession", why, body, answer)
        return table

    def record(self, operation: str, why: str, body: Any, answer: Any) -> None:
        """Record an exchange, its tokens replaced by words."""
        self.record_text(operation, why, body, answer.status_code, answer.json if answer.is_json else None)

    def record_text(self, operation: str, why: str, body: Any, status: int, shown: Any) -> None:
        """Record an exchange whose answer is `shown`, its tokens replaced by words. A refused body is left out."""
        for name in ("token", "ticket"):
            if isinstance(shown, dict) and name in shown:
                self.words.setdefault(shown[name], f"a-{name}")
        exchange = {"operation": operation, "game": self.game, "why": why, "status": status}
        written = json.dumps(exchange | {"body": body if status < 400 else None, "answer": shown}, ensure_ascii=False)
        for secret, word in self.words.items():
            written = written.replace(secret, word)
        self.exchanges.append(json.loads(written))


def session_exchanges(client: Any, game: str) -> list[dict[str, Any]]:
    """Return the exchanges of sessions of this game: each operation, as it is made and as it is refused."""
    recorder = Recorder(client, game)
    record = recorder.record
    recorder.record_text(
        "game", "Of each list the beginning.", None, 200, _shortened(client.get(f"/games/{game}").json)
    )
    rulebook = client.get(f"/games/{game}/rulebook").json
    recorder.record_text("rulebook", "The beginning of the rulebook.", None, 200, _shortened(rulebook))
    table = recorder.open("A table with a token for everyone.", public=True)
    record("readSession", "The table as seat 0 sees it.", None, table.get("seat-0"))
    legal = table.get("host", "/legal-moves")
    record("sessionLegalMoves", "What may be done now.", None, legal)
    move: Any = legal.get_json()["moves"][0]["move"]
    body: Any = {"moves": [move]}
    mover = "host" if move.get("seat") is None else f"seat-{move['seat']}"
    record("makeMoves", "Not without a token.", body, table.post("nobody", "/moves", body))
    record("makeMoves", "A move.", body, table.post(mover, "/moves", body, Idempotency_Key="first"))
    again = {"moves": [{**move, "seat": 0}, {**move, "seat": 0}]}
    reused = table.post(mover, "/moves", again, Idempotency_Key="first")
    record("makeMoves", "The key was another request's.", again, reused)
    other = "seat-0" if mover == "seat-1" else "seat-1"
    record("makeMoves", "Nobody moves for another seat.", body, table.post(other, "/moves", body))
    if game in ILLEGAL_MOVES:
        body = {"moves": [ILLEGAL_MOVES[game]]}
        record("makeMoves", "The rules forbid it.", body, table.post("host", "/moves", body))
    record("makeMoves", "A body that does not fit.", {"moves": []}, table.post(mover, "/moves", {"moves": []}))
    log = table.get("seat-0", "/moves?after=0")
    record("sessionLog", "The log from its beginning.", None, log)
    (entry,) = log.get_json()["entries"]
    event = f"id: {entry['version']}\nevent: entry\ndata: {json.dumps(entry, ensure_ascii=False)}\n\n"
    recorder.record_text("sessionEvents", "What happened while somebody listened.", None, 200, event)
    record("transcript", "A game that goes on, as its host sees it.", None, table.get("host", "/transcript"))
    record("takeTicket", "For a page that cannot send a header.", None, table.post("seat-0", "/tickets", None))
    record("renewToken", "A new token in place of the old.", {}, table.post("seat-0", "/tokens", {}))
    joint = recorder.open("Every seat commits to a seed before the deal.", fair="joint")
    first = {"commitment": commitment(SEEDS[0])}
    stale = joint.post("seat-0", "/commitments", first, If_Match='"9"')
    record("commit", "The table is not at the version that was named.", first, stale)
    for seat in range(joint.seats):
        body = {"commitment": commitment(SEEDS[seat])}
        response = joint.post(f"seat-{seat}", "/commitments", body)
        if seat == 0:
            record("commit", "The first commitment.", body, response)
    unlike = {"seed": "another"}
    record("giveSeed", "Not the seed committed to.", unlike, joint.post("seat-0", "/seeds", unlike))
    for seat in range(joint.seats):
        response = joint.post(f"seat-{seat}", "/seeds", {"seed": SEEDS[seat]})
        if seat == joint.seats - 1:
            record("giveSeed", "The last seed: the cards are dealt.", {"seed": SEEDS[seat]}, response)
    party = recorder.open("Seats are taken by invite.", invite=True, fair="joint")  # without cards: a shorter answer
    invite = {"invite": party.invites[0]}
    record("takeSeat", "The invite is good for the seat.", invite, party.post("nobody", "/seats/0", invite))
    record("takeSeat", "Somebody was first.", invite, party.post("nobody", "/seats/0", invite))
    party.delete("host")
    record("readSession", "The session is gone.", None, party.get("host"))
    _record_rematch(recorder)
    if game == "twin-it":
        _record_real_time(recorder)
    return recorder.exchanges


def _record_real_time(recorder: Recorder) -> None:
    """Record hands that are gathered, and a clock."""
    few: Any = {"designs": SMALL_DECK}
    table = recorder.open("Hands that fall within 1.5 seconds are one claim.", **few, gather_ms=1500)
    (first, *_), (second, *_) = table.get("host").get_json()["state"]["piles"]
    table.move("seat-0", {"type": "claim", "hands": [{"seat": 0, "card": second}]})
    body: Any = {"moves": [{"type": "claim", "hands": [{"seat": 1, "card": first}]}]}
    recorder.record("makeMoves", "A hand that joins another seat's.", body, table.post("seat-1", "/moves", body))
    recorder.record("readSession", "Hands that are about to be settled.", None, table.get("seat-0"))
    body = {"moves": [{"type": "flip", "seat": 0}]}
    recorder.record("makeMoves", "Not before the hands are settled.", body, table.post("seat-0", "/moves", body))
    together: Any = {**few, "ruleset": {"name": "cooperative"}}
    counted = recorder.open("The players count when the minute is over.", **together)
    body = {"seconds": 60}
    recorder.record("startClock", "The minute begins.", body, counted.post("seat-0", "/clock", body))
    more: Any = {**few, "ruleset": {"name": "timed"}, "clock_seconds": 60}
    timed = recorder.open("Nobody counts before the minute is over.", **more)
    timed.post("seat-1", "/clock", {})
    body = {"moves": [{"type": "count", "seat": 0, "groups": []}]}
    recorder.record("makeMoves", "The minute is not over.", body, timed.post("seat-0", "/moves", body))


def _record_rematch(recorder: Recorder) -> None:
    """Record how the next table is opened after a whole game."""
    short: Any = {"ruleset": OVER_AT_FIRST_KNOCK} if recorder.game == "gin-rummy" else {}
    table, record = open_session(recorder.client, recorder.game, **short), recorder.record
    recorder.words[table.id] = SESSION
    record("rematch", "Not before the game is over.", None, table.post("seat-0", "/rematch", None))
    dice = random.Random(1)
    while move := table.choose_towards_the_end(dice):
        assert table.move("host", move).status_code == 201
    opened_next = table.post("seat-0", "/rematch", None)
    recorder.words[opened_next.get_json()["id"]] = NEXT
    record("rematch", "The next table is opened.", None, opened_next)
    record("rematch", "The next seat gets its own token there.", None, table.post("seat-1", "/rematch", None))


def _shortened(value: Any) -> Any:
    """Return a JSON value of whose lists only the first object is left, or the first two other items."""
    if isinstance(value, dict):
        return {name: _shortened(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_shortened(each) for each in value[:2] if each is value[0] or not isinstance(each, dict)]
    return value


OVER_AT_FIRST_KNOCK = {"name": "standard", "options": {"knock_limit": 99, "target": 1}}
"""The rules of a game of gin rummy that is over at its first knock."""
ILLEGAL_MOVES: dict[str, Any] = {
    "gin-rummy": {"type": "lay-off", "seat": 0},
    "take-that": {"type": "deal"},
    "twin-it": {"type": "claim", "hands": [{"seat": 0, "card": "0A"}]},
    "twins": {"type": "deal"},
}
"""A move of each game that fits the schema, and that the rules forbid after the first move."""


def vector_exchanges(client: Any, game: str) -> list[dict[str, Any]]:
    """Of each call the first vector with a legal outcome and the first with an illegal one; each kind of refusal."""
    answered: dict[tuple[str, bool], dict[str, Any]] = {}
    refused: dict[str, dict[str, Any]] = {}
    for vector in seeds.vectors_in(seeds.folder(engines.registry()[game])):
        call = vector.call
        if call not in NAMED or "headers" in vector.request:
            continue
        body = {name: value for name, value in vector.request["body"].items() if name != "game"}
        answer = client.post(f"/games/{game}/{call}", json=body)
        exchange = {"game": game, "why": vector.why, "status": answer.status_code, "answer": answer.json}
        if answer.status_code == 200:
            exchange |= {"operation": f"/{call}", "name": vector.id, "body": body}
            answered.setdefault((call, answer.json.get("legal", True)), exchange)
        else:
            refused.setdefault(answer.json["type"], exchange | {"operation": "", "body": None})
    shown = [answered[call, legal] for call in NAMED for legal in (True, False) if (call, legal) in answered]
    return [*shown, *refused.values()]


def problems_without_exchange(met: set[str]) -> list[dict[str, Any]]:
    """Return an exchange of each kind of problem that no recorded exchange has, with its meaning as the reason."""
    exchanges = []
    for slug, kind in KINDS.items():
        if f"/problems/{slug}" not in met:
            answer = strict_json.plain(
                Problem(slug, phrase("verbatim", text=kind.meaning("en"))).document("/resolve", "en")
            )
            status, why = kind.status, f"{kind.title('en')}."
            exchanges.append(
                {"operation": "", "game": "", "why": why, "status": status, "body": None, "answer": answer}
            )
    return exchanges


def common_exchanges(client: Any) -> list[dict[str, Any]]:
    """Return the refusals that any call may get, whatever the game."""
    recorder = Recorder(client, "")
    json_headers = {"Content-Type": "application/json"}
    long = b'{"game": "' + b"x" * (1 << 20) + b'"}'
    for why, answer in (
        ("A bracket is missing.", client.post("/resolve", data=b'{"game": "twins"', headers=json_headers)),
        ("A body longer than is read.", client.post("/resolve", data=long, headers=json_headers)),
        ("A form, where JSON is read.", client.post("/resolve", data={"game": "twins"})),
        ("Nothing but an image would do.", client.get("/games", headers={"Accept": "image/png"})),
        ("A game that is not refereed here.", client.get("/games/chess")),
    ):
        recorder.record("", why, None, answer)
    recorder.record("games", "What there is.", None, client.get("/games"))
    recorder.record("problem", "What a problem means.", None, client.get("/problems/invalid-state"))
    return recorder.exchanges


@contextmanager
def _seeded_secrets(game: str) -> Iterator[None]:
    """What the service draws comes from a generator of the game's own."""
    dice = random.Random(game)
    with (
        patch("secrets.token_hex", lambda count=32: dice.randbytes(count).hex()),
        patch("secrets.token_bytes", dice.randbytes),
        patch("secrets.token_urlsafe", lambda count=32: dice.randbytes(count).hex()),
        patch("time.monotonic_ns", lambda: 0),
    ):
        yield


def recorded_file() -> str:
    """The file, an exchange a line."""
    lines: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for game in ("", *GAMES):
            with _seeded_secrets(game):
                store = f"sqlite:///{Path(folder)}/{game or 'every'}.sqlite3"
                client = service_client(store)
                lines += session_exchanges(client, game) if game else common_exchanges(client)
        client = service_client(f"sqlite:///{Path(folder)}/vectors.sqlite3")
        for game in GAMES:
            lines += vector_exchanges(client, game)
    lines += problems_without_exchange({each["answer"]["type"] for each in lines if each["status"] >= 400})
    return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in _equal_ones_once(lines))


def _equal_ones_once(lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The exchanges; one that is the same in every game once, and of no game."""
    texts = [json.dumps({**each, "game": ""}) for each in lines]
    yielded = set()
    for text, exchange in zip(texts, lines, strict=True):
        if texts.count(text) < len(GAMES):
            yield exchange
        elif text not in yielded:
            yielded.add(text)
            yield {**exchange, "game": ""}


if __name__ == "__main__":
    EXCHANGES.write_text(recorded_file(), encoding="utf-8")
