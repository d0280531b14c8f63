"""Hands that fall at once while servers fail: each acknowledged hand must be in one claim of the log, and only once."""

import random
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from tests.faults.clients import UNSURE, Client, Reply, Table, must_retry_unless, send_until_answered, together
from tests.server import meanwhile, until

SEATS, WINDOW = 4, 300


class HandsOutcome(NamedTuple):
    """What became of the hands. `doubled`: hands that a claim has twice, or that nobody laid; `stuck`: players."""

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


class Hand(NamedTuple):
    """A hand that a seat has laid on a card, in the claim that made this version of its table."""

    version: int
    seat: int
    card: str


class Game:
    """A table of Twin it! whose players lay hands.

    `laid`: the acknowledged hands. `unsettled`: seat and card of each hand that was refused when it was sent again. A
    refusal is not stored, so the first request, whose reply was cut off, may be judged later and accepted.
    """

    def __init__(self, port: int) -> None:
        with Client(port) as client:
            body = {"game": "twin-it", "seats": SEATS, "gather_ms": WINDOW}
            session = client.ask("POST", "/sessions", body).body
        self.table = Table(port, session["id"], session["tokens"]["host"])
        self.tokens: list[str] = session["tokens"]["seats"]
        self.laid: set[Hand] = set()
        self.unsettled: set[tuple[int, str]] = set()
        self.stuck = 0

    def play(self, seat: int, cut_share: float, stop: threading.Event) -> None:
        """Flip a card in turn, and lay hands on visible cards, until `stop` is set or the game is over."""
        with Client(self.table.port) as client:
            while not stop.wait(random.uniform(0.02, 0.2)):
                session = client.body_of(self.table.path, self.table.headers)
                if session is None:
                    continue
                state = session["state"]
                if session["result"] is not None or not any(state["piles"]):
                    return
                if session["incident"] is None and state["turn"] == seat and random.random() < 0.3:
                    reply = self._send_move(client, seat, {"type": "flip", "seat": seat}, cut_share)
                else:
                    tops = [pile[0] for owner, pile in enumerate(state["piles"]) if pile and owner != seat]
                    card = random.choice(tops + state["table"])
                    move = {"type": "claim", "hands": [{"seat": seat, "card": card}]}
                    reply = self._send_move(client, seat, move, cut_share)
                    if isinstance(reply, Reply) and reply.status == 202:
                        self.laid.add(Hand(reply.body["version"] + 1, seat, card))
                    elif cut_share:
                        self.unsettled.add((seat, card))
                self.stuck += reply is UNSURE

    def _send_move(self, client: Client, seat: int, move: Any, cut_share: float) -> Reply | str:
        """Send a move with the token of its seat, until it is answered."""
        return send_until_answered(
            client,
            self.table,
            {"Authorization": f"Bearer {self.tokens[seat]}"},
            move,
            cut_share,
            must_retry_unless("incident-open"),
        )

    def is_window_closed(self) -> bool:
        """Whether the window in which hands are gathered has closed."""
        with Client(self.table.port) as client:
            session = client.body_of(self.table.path, self.table.headers)
        return session is not None and session["incident"] is None

    def compare_with_log(self) -> HandsOutcome:
        """Wait until the window has closed, and compare the acknowledged hands with those in the log."""
        until(self.is_window_closed)
        logged = Counter(
            Hand(entry["version"], hand["seat"], hand["card"])
            for entry in self.table.log()
            for move in entry["moves"]
            for hand in move.get("hands", [])
        )
        claims = len({hand.version for hand in logged})
        unacknowledged = logged - Counter(self.laid)
        doubled = sum(
            count > 1 or (hand.seat, hand.card) not in self.unsettled for hand, count in unacknowledged.items()
        )
        return HandsOutcome(len(self.laid), len(self.laid - logged.keys()), doubled, self.stuck, claims)


def let_hands_fall(
    port: int, tables: int, seconds: float, harm: Callable[[threading.Event], None], cut_share: float = 0.0
) -> HandsOutcome:
    """Let hands fall at so many tables, for some seconds, while `harm` is done to the service."""
    games, stop = [Game(port) for _ in range(tables)], threading.Event()
    threading.Timer(seconds, stop.set).start()
    with meanwhile(harm):
        together(1, *(partial(game.play, seat, cut_share, stop) for game in games for seat in range(SEATS)))
    return HandsOutcome(*map(sum, zip(*(game.compare_with_log() for game in games), strict=True)))
