"""The table, the moves and the rulings of any game as text for a terminal.

Everything is drawn from the JSON. The types of the state say which lists have an entry for each seat; the words are
those of the game's messages, and of `terminal` in the service's own messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias, get_origin, get_type_hints

from rich import box
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from engines.core.shape import Player, inside
from service.contract.calls import body_of
from service.contract.of_game import AnyEngine
from service.judging.calls import LEGAL_MOVES
from service.judging.games import description, rulebook
from service.web.phrases import messages
from service.web.strict_json import Json

COLOURS = (
    ("[2-9TJQKA][HD]", "red"), ("brown-.*", "color(137)"), ("green-.*", "green"), ("pink-.*", "color(205)"),
    ("blue-.*", "color(75)"), ("yellow-.*", "yellow"), ("purple-.*", "color(141)"),
)  # fmt: skip
"""Colours of cards, by their names in JSON. They only repeat what the words say."""
UNSEEN = "▒"
UNSEEN_ONE_BY_ONE = 3  #: Up to so many unseen cards are drawn one by one; more are counted.
CARDS = 16  #: Up to so many cards of a list are drawn; the rest is counted.
ELSEWHERE = {"phase", "ruleset", "turn", "dealer", "teams"}
"""Members of a state that are drawn in the title or beside the seats, or not at all."""
Seat: TypeAlias = int | None


class Drawing:
    """Draws one game in one language. `names`: the players' names, by seat."""

    def __init__(self, engine: AnyEngine, language: str, names: Sequence[str] | None = None) -> None:
        game = description(engine, language)
        groups = (game.names.terms, game.names.zones, game.names.facts, game.names.phases, game.names.rulesets)
        self.engine = engine
        self.names = names
        self.said: Json = messages(language)["terminal"]
        self.title = game.title
        self.cards: Mapping[object, str] = {each.card: each.title for each in game.cards}
        self.moves = {each.name: each.title for each in game.names.moves}
        self.words: Mapping[str, str] = {each.name: each.title for group in groups for each in group}
        self.yes_and_no = {True: messages(language)["yes"], False: messages(language)["no"]}
        self.clauses = {each.id: each.text for each in rulebook(engine, language).clauses}

    # --- a table -----------------------------------------------------------------

    def table(self, state: Json, to_act: Sequence[Seat] = (), viewer: Seat = None) -> RenderableType:
        """A table. `to_act`: the seats whose turn it is; `viewer`: the seat that looks at it, if any."""
        engine, body = body_of(LEGAL_MOVES, self.engine.game, {"state": state})
        seats = engine.seats_of(engine.complete(body.state))
        columns, lines = dict[str, list[Text]](), list[Text]()
        facts = [self.title, self._word(state["phase"])]
        for name, hint in get_type_hints(engine.state, include_extras=True).items():
            value, title = state.get(name), self._member(name)
            if value in (None, []) or name in ELSEWHERE or not title:
                continue
            if isinstance(value, int | str):
                facts.append(f"{title} {self.value(value).plain}")
            elif isinstance(value, dict):
                columns |= {f"{title}: {self._member(part)}": drawn for part, drawn in self._parts(value, seats)}
            elif len(value) == seats and self._is_by_seat(name, hint):
                if any(each not in (None, []) for each in value):
                    columns[title] = list(map(self.value, value))
            elif name in engine.zones.names:
                lines.append(Text.assemble((f"{title}: ", "bold"), self.value(value)))
        drawn = Table("", *(Column(title, overflow="fold") for title in columns), box=box.ROUNDED)
        for seat in range(seats):
            cells = [column[seat] for column in columns.values()]
            drawn.add_row(self._player(state, seat, to_act), *cells, style="bold" if seat == viewer else "")
        return Group(Text(" · ".join(facts), style="bold"), drawn, *lines)

    def _is_by_seat(self, name: str, hint: Any) -> bool:
        """Whether a list of the right length has an entry for each seat. Else it is a pile, or a list of seats."""
        if name in self.engine.zones.names:
            return sum(get_origin(each) is tuple for each in inside(hint)) > 1
        return not any(isinstance(each, Player) for each in inside(hint))

    def _parts(self, record: Json, seats: int) -> Iterator[tuple[str, list[Text]]]:
        """The members of a record, such as the last trick, that have an entry for each seat."""
        for part, value in record.items():
            if isinstance(value, list) and len(value) == seats and not any(isinstance(each, dict) for each in value):
                yield part, list(map(self.value, value))

    def _player(self, state: Json, seat: int, to_act: Sequence[Seat]) -> Text:
        words = [self.seat(seat)]
        if state.get("teams"):
            words.append(self.said["team"].format(team=state["teams"][seat]))
        if state.get("dealer") == seat:
            words.append(self.said["dealer"])
        return Text.assemble(("▸ " if seat in to_act else "  ", "bold yellow"), ", ".join(words))

    def _member(self, name: str) -> str:
        """The title of a member of a state; empty if it is not drawn."""
        members = self.said["members"]
        own = members.get(f"{self.engine.game}/{name}")
        return str(self.words.get(name) or own or members.get(name, name.replace("_", " ")))

    def _word(self, name: str) -> str:
        return self.words.get(name, name)

    # --- its parts ---------------------------------------------------------------

    def seat(self, seat: Seat) -> str:
        """The name of a seat, or of the table itself (None)."""
        if seat is None:
            return str(self.said["the-table"])
        return self.names[seat] if self.names else str(self.said["seat"].format(seat=seat))

    def value(self, value: Any) -> Text:
        """Cards, lists of cards, words or numbers as text."""
        if value in (None, []):
            return Text("–", style="dim")
        if isinstance(value, list):
            if any(isinstance(each, list | dict) for each in value):
                return Text("  |  ").join(map(self.value, value))
            return self._cards(value)
        if isinstance(value, dict):
            return Text(" ").join(map(self.value, value.values()))
        return Text(self.yes_and_no[value]) if isinstance(value, bool) else self._card(value)

    def _card(self, card: str | int) -> Text:
        colour = next((colour for pattern, colour in COLOURS if re.fullmatch(pattern, str(card))), "")
        return Text(str(self.cards.get(card) or self._word(str(card))), style=colour)

    def _cards(self, cards: Sequence[Any]) -> Text:
        parts: list[Text] = []
        for card, same in groupby(cards):
            count = len(list(same))
            if card is not None:
                parts += [self._card(card)] * count
            elif count <= UNSEEN_ONE_BY_ONE:
                parts += [Text(UNSEEN, style="dim")] * count
            else:
                parts.append(Text(f"{UNSEEN}×{count}", style="dim"))
        if len(parts) > CARDS:
            parts[CARDS:] = [Text(self.said["more"].format(count=len(parts) - CARDS), style="dim")]
        return Text("  ").join(parts)

    def move(self, move: Json) -> Text:
        """What a move does, without the seat that makes it."""
        values = [value for name, value in move.items() if name not in ("type", "seat") and value is not None]
        name = Text(self.moves.get(move["type"]) or str(move["type"]))
        return Text(" · ").join([name, *map(self.value, values)])

    def rulings(self, rulings: Iterable[Json], *, quoted: bool = False) -> Table:
        """The sentences of rulings with their clauses; `quoted`: with the text of each clause."""
        grid = Table.grid(Column(style="cyan", no_wrap=True), Column(), padding=(0, 2))
        for ruling in rulings:
            grid.add_row(ruling["rule"], Text(ruling["text"]))
            if quoted:
                grid.add_row("", Text(f"“{self.clauses.get(ruling['rule'], '')}”", style="dim italic"))
        return grid

    def legal(self, moves: Sequence[Json], *, seats: bool = True) -> Table:
        """Legal moves with their facts, numbered from 1; `seats`: with the seat of each."""
        grid = Table.grid(Column(justify="right", style="bold"), padding=(0, 2))
        for number, each in enumerate(moves, 1):
            facts = [Text.assemble(f"{self._word(name)} ", self.value(value)) for name, value in each["facts"].items()]
            seat = [self.seat(each["move"].get("seat"))] if seats else []
            grid.add_row(str(number), *seat, self.move(each["move"]), Text(", ", style="dim").join(facts))
        return grid

    def standings(self, standings: Sequence[Json]) -> Table:
        """The ranking."""
        numbers = [Column(self.said["members"][name], justify="right") for name in ("score", "rank")]
        drawn = Table("", *numbers, box=box.SIMPLE)
        for each in standings:
            side = self.seat(each["seat"]) if "seat" in each else self.said["team"].format(team=each["team"])
            drawn.add_row(side, str(each["score"]), str(each["rank"]))
        return drawn
