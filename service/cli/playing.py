"""`referee play`: a whole game in the terminal. People share one keyboard; the other seats play at random.

The seat that is to act sees the table, and what has happened since its last turn, as that seat may see them. Where
several people play, the screen is cleared between them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from service.cli.drawing import Drawing, Seat
from service.cli.reading import console, ending
from service.contract.of_game import AnyEngine
from service.judging.calls import answered
from service.web import strict_json
from service.web.problems import Problem
from service.web.strict_json import Json

CLEAR = "\x1b[H\x1b[2J\x1b[3J"  #: Move the cursor home, clear the screen, and clear what was scrolled away.
CLAIMS = 0.5
"""The probability that a seat that plays at random makes a claim, in games where sets may be claimed at any time."""


class Left(Exception):
    """A player does not want to play on."""


class Playing:
    """A game under way. The seats from 0 to `people` - 1 are played at the keyboard."""

    def __init__(self, engine: AnyEngine, setup: Json, people: int, names: list[str] | None, language: str) -> None:
        """Deal the game. Raises Problem if `deal` refuses the setup."""
        self.engine = engine
        self.seed = setup["seed"]
        self.people = people
        self.names = {"names": names} if names else {}
        self.language = language
        self.console = console()
        self.drawing = Drawing(engine, language, names)
        self.said = self.drawing.said
        self.chance = random.Random(f"{self.seed} players")  # noqa: S311 - chooses moves, hides nothing
        self.viewers: list[Seat] = [*range(people)] or [None]
        self.unread: dict[Seat, list[Json]] = {each: [] for each in self.viewers}
        """The events that each viewer has not seen yet."""
        self.last_viewer: Seat = None
        self.deals = 1
        self.moves: list[Json] = []
        self.answer: Json = answered("deal", engine.game, {**setup, **self.names}, language)
        """The answer to the deal, then to the last move."""
        self.first = self.answer["state"]

    def run(self) -> None:
        """Play to the end. Raises Left."""
        while self.answer["to_act"]:
            moves = self._call("legal-moves")["moves"]
            actors = {each["move"].get("seat") for each in moves}
            actor = next((seat for seat in self.answer["to_act"] if seat in actors), None)
            if actor is None and all(each["move"]["type"] == self.engine.deal_name for each in moves):
                self._deal()
            elif actor is None or actor < self.people:
                self._turn_of(self.viewers[0] if actor is None else actor, moves)
            else:
                self._make(self._claimed(moves) or self._at_random(actor, moves))
        self._show(self.viewers[0])
        for part in ending(self.answer, self.drawing):
            self.console.print(part)

    def save(self, path: Path) -> None:
        """Write the game as `referee replay` reads it."""
        body = {"game": self.engine.game, "state": self.first, "moves": self.moves, **self.names}
        path.write_bytes(strict_json.dumps(body) + b"\n")

    def _deal(self) -> None:
        self.deals += 1
        self._show(self.viewers[0])
        if self.people:
            self._line(self.said["deal"])
        self._make({"type": self.engine.deal_name, "seed": f"{self.seed} {self.deals}"})

    def _at_random(self, actor: int, moves: Sequence[Json]) -> Json:
        """A random move of the seat, or a random claim in which no person has a part."""
        claims = [each["move"] for each in moves if "seat" not in each["move"] and not self._is_of_people(each["move"])]
        own = [each["move"] for each in moves if each["move"].get("seat") == actor]
        chosen: Json = self.chance.choice(claims if claims and self.chance.random() < CLAIMS else own)
        return chosen

    def _claimed(self, moves: Sequence[Json]) -> Json | None:
        """What the people claim before a seat moves at random, in games where sets may be claimed at any time."""
        if not self.engine.table_claims or not self.people:
            return None
        self._show(self.last_viewer if self.last_viewer in self.viewers else self.viewers[0])
        while line := self._line(self.said["claim"]):
            move: Json | None = self._read(line, moves, listed=[])
            if move is not None:
                return move
        return None

    def _turn_of(self, seat: Seat, moves: Sequence[Json]) -> None:
        """Make the move that a person chooses. Claims are not listed: to find them is the game."""
        self._show(seat)
        listed = [each for each in moves if each["move"].get("seat") == seat] or list(moves)
        if seat is None:
            self._make(self.chance.choice(listed)["move"])
            return
        self.console.print(self.drawing.legal(listed, seats=False))
        prompt = self.said["choose"].format(who=self.drawing.seat(seat), count=len(listed))
        while (move := self._read(self._line(prompt), moves, listed)) is None or not self._make(move):
            pass

    def _read(self, line: str, moves: Sequence[Json], listed: Sequence[Json]) -> Any:
        """The move that a line means by number, cards or JSON. Else None; then the clause or the reason is written."""
        if line.isdecimal() and 0 < int(line) <= len(listed):
            return listed[int(line) - 1]["move"]
        if line.startswith("{"):
            try:
                return strict_json.loads(line.encode())
            except Problem as problem:
                self._say(problem.detail.said(self.language))
        elif line in self.drawing.clauses:
            self._say(self.drawing.clauses[line])
        elif cards := sorted(line.split()):
            for each in moves:
                if sorted(_values(each["move"])) == cards and self._is_of_people(each["move"]):
                    return each["move"]
            self._say(self.said["no-such-move"])
        return None

    def _make(self, move: Json) -> bool:
        """Make a move. Returns whether it was made; the reason is written if not."""
        try:
            answer = self._call("resolve", moves=[move], views=self.viewers)
        except Problem as problem:
            self._say(problem.detail.said(self.language))
            return False
        if refused := answer["violations"] or answer["undetermined"]:
            self.console.print(self.drawing.rulings(refused if isinstance(refused, list) else [refused], quoted=True))
            return False
        self.answer = answer
        self.moves.append(move)
        for view in answer["views"]:
            self.unread[view["seat"]] += view["events"]
        if not self.people:
            self._show(None)
        return True

    def _show(self, seat: Seat) -> None:
        """Show the table to a viewer, after the previous viewer has looked away."""
        if self.people > 1 and seat != self.last_viewer:
            if self.console.is_terminal:
                self.console.file.write(CLEAR)
            self._line(self.said["pass-on"].format(who=self.drawing.seat(seat)))
        self.last_viewer = seat
        if self.unread[seat]:
            self.console.print(self.drawing.rulings(self.unread[seat]))
            self.unread[seat].clear()
        view = self._call("view", seat=seat)
        self.console.print()
        self.console.print(self.drawing.table(view["state"], self.answer["to_act"], seat))

    def _call(self, call: str, **members: Any) -> Json:
        body = {"state": self.answer["state"], **members, **self.names}
        answer: Json = answered(call, self.engine.game, body, self.language)
        return answer

    def _line(self, prompt: str) -> str:
        """What a person types. Raises Left for q, and where there is no more input."""
        try:
            line = self.console.input(Text(prompt + " ", style="bold")).strip()
        except (EOFError, RuntimeError):  # Python raises RuntimeError where standard input is closed
            raise Left from None
        if line == "q":
            raise Left
        return line

    def _say(self, text: str) -> None:
        self.console.print(Text(text, style="yellow"))

    def _is_of_people(self, move: Json) -> bool:
        """Whether a person makes a move, or has a part in it."""
        seats = [move.get("seat"), *(hand["seat"] for hand in move.get("hands", ()))]
        return any(seat is not None and seat < self.people for seat in seats)


def _values(value: Any) -> list[str]:
    """The cards and other values of a move, without its type and its seats."""
    if isinstance(value, dict):
        value = [each for name, each in value.items() if name not in ("type", "seat")]
    return [found for each in value for found in _values(each)] if isinstance(value, list) else [str(value)]
