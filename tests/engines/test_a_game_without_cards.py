"""Secrets beyond cards in hands: a game of dice, bids made at once and a hidden prize, without a deck."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest

from engines.core import (
    Candidates,
    Engine,
    Length,
    Move,
    Result,
    Step,
    Unknown,
    Whole,
    Zones,
    changed,
    forbids,
    happens,
    only_own,
    ranked,
    refused_in,
    replaced,
)  # fmt: skip
from engines.core.shape import Drawn, Null, Text
from engines.core.shuffle import below, words
from service import seeds
from service.judging.referee import Referee
from tests import secrecy
from tests.engines.games import random_game

Number = Annotated[int, Whole(1, 6)]
CardOrUnknown = Annotated[Number | None, Unknown()]
Seat = Annotated[int, Whole(0, 1)]


@dataclass(frozen=True)
class Die:
    """A die under a cup; everybody knows its colour."""

    face: Literal["red", "blue"]
    eyes: CardOrUnknown = None


@dataclass(frozen=True)
class Ruleset:
    """No options."""

    name: Literal["standard"] = "standard"


@dataclass(frozen=True)
class State:
    """A table."""

    phase: Literal["roll", "bid", "game-over"]
    dice: Annotated[tuple[Annotated[tuple[Die, ...], Length(2, 2)], ...], Length(2, 2)]
    bids: Annotated[tuple[Annotated[tuple[CardOrUnknown, ...], Length(0, 1)], ...], Length(2, 2)] = ((), ())
    prize: Annotated[Number | None, Unknown()] = None
    keeper: Annotated[Seat | None, Null()] = 0
    pile: Annotated[tuple[CardOrUnknown, ...], Length(0, 3)] = (1, 2, 3)
    ruleset: Ruleset = Ruleset()


@dataclass(frozen=True)
class Roll:
    """The table rolls; what comes is drawn from the seed."""

    type: ClassVar[str] = "roll"

    seat: Annotated[None, Null()] = None
    seed: Annotated[str, Text(1, 200, None), Drawn()] | None = None


@dataclass(frozen=True)
class Bid:
    """Bid in secret, at the same time as the other."""

    type: ClassVar[str] = "bid"

    seat: Seat
    eyes: Number


@dataclass(frozen=True)
class Setup:
    """Two play, without a deck."""

    seats: Annotated[int, Whole(2, 2)]
    ruleset: Ruleset = Ruleset()


NOT_NOW = forbids("DB-1.1", "not-now")
HAS_BID = forbids("DB-1.2", "has-bid", seat=Seat)
ROLLED = happens("DB-1.1", "rolled")
BADE = happens("DB-1.2", "bade", seat=Seat, eyes=CardOrUnknown)
CUPS = ((Die("red"), Die("blue")), (Die("red"), Die("blue")))


def roll(state: State, move: Roll) -> Step:
    """DB-1.1."""
    stream = words(move.seed or "none")
    dice = tuple(tuple(changed(die, eyes=1 + below(6, stream)) for die in cup) for cup in state.dice)
    return changed(state, phase="bid", dice=dice, prize=1 + below(6, stream)), [ROLLED.happened()]


def bid(state: State, move: Bid) -> Step:
    """DB-1.2."""
    bids = replaced(state.bids, move.seat, (move.eyes,))
    phase = "game-over" if all(bids) else "bid"
    return changed(state, phase=phase, bids=bids), [BADE.happened(seat=move.seat, eyes=move.eyes)]


def nobody_bids_twice(state: State, move: Bid) -> Any:
    """DB-1.2."""
    return None if not state.bids[move.seat] else HAS_BID.violated("/seat", seat=move.seat)


def view(state: State, seat: int | None) -> State:
    """Own dice and bids; the prize is the keeper's; of the pile all see the bottom; of a die its colour."""
    if state.phase == "game-over":
        return changed(state, pile=(None, None, state.pile[-1]))
    dice = tuple(
        cup if owner == seat else tuple(changed(die, eyes=None) for die in cup) for owner, cup in enumerate(state.dice)
    )
    bids = only_own(state.bids, seat)
    prize = state.prize if seat == state.keeper else None
    return changed(state, dice=dice, bids=bids, prize=prize, pile=(None, None, state.pile[-1]))


