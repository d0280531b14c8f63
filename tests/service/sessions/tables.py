"""Clients of a service and of a session, for tests: its calls, and its tokens by bearer. And a watcher of a store."""

import random
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

import engines
from engines.core.judge import audit_setup
from engines.core.shuffle import commitment
from service.app import create_app
from service.config import Settings
from service.sessions.service import Sessions
from service.sessions.stores.protocol import Notify, Store

GAMES = list(engines.registry())
SECRET = "a-secret-of-a-client"  #: An `Idempotency-Key` that opens a session.
HOUSE_DECK = [list(card) for card in engines.registry()["twin-it"].setup(seats=2).designs]


def with_house_deck(game: str, state: Any) -> Any:
    """Return the state of a session with the deck that it leaves out: in Twin it!, the designs of the house deck."""
    return state | ({"designs": HOUSE_DECK} if game == "twin-it" and "designs" not in state else {})


@dataclass
class SessionClient:
    """A client of one session, with its tokens by bearer: `host`, `seat-0`, …; `spectator` has none."""

    client: FlaskClient
    id: str
    game: str
    tokens: dict[str, str] = field(default_factory=dict)
    invites: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"/sessions/{self.id}"

    @property
    def seats(self) -> int:
        """The number of seats: every token but the host's."""
        return len(self.tokens) - 1

    @property
    def bearers(self) -> list[str]:
        """The host, the seats, and the spectator, who has no token."""
        return [*self.tokens, "spectator"]

    def headers(self, bearer: str, more: dict[str, str] | None = None) -> dict[str, str]:
        """The header with the bearer's token, if it has one, and `more`."""
        token = self.tokens.get(bearer)
        return {**({} if token is None else {"Authorization": f"Bearer {token}"}), **(more or {})}

    def get(self, bearer: str, call: str = "", **more: str) -> TestResponse:
        """Read the session, or what is at the path `call` below it. `more`: headers."""
        return self.client.get(self.path + call, headers=self.headers(bearer, more))

    def post(self, bearer: str, call: str, body: Any, **more: str) -> TestResponse:
        """Post a body to the path `call` below the session. `more`: headers, `_` for each dash."""
        headers = {name.replace("_", "-"): value for name, value in more.items()}
        return self.client.post(self.path + call, json=body, headers=self.headers(bearer, headers))

    def move(self, bearer: str, *moves: Any, **more: str) -> TestResponse:
        """Make moves, all or none. `more`: headers, `_` for each dash."""
        return self.post(bearer, "/moves", {"moves": list(moves)}, **more)

    def commit(self, *seeds: str) -> None:
        """Let every seat commit to its seed."""
        for seat, seed in enumerate(seeds):
            committed = self.post(f"seat-{seat}", "/commitments", {"commitment": commitment(seed)})
            assert committed.status_code == 201, committed.get_data(as_text=True)

    def reveal(self, *seeds: str) -> None:
        """Let every seat reveal its seed. The cards are dealt after the last one."""
        for seat, seed in enumerate(seeds):
            response = self.post(f"seat-{seat}", "/seeds", {"seed": seed})
            assert response.status_code == 201, response.get_data(as_text=True)

    def delete(self, bearer: str) -> TestResponse:
        """Ask to delete the session."""
        return self.client.delete(self.path, headers=self.headers(bearer))

    def legal_moves(self, bearer: str = "host") -> list[Any]:
        """The legal moves that the bearer is shown."""
        return [each["move"] for each in self.get(bearer, "/legal-moves").get_json()["moves"]]

    def choose(self, dice: random.Random, bearer: str = "host") -> Any:
        """Return a legal move, or None after the end. The type is drawn first: so rare types occur and games end."""
        return _one_of(self.legal_moves(bearer), dice)

    def choose_towards_the_end(self, dice: random.Random, bearer: str = "host") -> Any:
        """Return a legal move that brings the end near, or None after it. Knocks come first; deadwood and chips go."""
        listed = self.get(bearer, "/legal-moves").get_json()["moves"]
        soonest = min(map(_delay, listed), default=0)
        return _one_of([each["move"] for each in listed if _delay(each) == soonest], dice)


def _one_of(moves: list[Any], dice: random.Random) -> Any:
    """Return a random move of a type that is drawn first; None if there is no move."""
    kind = dice.choice(sorted({move["type"] for move in moves})) if moves else None
    return dice.choice([move for move in moves if move["type"] == kind]) if moves else None


def _delay(listed: Any) -> int:
    """Return how far a listed move is from the end: knocks end hands, purchases spend chips, deadwood stops knocks."""
    move, facts = listed["move"], listed["facts"]
    delay: int = {"knock": -100, "buy": -move.get("count", 0)}.get(move["type"], facts.get("deadwood", 0))
    return delay


def service_client(store_url: str, **settings: Any) -> FlaskClient:
    """Return a client of a new service with this store and these settings."""
    return create_app(Settings(store_url=store_url, **settings)).test_client()


def sessions_of(client: FlaskClient) -> Sessions:
    """Return the sessions of a client's service."""
    sessions: Sessions = client.application.extensions["sessions"]
    return sessions


def problem(response: TestResponse) -> tuple[int, str]:
    """Return status and kind of a refusal."""
    assert response.content_type == "application/problem+json"
    return response.status_code, response.get_json()["type"].removeprefix("/problems/")


def open_session(client: FlaskClient, game: str = "gin-rummy", seats: int | None = None, **more: Any) -> SessionClient:
    """Open a session, with the fewest seats unless a number is given."""
    response = client.post("/sessions", json={"game": game, "seats": seats or fewest_seats(game), **more})
    assert response.status_code == 201, response.get_data(as_text=True)
    return session_of_opening(client, response.get_json())


def session_of_opening(client: FlaskClient, body: Any) -> SessionClient:
    """Return a client of the session whose opening was answered with this body."""
    tokens = {"host": body["tokens"]["host"]}
    tokens |= {f"seat-{number}": token for number, token in enumerate(body["tokens"].get("seats", []))}
    return SessionClient(client, body["id"], body["game"], tokens, body.get("invites", []))


def open_session_under_key(client: FlaskClient) -> SessionClient:
    """Open a session under a key. The key fixes its id: after a deletion the same key opens another of the same id."""
    body = {"game": "gin-rummy", "seats": 2, "public": True}
    return session_of_opening(
        client, client.post("/sessions", json=body, headers={"Idempotency-Key": SECRET}).get_json()
    )


def seat_counts(game: str, ruleset: Any = None) -> list[int]:
    """Return the numbers of seats that a ruleset of the game allows; without a ruleset, those of its default."""
    engine = engines.registry()[game]
    rules = {} if ruleset is None else {"ruleset": ruleset}
    return [seats for seats in engine.seats if not audit_setup(engine, engine.setup(seats=seats, **rules))]


def fewest_seats(game: str) -> int:
    """Return the fewest seats that a game allows."""
    return seat_counts(game)[0]


@contextmanager
def watching(store: Store, sessions: Iterable[str], notify: Notify) -> Iterator[None]:
    """Watch sessions until the block ends."""
    watched = {*sessions}
    watcher = threading.Thread(target=store.watch, args=(lambda: tuple(watched), notify), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        watched.clear()
        watcher.join(60)
        assert not watcher.is_alive()
