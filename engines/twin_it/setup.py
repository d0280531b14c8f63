"""The first state of a game, from a deck in order (index 0 is the top), and what a setup can have wrong."""

from __future__ import annotations

from engines.core.dealing import dealt_out
from engines.core.engine import Audit
from engines.core.rulings import Fault
from engines.core.seats import seats_at_the_table
from engines.core.sides import opposite
from engines.core.zones import Zones
from engines.twin_it import rulings
from engines.twin_it.audit import MOST_BESIDE, card_faults, forbidden_faults, players_fit, too_often, wrong_team_faults
from engines.twin_it.designs import NAMES, NUMBER
from engines.twin_it.model import Setup, State
from engines.twin_it.table import COUNTING_RULESETS, complete, entry_counts, next_with_cards

DECK = Zones(Setup, "deck", "forbidden", card_of=NUMBER.get)  #: TI-1.1: what is dealt, and what lies beside the piles.


def cards(setup: Setup) -> tuple[tuple[str, str], ...]:
    """TI-1.1: every card as its sides A and B, without those beside the piles."""
    beside = {NUMBER[card] for each in setup.forbidden for card in each}
    return tuple(names for number, names in enumerate(NAMES[: len(setup.designs)]) if number not in beside)


def opening(setup: Setup) -> State:
    """TI-1.2, TI-1.4: dealt out from the dealer's left, or spread on the table; seat 0 begins, or the seat named."""
    assert setup.deck is not None
    name, seats = setup.ruleset.name, setup.seats
    spread = name in COUNTING_RULESETS
    piles, _rest = dealt_out(() if spread else setup.deck, seats, setup.dealer)
    return complete(
        State(
            phase="play",
            piles=piles,
            table=setup.deck if spread else (),
            ruleset=setup.ruleset,
            turn=None if spread else next_with_cards(piles, setup.first or 0),
            designs=setup.designs,
            teams=_teams(setup),
            forbidden=setup.forbidden,
        )
    )


def _teams(setup: Setup) -> tuple[int, ...] | None:
    """The teams of the setup; in team play without any, neighbours are opponents."""
    if setup.ruleset.name == "team" and setup.teams is None:
        return opposite(setup.seats)
    return setup.teams


def designs_occur_three_times_at_most(setup: Setup) -> list[Fault] | None:
    """TI-1.1."""
    return too_often(setup.designs)


def deck_is_whole(setup: Setup) -> list[Fault]:
    """TI-1.1: every card once, in the deck or beside a pile."""
    faults = card_faults(DECK, setup, DECK.lying(setup), len(setup.designs))
    if setup.deck is not None:
        shown = DECK.seen(setup)
        faults += [
            rulings.CARD_MISSING.found("/deck", "/designs", number=number)
            for number in range(len(setup.designs))
            if number not in shown
        ]
    return faults


def something_is_dealt(setup: Setup) -> Fault | None:
    """TI-1.2."""
    return None if cards(setup) else rulings.NOTHING_TO_DEAL.found("/designs", "/forbidden")


def players_fit_the_ruleset(setup: Setup) -> list[Fault]:
    """TI-1.3."""
    return players_fit(setup.ruleset, setup.seats, _teams(setup), "/seats")


def nobody_begins(setup: Setup) -> Fault | None:
    """TI-1.4: nobody has the turn where cards are counted."""
    name = setup.ruleset.name
    if name not in COUNTING_RULESETS or setup.first is None:
        return None
    return rulings.NOBODY_BEGINS.found("/first", "/ruleset", ruleset=name)


def forbidden_cards_have_one_entry_a_side(setup: Setup) -> Fault | None:
    """TI-1.3."""
    sides, _entries_of_counts = entry_counts(setup.ruleset.name, setup.seats)
    if len(setup.forbidden) in (0, sides):
        return None
    return rulings.ENTRIES_DISAGREE.found("/forbidden", "/seats", due=sides, found=len(setup.forbidden))


def forbidden_designs_differ(setup: Setup) -> list[Fault] | None:
    """TI-7.1."""
    return forbidden_faults(setup.designs, setup.forbidden)


def forbidden_cards_are_three_or_none(setup: Setup) -> list[Fault] | None:
    """TI-7.1: a deal gives three; a table may have fewer later, since cards are freed."""
    if setup.ruleset.name in COUNTING_RULESETS:  # no card at all is right there
        return None
    return [
        rulings.TOO_FEW_FORBIDDEN.found(f"/forbidden/{side}", side=side, count=len(cards))
        for side, cards in enumerate(setup.forbidden)
        if 0 < len(cards) < MOST_BESIDE
    ] or None


def forbidden_cards_are_the_larger_teams(setup: Setup) -> list[Fault] | None:
    """TI-8.4."""
    return wrong_team_faults(setup.ruleset, _teams(setup), setup.forbidden)


def forbidden_cards_belong_to_the_ruleset(setup: Setup) -> Fault | None:
    """TI-9.3."""
    name = setup.ruleset.name
    if name not in COUNTING_RULESETS or not any(setup.forbidden):
        return None
    return rulings.ZONE_UNFIT.found("/forbidden", "/ruleset", ruleset=name)


SETUP_AUDITS: tuple[Audit, ...] = (
    designs_occur_three_times_at_most,
    deck_is_whole,
    something_is_dealt,
    players_fit_the_ruleset,
    seats_at_the_table(rulings.NO_SUCH_SEAT, "seats", "first"),
    nobody_begins,
    forbidden_cards_have_one_entry_a_side,
    forbidden_designs_differ,
    forbidden_cards_are_three_or_none,
    forbidden_cards_are_the_larger_teams,
    forbidden_cards_belong_to_the_ruleset,
)
