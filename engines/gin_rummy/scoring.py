"""What a hand and a game pay (GR-7, GR-8.2), from deadwood alone. Each line of a score names its clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engines.core.rulings import Event, Happens
from engines.gin_rummy import rulings
from engines.gin_rummy.model import Kind, Ruleset


class Sum(NamedTuple):
    """How points come about: as the difference of `more` and `less` deadwood, or of `hands` won at `each` points."""

    more: int | None = None
    less: int | None = None
    hands: int | None = None
    each: int | None = None


class Line(NamedTuple):
    """One reason for points. `instead`: the ruling that is contested where an option makes them 0."""

    ruling: Happens
    seat: int
    item: str
    points: int
    instead: Happens | None = None
    sum: Sum | None = None

    def events(self) -> list[Event]:
        """The event of the points; without points the one of `instead`, if there is one."""
        if self.points:
            terms = (self.sum or Sum())._asdict()
            return [self.ruling.happened(seat=self.seat, item=self.item, points=self.points, **terms)]
        return [self.instead.happened()] if self.instead else []


class Settled(NamedTuple):
    """What a hand came to."""

    kind: Kind
    winner: int | None
    lines: list[Line]
    over: Happens  #: The ruling that ends the hand.

    @property
    def points(self) -> int:
        """What the winner gets."""
        return sum([line.points for line in self.lines])

    @property
    def terms(self) -> Mapping[str, int | None]:
        """The parameters that say how these points add up, each None where it adds nothing; with one term all None."""
        points = {line.item: line.points for line in self.lines}
        difference, spades = points.pop("difference", 0), points.pop("spades", 0)
        bonus = sum(points.values())
        has_several = bonus or spades
        return {"difference": difference if has_several else None, "bonus": bonus or None, "spades": spades or None}


def of_knock(ruleset: Ruleset, knocker: int, own: int, defender: int) -> Settled:
    """GR-7.1 to GR-7.3: a knock, by the deadwood of both, the defender's after laying off."""
    other = 1 - knocker
    if own < defender:
        lines = [Line(rulings.DIFFERENCE, knocker, "difference", defender - own, sum=Sum(defender, own))]
        return Settled("knock", knocker, lines, rulings.WON_BY_KNOCK)
    if own == defender and ruleset.equal_deadwood == "nobody":
        return Settled("equal", None, [], rulings.EQUAL)
    lines = [
        Line(rulings.UNDERCUT_DIFFERENCE, other, "difference", own - defender, sum=Sum(own, defender)),
        Line(rulings.UNDERCUT_BONUS, other, "undercut-bonus", ruleset.undercut_bonus, rulings.NO_UNDERCUT_BONUS),
    ]
    return Settled("undercut", other, lines, rulings.EQUAL if own == defender else rulings.WON_BY_UNDERCUT)


def of_gin(ruleset: Ruleset, seat: int, deadwood: int) -> Settled:
    """GR-7.4: the seat that goes gin gets a bonus and the other hand's deadwood."""
    lines = [
        Line(rulings.GIN_BONUS, seat, "gin-bonus", ruleset.gin_bonus, rulings.NO_GIN_BONUS),
        Line(rulings.GIN_DIFFERENCE, seat, "difference", deadwood),
    ]
    return Settled("gin", seat, lines, rulings.WON_BY_GIN)


def of_big_gin(ruleset: Ruleset, seat: int, deadwood: int) -> Settled:
    """GR-7.5: the seat that goes big gin gets its bonus and the other hand's deadwood."""
    lines = [
        Line(rulings.BIG_GIN_BONUS, seat, "big-gin-bonus", ruleset.big_gin),
        Line(rulings.BIG_GIN_DIFFERENCE, seat, "difference", deadwood),
    ]
    return Settled("big-gin", seat, lines, rulings.WON_BY_BIG_GIN)


def with_spades(ruleset: Ruleset, upcard: str | None, settled: Settled) -> Settled:
    """GR-5.3: in Oklahoma, where `oklahoma_spades` is `double`, an upcard of spades doubles all points of the hand.

    An upcard that is not seen may be a spade, so the option may have decided; where it is `double`, it must be seen.
    """
    may_be_spade = upcard is None or upcard[1] == "S"
    if not ruleset.oklahoma or not may_be_spade or settled.winner is None or not settled.points:
        return settled
    extra = settled.points if ruleset.oklahoma_spades == "double" else 0
    spades = Line(rulings.SPADES, settled.winner, "spades", extra, rulings.NO_SPADES)
    return settled._replace(lines=[*settled.lines, spades])


def of_game(ruleset: Ruleset, scores: tuple[int, int], hands_won: tuple[int, int]) -> list[Line]:
    """GR-8.2: what a finished game adds to the points of its hands. The seat with more of them has won (GR-8.1)."""
    winner = 0 if scores[0] >= scores[1] else 1
    loser = 1 - winner
    shut_out = not hands_won[loser] and not scores[loser]  # a loser with points has won a hand, even if not counted
    extra = {"none": 0, "double": scores[winner], "plus-100": 100}[ruleset.shutout]
    each = ruleset.line_bonus
    lines = [
        Line(rulings.LINE_BONUS, seat, "line-bonus", each * won, rulings.NO_LINE_BONUS, Sum(hands=won, each=each))
        for seat, won in enumerate(hands_won)
        if won
    ]
    lines.append(Line(rulings.GAME_BONUS, winner, "game-bonus", ruleset.game_bonus, rulings.NO_GAME_BONUS))
    if shut_out:
        lines.append(Line(rulings.SHUTOUT, winner, "shutout", extra, rulings.NO_SHUTOUT))
    return lines


def totals(scores: tuple[int, int], bonuses: Sequence[Line]) -> tuple[int, int]:
    """GR-8.2: what each seat of a finished game has. `bonuses`: the lines that `of_game` adds."""
    extra = [0, 0]
    for line in bonuses:
        extra[line.seat] += line.points
    return scores[0] + extra[0], scores[1] + extra[1]
