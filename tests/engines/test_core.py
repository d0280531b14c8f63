"""Mechanics that no single game shows: the registry, numbers from a stream, the deal."""

from dataclasses import dataclass
from importlib.metadata import EntryPoint

import pytest

import engines
from engines.core.dealing import Deal, dealing, deck_is_the_pack
from engines.core.rulings import forbids, refutes
from engines.core.shuffle import below
from engines.twins import ENGINE
from engines.twins.model import State


def test_two_games_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    again = EntryPoint("twins", "engines.twins:ENGINE", engines.GROUP)
    monkeypatch.setattr(engines, "entry_points", lambda group: [again])
    with pytest.raises(ValueError, match="two engines claim the game 'twins'"):
        engines.registry.__wrapped__()


def test_a_number_below_ten_is_drawn_without_the_words_beyond_the_last_multiple_of_ten() -> None:
    """A word has 32 bits. Without this, the numbers 0 to 5 would come more often than 6 to 9."""
    limit = (1 << 32) - (1 << 32) % 10
    assert below(10, iter([limit, limit + 3, 27])) == 7
    assert below(10, iter([limit - 1])) == 9


def test_a_table_without_hands_looks_the_same_to_everyone() -> None:
    state = ENGINE.complete(State(phase="trick", trick=1, chips=(12, 12, 12), pot=0))
    assert ENGINE.view(state, 0) == ENGINE.view(state, None) == state


NOT_A_DECK = forbids("XX-1.1", "not-a-deck", card=int)
NOT_THE_PACK = refutes("XX-1.1", "not-the-pack", card=int)
FAULTS_OF_DECKS = {
    (1, 2, 3): [],
    (1, 1, 2): [("/deck/1", 1)],
    (1, 2, 4): [("/deck/2", 4), ("/deck", 3)],
    (2, 3): [("/deck", 1)],
}
"""Decks of a game with the cards 1 to 3; what is wrong with each, by pointer."""


@dataclass(frozen=True)
class Table:
    """All that a deal reads of a table."""

    seats: int
    phase: str = "hand-over"
    deck: tuple[int, ...] | None = None


def deck_as_large_as_the_table(table: Table) -> range:
    """A deck that depends on the table: as many cards as seats, from 1."""
    return range(1, table.seats + 1)


@pytest.mark.parametrize("deck", FAULTS_OF_DECKS)
def test_a_deck_that_depends_on_the_table_has_each_of_its_cards_once(deck: tuple[int, ...]) -> None:
    row = dealing(Deal, deck_as_large_as_the_table, lambda state, cards: (cards, []), refused={}, not_a_deck=NOT_A_DECK)
    (deck_is_whole,) = row.tiers[1]  # the first tier checks the phase
    violations = deck_is_whole(Table(3), Deal(deck=deck))
    assert [(each.pointer, each.params["card"]) for each in violations] == FAULTS_OF_DECKS[deck]  # type: ignore[union-attr]
    assert row.effect(Table(3), Deal()) == ((None, None, None), [])


@pytest.mark.parametrize("deck", [deck for deck in FAULTS_OF_DECKS if len(set(deck)) == len(deck)])
def test_a_setup_whose_deck_depends_on_it_has_the_cards_of_the_game(deck: tuple[int, ...]) -> None:
    audit_deck = deck_is_the_pack(deck_as_large_as_the_table, NOT_THE_PACK)
    faults = audit_deck(Table(3, deck=deck)) or ()
    assert [(each.pointers[0], each.params["card"]) for each in faults] == FAULTS_OF_DECKS[deck]
    assert audit_deck(Table(3)) is None
