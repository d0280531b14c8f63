"""`referee play`: a whole game in the terminal, people at one keyboard, the other seats at random.

Whoever is to act sees the table as that seat may see it, and what has happened since as that seat was told of it. Where
several people play, the screen is cleared between them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from service.cli.drawing import Drawing, Seat
from service.cli.reading import ending
from service.contract.of_game import AnyEngine
from service.judging.calls import judged
from service.web import strict_json
from service.web.problems import Problem
from service.web.strict_json import Json

CLEAR = "\x1b[H\x1b[2J\x1b[3J"
"""The cursor home, the screen empty, and what was scrolled away too."""
CLAIMS = 0.5
"""How often a seat that plays at random claims what it can, where hands fall at once."""


class Left(Exception):
    """Somebody does not want to play on."""


@dataclass
class Playing:
    """A game under way. `people`: so many seats, from 0, are played at the keyboard."""

    engine: AnyEngine
    language: str
    people: int
    seed: str
    names: list[str] | None
    state: Json
    to_act: list[Seat]
    console: Console
    moves: list[Json] = field(default_factory=list)
    told: dict[Seat, list[Json]] = field(default_factory=dict)
    """What each who looks on was told since they last saw the table."""
    end: Json = field(default_factory=dict)
    """The answer to the last move."""
    looks: Seat = None
    """Who saw the screen last."""

    def __post_init__(self) -> None:
        self.first = self.state
        self.deals = 1
        self.drawing = Drawing(self.engine, self.language, self.names)
        self.chance = random.Random(f"{self.seed} players")  # noqa: S311 - nothing hangs on it
        self.viewers: list[Seat] = [*range(self.people)] or [None]
        self.told = {each: [] for each in self.viewers}

    @property
    def said(self) -> Json:
        """The words of the terminal."""
        return self.drawing.said

    def run(self) -> None:
        """Play to the end; raises Left."""
        while self.to_act:
            moves = _plain(self._ask("legal-moves", {}))["moves"]
            actors = [seat for seat in self.to_act if any(each["move"].get("seat") == seat for each in moves)]
            actor = actors[0] if actors else None
            if actor is None and all(each["move"]["type"] == self.engine.deal_name for each in moves):
                self._deal()
            elif actor is None or actor < self.people:
                self._make(self._chosen(self.viewers[0] if actor is None else actor, moves))
            else:
                self._make(self._claimed(moves) or self._at_random(actor, moves))
        self._see(self.viewers[0])
        for part in ending(self.end, self.drawing):
            self.console.print(part)

    def _deal(self) -> None:
        self.deals += 1
        self._see(self.viewers[0])
        if self.people:
            self._line(self.said["deal"])
        self._make({"type": self.engine.deal_name, "seed": f"{self.seed} {self.deals}"})

    def _at_random(self, actor: int, moves: Sequence[Json]) -> Json:
        """A move of the seat's own, or what the table may claim for a seat that plays at random."""
        claims = [each["move"] for each in moves if "seat" not in each["move"] and not _of(each["move"], self.people)]
        own = [each["move"] for each in moves if each["move"].get("seat") == actor]
        chosen: Json = self.chance.choice(claims if claims and self.chance.random() < CLAIMS else own)
        return chosen

    def _claimed(self, moves: Sequence[Json]) -> Json | None:
        """Where hands fall at once: what the people claim before the next move is made for a seat at random."""
        if not self.engine.table_claims or not self.people:
            return None
        self._see(self.looks if self.looks in self.viewers else self.viewers[0])
        while line := self._line(self.said["claim"]):
            move = self._read(line, moves, listed=[])
            if move is not None:
                return move
        return None

    def _chosen(self, seat: Seat, moves: Sequence[Json]) -> Json:
        """What a person does. What the table may claim is not listed: to find it is the game."""
        self._see(seat)
        listed = [each for each in moves if each["move"].get("seat") == seat] or list(moves)
        if seat is None:
            return self.chance.choice(listed)["move"]  # type: ignore[no-any-return]
        self.console.print(self.drawing.legal(listed, seats=False))
        while True:
            line = self._line(self.said["choose"].format(who=self.drawing.seat(seat), count=len(listed)))
            move = self._read(line, moves, listed)
            if move is not None and self._admitted(move):
                return move

    def _read(self, line: str, moves: Sequence[Json], listed: Sequence[Json]) -> Json | None:
        """The move that a line stands for: a number, its cards, or JSON; None, and it is said why, if it is none."""
        if line.isdecimal() and 0 < int(line) <= len(listed):
            move: Json = listed[int(line) - 1]["move"]
            return move
        if line.startswith("{"):
            try:
                read: Json = strict_json.loads(line.encode())
            except strict_json.NotJson as error:
                self._say(error.detail.said(self.language))
                return None
            return read
        if line in self.drawing.clauses:
            self._say(self.drawing.clauses[line])
            return None
        named = sorted(line.split())
        return self._fitting(named, moves) if named else None

    def _fitting(self, named: list[str], moves: Sequence[Json]) -> Json | None:
        """The legal move of people that is of exactly these cards."""
        for each in moves:
            move: Json = each["move"]
            if sorted(_cards(move)) == named and _of(move, self.people):
                return move
        self._say(self.said["no-such-move"])
        return None

    def _admitted(self, move: Json) -> bool:
        """Whether it is legal; if not, it is said why."""
        try:
            judgement = _plain(self._ask("validate", {"move": move}))
        except Problem as problem:
            self._say(problem.detail.said(self.language))
            return False
        if not judgement["legal"]:
            self.console.print(self.drawing.rulings(judgement["violations"], quoted=True))
        return bool(judgement["legal"])

    def _make(self, move: Json) -> None:
        try:
            answer = _plain(self._ask("resolve", {"moves": [move], "views": self.viewers}))
        except Problem as problem:
            self._say(problem.detail.said(self.language))
            return
        if answer["violations"]:
            self.console.print(self.drawing.rulings(answer["violations"], quoted=True))
            return
        self.state, self.to_act, self.end = answer["state"], answer["to_act"], answer
        self.moves.append(move)
        for view in answer["views"]:
            self.told[view["seat"]] += view["events"]
        if not self.people:
            self._see(None)

    def _see(self, seat: Seat) -> None:
        """Show the table to one who may look at it; whoever looked before looks away."""
        if self.people > 1 and seat != self.looks:
            if self.console.is_terminal:
                self.console.file.write(CLEAR)
            self._line(self.said["pass-on"].format(who=self.drawing.seat(seat)))
        self.looks = seat
        if self.told[seat]:
            self.console.print(self.drawing.rulings(self.told[seat]))
            self.told[seat].clear()
        view = _plain(self._ask("view", {"seat": seat}))
        self.console.print()
        self.console.print(self.drawing.table(view["state"], self.to_act, seat))

    def _ask(self, call: str, asked: Json) -> object:
        body = {"state": self.state, **asked, **({"names": self.names} if self.names else {})}
        return judged(call, self.engine.game, body, self.language)

    def _line(self, prompt: str) -> str:
        try:
            line = self.console.input(Text(prompt + " ", style="bold")).strip()
        except EOFError:
            raise Left from None
        if line == "q":
            raise Left
        return line

    def _say(self, text: str) -> None:
        self.console.print(Text(text, style="yellow"))

    def save(self, path: Path) -> None:
        """As `referee replay` reads it."""
        names = {"names": self.names} if self.names else {}
        body = {"game": self.engine.game, "state": self.first, "moves": self.moves, **names}
        path.write_bytes(strict_json.dumps(body) + b"\n")


def play(engine: AnyEngine, setup: Json, people: int, seed: str, names: list[str] | None, language: str) -> Playing:
    """A game that has been dealt. Raises Problem for a setup that fits no table."""
    named = {"names": names} if names else {}
    opening = _plain(judged("deal", engine.game, {**setup, "seed": seed, **named}, language))
    console = Console(highlight=False, markup=False, emoji=False)
    return Playing(engine, language, people, seed, names, opening["state"], opening["to_act"], console)


def _plain(answer: object) -> Any:
    return strict_json.loads(strict_json.dumps(answer), 1 << 40)


def _cards(value: Any) -> Iterator[str]:
    """What a move is of, but for its type and whose it is."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name not in ("type", "seat"):
                yield from _cards(each)
    elif isinstance(value, list):
        for each in value:
            yield from _cards(each)
    else:
        yield str(value)


def _of(move: Json, people: int) -> bool:
    """Whether a hand in it is a person's."""
    seats = [move.get("seat"), *(hand["seat"] for hand in move.get("hands", ()))]
    return any(seat is not None and seat < people for seat in seats)
