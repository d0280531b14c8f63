"""Hands that fall at once while servers fail: each acknowledged hand must be in one claim of the log, and only once."""

import random
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from tests.faults.clients import UNSURE, Client, Reply, Table, send_and_retry, together
from tests.server import meanwhile, until

SEATS, WINDOW = 4, 300


class Falls(NamedTuple):
    """What became of the hands. `doubled`: hands in a claim that nobody laid, or that it has twice."""

    acknowledged: int
    lost: int
    doubled: int
    stuck: int
    claims: int

    def __str__(self) -> str:
        return (
            f"{self.acknowledged} hands acknowledged in {self.claims} claims, {self.lost} lost, "
            f"{self.doubled} doubled, {self.stuck} players stuck"
        )


class Game:
    """A table of Twin it! whose players lay hands. `laid`: each acknowledged hand with the version of its claim.

    `perhaps`: hands that were refused when they were sent again. That answer is not kept, so the first request, whose
    reply was cut off, may be judged later and accepted.
    """

    def __init__(self, port: int) -> None:
        with Client(port) as client:
            body = {"game": "twin-it", "seats": SEATS, "gather_ms": WINDOW}
            opened = client.ask("POST", "/sessions", body).body
        self.table = Table(port, opened["id"], opened["tokens"]["host"])
        self.tokens: list[str] = opened["tokens"]["seats"]
        self.laid: set[tuple[int, int, str]] = set()
        self.perhaps: set[tuple[int, str]] = set()
        self.stuck = 0

    def play(self, seat: int, cut: float, enough: threading.Event) -> None:
        """Flip a card in turn, and lay hands on visible cards, until it is `enough`."""
        with Client(self.table.port) as client:
            while not enough.wait(random.uniform(0.02, 0.2)):
                session = client.body_of(self.table.path, self.table.headers)
                if session is None:
                    continue
                state = session["state"]
                if session["result"] is not None or not any(state["piles"]):
                    return
                if session["incident"] is None and state["turn"] == seat and random.random() < 0.3:
                    reply = self._sent(client, seat, {"type": "flip", "seat": seat}, cut)
                else:
                    tops = [pile[0] for owner, pile in enumerate(state["piles"]) if pile and owner != seat]
                    card = random.choice(tops + state["table"])
                    move = {"type": "claim", "hands": [{"seat": seat, "card": card}]}
                    reply = self._sent(client, seat, move, cut)
                    if isinstance(reply, Reply) and reply.status == 202:
                        self.laid.add((reply.body["version"] + 1, seat, card))
                    elif cut:
                        self.perhaps.add((seat, card))
                self.stuck += reply is UNSURE

    def _sent(self, client: Client, seat: int, move: Any, cut: float) -> Reply | str:
        return send_and_retry(
            client, self.table, {"Authorization": f"Bearer {self.tokens[seat]}"}, move, cut, _is_undecided
        )

    def closed(self) -> bool:
        """Whether the last window has closed."""
        with Client(self.table.port) as client:
            session = client.body_of(self.table.path, self.table.headers)
        return session is not None and session["incident"] is None

    def falls(self) -> Falls:
        """Compare the acknowledged hands with those in the log."""
        until(self.closed)
        fallen = Counter(
            (entry["version"], hand["seat"], hand["card"])
            for entry in self.table.log()
            for move in entry["moves"]
            for hand in move.get("hands", [])
        )
        claims = len({version for version, _, _ in fallen})
        more = fallen - Counter(self.laid)
        doubled = sum(count > 1 or (seat, card) not in self.perhaps for (_, seat, card), count in more.items())
        return Falls(len(self.laid), len(self.laid - fallen.keys()), doubled, self.stuck, claims)


def _is_undecided(reply: Reply) -> bool:
    incident_open = reply.status == 409 and reply.body["type"] == "/problems/incident-open"
    return reply.status in {409, 503} and not incident_open


def hands(port: int, tables: int, seconds: float, harm: Callable[[threading.Event], None], cut: float = 0.0) -> Falls:
    """Let hands fall at so many tables while `harm` does its own."""
    games, enough = [Game(port) for _ in range(tables)], threading.Event()
    threading.Timer(seconds, enough.set).start()
    with meanwhile(harm):
        together(1, *(partial(game.play, seat, cut, enough) for game in games for seat in range(SEATS)))
    return Falls(*map(sum, zip(*(game.falls() for game in games), strict=True)))
