"""What follows from a game's zones, declared once. Cards shown twice, and too many of them, are held by vectors."""

from dataclasses import dataclass

import pytest

from engines.core.zones import Zones


@dataclass(frozen=True)
class Table:
    """A zone of every depth; the cards are 0 to 5."""

    pile: tuple[int | None, ...] | None = None
    hands: tuple[tuple[int | None, ...] | None, ...] = ()
    sets: tuple[tuple[tuple[int, ...], ...], ...] = ()
    led: int | None = None
    from_: tuple[int, ...] = ()


ZONES = Zones(Table, "hands", "sets", "led", "pile", "from_", deck=range(6))


def test_lying_lists_every_card_of_every_zone_and_seen_only_the_visible_ones() -> None:
    table = Table(pile=(5, None), hands=((1, None), None), sets=(((2, 3),), ()), led=0, from_=(4,))
    assert sorted(ZONES.lying(table), key=str) == [0, 1, 2, 3, 4, 5, None, None]
    assert ZONES.seen(table) == {0, 1, 2, 3, 4, 5}


def test_places_lists_the_pointer_of_each_visible_card_zone_after_zone() -> None:
    table = Table(pile=(5, None), hands=(None, (None, 1)), sets=(((2, 3),), ()), led=0, from_=(4,))
    assert list(ZONES.places(table)) == [
        ("/hands/1/1", 1), ("/sets/0/0/0", 2), ("/sets/0/0/1", 3), ("/led", 0), ("/pile/0", 5), ("/from/0", 4),
    ]  # fmt: skip


def test_the_pointer_pattern_of_a_zone_says_what_each_index_counts() -> None:
    assert Zones(Table, "hands", "sets", "led", "pile", "from_", by={"sets": "side"}).pointers == {
        "hands": "/hands/{seat}/{place}",
        "sets": "/sets/{side}/{group}/{place}",
        "led": "/led",
        "pile": "/pile/{place}",
        "from_": "/from/{place}",
    }


@pytest.mark.parametrize("zones", [("led",), ("hands",), ("pile",), ("sets",)])
def test_a_single_zone_is_read_at_any_depth(zones: tuple[str, ...]) -> None:
    table = Table(pile=(7,), hands=((7,),), sets=(((7,),),), led=7)
    assert Zones(Table, *zones).lying(table) == [7]
    assert Zones(Table, *zones).lying(Table()) == []


def test_a_zone_that_is_no_field_is_named() -> None:
    with pytest.raises(ValueError, match=r"\.Table has no field 'stock' that could be a zone$"):
        Zones(Table, "pile", "stock")


def test_a_count_includes_unseen_cards_and_the_zones_that_are_only_counted() -> None:
    table = Table(hands=((1, None), None), sets=(), led=3, pile=(4,))
    assert Zones(Table, "hands", "led").count(table) == 3
    assert Zones(Table, "hands", counted=("pile",)).count(table) == 3