ROLL = Move(Roll, ((refused_in({"bid": NOT_NOW, "game-over": NOT_NOW}),),), roll, deals=True)
BID = Move(Bid, ((refused_in({"roll": NOT_NOW, "game-over": NOT_NOW}),), (nobody_bids_twice,)), bid)
ENGINE: Engine[State] = Engine(
    game="dice-and-bids",
    rulesets={"standard": Ruleset()},
    state=State,
    setup=Setup,
    rulings=(NOT_NOW, HAS_BID, ROLLED, BADE),
    zones=Zones(State, others=("dice", "bids", "prize", "pile")),
    moves=(ROLL, BID),
    audits=(),
    seats_of=lambda state: 2,
    opening=lambda setup: State("roll", CUPS),
    to_act=lambda state: {
        "roll": (None,), "bid": tuple(seat for seat in (0, 1) if not state.bids[seat]), "game-over": (),
    }[state.phase],
    candidates=lambda state, seat: Candidates([Bid(seat, eyes) for eyes in range(1, 7)]),
    standings=lambda state: ranked((0, 0)),
    result=lambda state: Result("DB-1.2", winners=(0, 1)) if state.phase == "game-over" else None,
    view=view,
    view_event=lambda state, event, seat: (
        event
        if event.ruling is not BADE or event.params["seat"] == seat or state.phase == "game-over"
        else event._replace(params={**event.params, "eyes": None})
    ),
    view_move=lambda state, move, seat: (
        changed(move, eyes=None) if isinstance(move, Bid) and move.seat != seat and state.phase == "bid" else move
    ),
)  # fmt: skip
SECRETS = """game: dice-and-bids
zones:
  dice: {seen_by: owner, face: all, opens: [{phase: [game-over]}]}
  bids: {seen_by: owner, opens: [{phase: [game-over]}]}
  prize: {seen_by: owner, owner: keeper, opens: [{phase: [game-over]}]}
  pile: {seen_by: nobody, bottom: all}
moves:
  bid: {eyes: {seen_by: owner, opens: [{state.phase: [game-over]}]}}
events:
  bade: {eyes: {seen_by: owner, opens: [{state.phase: [game-over]}]}}
"""


@pytest.fixture
def write_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that writes the game's file of secrets."""
    monkeypatch.setattr(seeds, "folder", lambda engine: tmp_path)

    def write(text: str) -> None:
        (tmp_path / "secrets.yaml").write_text(text, encoding="utf-8")
        secrecy.secrets.cache_clear()

    return write


def test_a_game_without_a_deck_is_played_by_the_laws(write_secrets: Callable[[str], None]) -> None:
    write_secrets(SECRETS)
    for seed in range(6):
        turns = list(random_game(ENGINE, random.Random(seed), checked=True))
        assert [turn.move.type for turn in turns] == ["roll", "bid", "bid"]


@pytest.mark.parametrize(
    ("text", "replacement", "fault"),
    [
        ("face: all, ", "", "is shown 'dice/0/0/face'"),
        ("bottom: all", "top: all", "is shown 'pile/2'"),
        ("owner: keeper, ", "", "is shown 'prize'"),
        ("bids: {seen_by: owner", "bids: {seen_by: nobody", "is shown 'bids/0/0'"),
    ],
)
def test_a_view_that_shows_more_than_the_file_says_is_reported(
    write_secrets: Callable[[str], None], text: str, replacement: str, fault: str
) -> None:
    assert text in SECRETS
    write_secrets(SECRETS.replace(text, replacement))
    faults = list(secrecy.faults_of_view(ENGINE, State("bid", CUPS, ((3,), ()), 4)))
    assert any(fault in each for each in faults), faults


def test_a_view_that_leaves_something_out_is_reported(write_secrets: Callable[[str], None]) -> None:
    """Others may see how many dice lie under a cup, because only the eyes of a die are secret."""
    write_secrets(SECRETS.replace("face: all, ", ""))
    blind = changed(ENGINE, view=lambda state, seat: changed(view(state, seat), dice=((), ())))
    assert "cannot count 'dice/0/0/" in "".join(secrecy.faults_of_view(blind, State("bid", CUPS, ((3,), ()), 4)))


def test_a_zone_that_the_file_does_not_name_is_reported(write_secrets: Callable[[str], None]) -> None:
    write_secrets(SECRETS.replace("  prize:", "  # prize:"))
    with pytest.raises(seeds.FaultySeeds, match="does not say who sees the zone 'prize'"):
        secrecy.secrets(ENGINE)


def test_a_deal_without_a_deck_gives_the_opening() -> None:
    referee = Referee(ENGINE, "en")
    assert referee.opening(Setup(2), "a seed") == State("roll", CUPS)  # type: ignore[arg-type]
