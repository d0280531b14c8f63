"""Tables, moves and rulings of one game as text for a terminal: from the JSON alone, every game by one mechanism.

Which member of a state lies where follows from its type. A game may have colours for its cards in `INKS`; its words are
those of its messages, and under `terminal` in the service's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from types import UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from engines.core.shape import Player
from service import seeds
from service.contract.calls import body_of
from service.contract.of_game import AnyEngine
from service.judging.calls import LEGAL_MOVES
from service.judging.games import description
from service.web.languages import messages
from service.web.strict_json import Json

INKS: Mapping[str, Mapping[str, str]] = {
    "gin-rummy": {".[HD]": "red"},
    "twins": {
        "brown-.*": "color(137)",
        "green-.*": "green",
        "pink-.*": "color(205)",
        "blue-.*": "color(75)",
        "yellow-.*": "yellow",
        "purple-.*": "color(141)",
    },
}
"""Colours of cards by their names on the wire. They say nothing that the words beside them do not."""
UNSEEN = "▒"
ALIKE = 3
"""So many unseen cards are shown one by one."""
MOST = 16
"""So many cards of a list are named."""
ELSEWHERE = {"phase", "ruleset", "turn", "dealer", "teams"}
"""Members that stand in the title, or beside the seats."""
Seat: TypeAlias = int | None


class Drawing:
    """What is needed to draw one game in one language. `names`: of the players, by seat."""

    def __init__(self, engine: AnyEngine, language: str, names: Sequence[str] | None = None) -> None:
        self.engine = engine
        self.names = names
        self.said: Json = messages(language)["terminal"]
        game = description(engine, language)
        self.title = game.title
        self.cards: Mapping[object, str] = {each.card: each.title for each in game.cards}
        self.moves = {each.name: each.title for each in game.names.moves}
        groups = (game.names.terms, game.names.zones, game.names.facts, game.names.phases, game.names.rulesets)
        self.words: Mapping[str, str] = {each.name: each.title for group in groups for each in group}
        self.language = language

    @cached_property
    def clauses(self) -> Mapping[str, str]:
        """What each clause says."""
        sections = seeds.rulebook(self.engine)["sections"]
        return {each["id"]: each["text"][self.language].strip() for part in sections for each in part["clauses"]}

    # --- a table -----------------------------------------------------------------

    def table(self, state: Json, to_act: Sequence[Seat] = (), viewer: Seat = None) -> RenderableType:
        """A table. `to_act`: whose turn it is; `viewer`: who looks at it, if it is a seat."""
        engine, body = body_of(LEGAL_MOVES, self.engine.game, {"state": state})
        seats = engine.seats_of(engine.complete(body.state))
        columns, lines, facts = dict[str, list[Text]](), list[Text](), [self.title, self._word(state["phase"])]
        for name, hint in get_type_hints(engine.state, include_extras=True).items():
            value, title = state.get(name), self._member(name)
            if value in (None, []) or name in ELSEWHERE or not title:
                continue
            if isinstance(value, int | str):
                facts.append(f"{title} {self.value(value).plain}")
            elif isinstance(value, dict):
                columns |= self._parts_by_seat(title, value, seats)
            elif len(value) == seats and self._is_by_seat(name, hint):
                columns |= (
                    {title: list(map(self.value, value))} if any(each not in (None, []) for each in value) else {}
                )
            elif name in engine.zones.names:
                lines.append(Text.assemble((f"{title}: ", "bold"), self.value(value)))
        drawn = Table(box=box.ROUNDED)
        drawn.add_column("")
        for title in columns:
            drawn.add_column(title, overflow="fold")
        for seat in range(seats):
            cells = [column[seat] for column in columns.values()]
            sitter = self._sitter(state, seat, acts=seat in to_act)
            drawn.add_row(sitter, *cells, style="bold" if seat == viewer else "")
        return Group(Text(" · ".join(facts), style="bold"), drawn, *lines)

    def _is_by_seat(self, name: str, hint: Any) -> bool:
        """Whether a list as long as the table has an entry for each seat; else it is a pile, or of seats."""
        return _depth(hint) > 1 if name in self.engine.zones.names else not _players(hint)

    def _parts_by_seat(self, title: str, value: Json, seats: int) -> dict[str, list[Text]]:
        """Of a record, such as the last trick, what there is of each seat."""
        lists = {part: told for part, told in value.items() if isinstance(told, list) and len(told) == seats}
        return {
            f"{title}: {self._member(part)}": list(map(self.value, told))
            for part, told in lists.items()
            if not any(isinstance(each, dict) for each in told)
        }

    def _sitter(self, state: Json, seat: int, *, acts: bool) -> Text:
        told = [self.seat(seat)]
        if state.get("teams"):
            told.append(self.said["team"].format(team=state["teams"][seat]))
        if state.get("dealer") == seat:
            told.append(self.said["dealer"])
        return Text.assemble(("▸ " if acts else "  ", "bold yellow"), ", ".join(told))

    def _member(self, name: str) -> str:
        """What a member of a state is called; nothing: it is not shown."""
        return str(self.words.get(name) or self.said["members"].get(name, name.replace("_", " ")))

    def _word(self, name: str) -> str:
        return self.words.get(name, name)

    # --- parts of it -------------------------------------------------------------

    def seat(self, seat: Seat) -> str:
        """Who sits there, or the table itself."""
        if seat is None:
            return str(self.said["the-table"])
        return self.names[seat] if self.names else str(self.said["seat"].format(seat=seat))

    def value(self, value: Any) -> Text:
        """Cards, lists of them, words or numbers."""
        if value in (None, []):
            return Text("–", style="dim")
        if isinstance(value, list):
            if any(isinstance(each, list | dict) for each in value):
                return Text("  |  ").join(map(self.value, value))
            return self._cards(value)
        if isinstance(value, dict):
            return Text(" ").join(map(self.value, value.values()))
        if isinstance(value, bool):
            return Text(messages(self.language)["yes" if value else "no"])
        return self._card(value)

    def _card(self, card: str | int) -> Text:
        inks = INKS.get(self.engine.game, {})
        ink = next((ink for pattern, ink in inks.items() if re.fullmatch(pattern, str(card))), "")
        return Text(self.cards.get(card) or self.words.get(str(card), str(card)), style=ink)

    def _cards(self, cards: Sequence[Any]) -> Text:
        parts: list[Text] = []
        for card, same in groupby(cards):
            count = len(list(same))
            if card is None:
                shown = [UNSEEN] * count if count <= ALIKE else [f"{UNSEEN}×{count}"]
                parts += [Text(each, style="dim") for each in shown]
            else:
                parts += [self._card(card)] * count
        if len(parts) > MOST:
            parts = [*parts[:MOST], Text(self.said["more"].format(count=len(parts) - MOST), style="dim")]
        return Text("  ").join(parts)

    def move(self, move: Json) -> Text:
        """What a move does, without who makes it."""
        told = [self.value(value) for name, value in move.items() if name not in ("type", "seat") and value is not None]
        return Text(" · ").join([Text(self.moves.get(move["type"]) or str(move["type"])), *told])

    def facts(self, facts: Json) -> Text:
        """What there is to know of a legal move."""
        told = [Text.assemble(f"{self._word(name)} ", self.value(value)) for name, value in facts.items()]
        return Text(", ", style="dim").join(told)

    def rulings(self, rulings: Iterable[Json], *, quoted: bool = False) -> Table:
        """Sentences with their clauses; `quoted`: with what each clause says."""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="cyan", no_wrap=True)
        grid.add_column()
        for ruling in rulings:
            grid.add_row(ruling["rule"], Text(ruling["text"]))
            if quoted:
                grid.add_row("", Text(f"“{self.clauses.get(ruling['rule'], '')}”", style="dim italic"))
        return grid

    def legal(self, moves: Sequence[Json], *, seats: bool = True) -> Table:
        """Legal moves with their numbers, from 1."""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(justify="right", style="bold")
        for number, each in enumerate(moves, 1):
            who = [self.seat(each["move"].get("seat"))] if seats else []
            grid.add_row(str(number), *who, self.move(each["move"]), self.facts(each["facts"]))
        return grid

    def standings(self, standings: Sequence[Json]) -> Table:
        """The ranking."""
        drawn = Table(box=box.SIMPLE)
        for name in ("", "score", "rank"):
            drawn.add_column(self.said["members"].get(name, ""), justify="right" if name else "left")
        for each in standings:
            side = self.seat(each["seat"]) if "seat" in each else self.said["team"].format(team=each["team"])
            drawn.add_row(side, str(each["score"]), str(each["rank"]))
        return drawn


def _plain(hint: Any) -> Iterator[Any]:
    """The types that a hint stands for, without what is said of them."""
    if get_origin(hint) is Annotated:
        yield from _plain(hint.__origin__)
    elif get_origin(hint) in (Union, UnionType):
        for each in get_args(hint):
            yield from _plain(each)
    else:
        yield hint


def _depth(hint: Any) -> int:
    """How many lists lie around what a member holds."""
    return max(1 + _depth(get_args(each)[0]) if get_origin(each) is tuple else 0 for each in _plain(hint))


def _players(hint: Any) -> bool:
    """Whether a member holds seats."""
    return any(isinstance(each, Player) for each in getattr(hint, "__metadata__", ())) or any(
        map(_players, get_args(hint))
    )
