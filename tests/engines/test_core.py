"""Mechanics that no single game shows: the registry, numbers from a stream, copies of records."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

import engines
from engines.core.dealing import dealt_out
from engines.core.records import changed
from engines.core.shuffle import below
from engines.twins import ENGINE
from engines.twins.model import State


def test_two_games_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    again = EntryPoint("twins", "engines.twins:ENGINE", engines.GROUP)
    monkeypatch.setattr(engines, "entry_points", lambda group: [again])
    with pytest.raises(ValueError, match="two engines claim the game 'twins'"):
        engines.registry.__wrapped__()


def test_words_beyond_the_last_whole_multiple_are_skipped() -> None:
    limit = (1 << 32) - (1 << 32) % 10
    assert below(10, iter([limit, limit + 3, 27])) == 7
    assert below(10, iter([limit - 1])) == 9


def test_a_copy_leaves_the_record_as_it_was() -> None:
    state = State(phase="trick", trick=1, chips=(12, 12, 12), pot=0)
    assert changed(state, pot=3) == State(phase="trick", trick=1, chips=(12, 12, 12), pot=3)
    assert state.pot == 0


def test_a_table_without_hands_looks_the_same_to_everyone() -> None:
    state = ENGINE.complete(State(phase="trick", trick=1, chips=(12, 12, 12), pot=0))
    assert ENGINE.view(state, 0) == ENGINE.view(state, None) == state


def test_cards_are_dealt_one_at_a_time_from_the_dealers_left() -> None:
    assert dealt_out("abcdefgh", 3, 0, each=2) == ((("c", "f"), ("a", "d"), ("b", "e")), ("g", "h"))


def test_without_a_number_all_cards_are_dealt_and_without_a_dealer_to_seat_0_first() -> None:
    assert dealt_out("abcde", 2, None) == ((("a", "c", "e"), ("b", "d")), ())
