"""Every fault of a posted table, alone and all together."""

from typing import Any

import pytest

from engines.core.judge import audit
from engines.core.records import changed
from engines.twin_it import ENGINE
from engines.twin_it.model import RULESETS, State
from tests.engines.twin_it.tables import DECK, MOONS, SUNS, TREES, faults, match, minute, table, three

TWO_TO_WIN = changed(RULESETS["competitive"], sets_to_win=2)


def fits_not(zone: str, ruleset: str) -> tuple[str, str, tuple[str, ...], dict[str, str]]:
    return "TI-9.3", "zone-unfit", (f"/{zone}", "/ruleset"), {"ruleset": ruleset}


@pytest.mark.parametrize(
    "state",
    [
        table(),
        table(table=("0B",), sets=((SUNS[1:],), ()), forbidden=(("3A", "5A", "8A"), ())),
        table(turn=None),
        table(piles=((None, "3A", None), ())),
        table(sets=((MOONS,), ()), ruleset=TWO_TO_WIN),
        table(sets=((MOONS, SUNS), (TREES,)), ruleset=TWO_TO_WIN, phase="game-over"),
        table(phase="game-over", piles=((), ())),
        table(counts=(None, None)),
        match(),
        minute("cooperative", 1),
        minute("cooperative", 6, phase="game-over", counts=((MOONS, SUNS),)),
        minute("timed", 2, counts=((), None), table=MOONS),
        minute("timed", 2, phase="game-over", counts=((MOONS,), ()), table=MOONS),
    ],
)
def test_a_possible_table_has_no_faults(state: State) -> None:
    assert faults(state) == []


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (
            table(designs=(*DECK, ("sun", "x"))),
            [
                (
                    "TI-1.1",
                    "design-too-often",
                    ("/designs/0/0", "/designs/1/0", "/designs/2/0", "/designs/16/0"),
                    {"design": "sun", "times": 4},
                )
            ],
        ),
        (
            table(table=("3A",), piles=(("14A", "3B"), ("12A",)), sets=((MOONS,), ()), forbidden=((), ("3B",))),
            [("TI-1.1", "card-twice", ("/table/0", "/piles/0/1", "/sets/0/0/0", "/forbidden/1/0"), {"number": 3})],
        ),
        (
            table(table=("3A",), piles=(("14A", None, "3B"), ())),
            [("TI-1.1", "card-twice", ("/table/0", "/piles/0/2"), {"number": 3})],
        ),
        (table(table=("16A",)), [("TI-1.1", "unknown-card", ("/table/0", "/designs"), {"card": "16A", "count": 16})]),
        (
            table(designs=DECK[:3], piles=(("0A", None), ("1A", None))),
            [("TI-1.1", "too-many-cards", ("/piles", "/table"), {"shown": 4, "count": 3})],
        ),
        (
            table(designs=DECK[:1], piles=((None, None), ())),
            [("TI-1.1", "too-many-cards", ("/piles", "/table"), {"shown": 2, "count": 1})],
        ),
        (
            table(designs=DECK[:2], piles=(("0A", "1A"), ("1B",))),
            [
                ("TI-1.1", "card-twice", ("/piles/0/1", "/piles/1/0"), {"number": 1}),
                ("TI-1.1", "too-many-cards", ("/piles", "/table"), {"shown": 3, "count": 2}),
            ],
        ),
        (
            table(piles=(("14A",),)),
            [("TI-1.3", "seats-unfit", ("/ruleset", "/piles"), {"ruleset": "competitive", "seats": 1})],
        ),
        (
            three(ruleset=RULESETS["team"], sets=((), ()), forbidden=((), ())),
            [
                ("TI-1.3", "seats-unfit", ("/ruleset", "/piles"), {"ruleset": "team", "seats": 3}),
                ("TI-1.3", "teams-missing", ("/teams",), {}),
            ],
        ),
        (match(teams=(0, 1, 1, 1)), [("TI-1.3", "team-too-small", ("/teams",), {"team": 0, "players": 1})]),
        (match(teams=(0, 1, 0)), [("TI-1.3", "entries-disagree", ("/teams", "/piles"), {"due": 4, "found": 3})]),
        (table(teams=(0, 1)), [("TI-1.3", "teams-unfit", ("/ruleset", "/teams"), {"ruleset": "competitive"})]),
        (
            table(sets=((),), forbidden=((), (), ())),
            [
                ("TI-1.3", "entries-disagree", ("/sets", "/piles"), {"due": 2, "found": 1}),
                ("TI-1.3", "entries-disagree", ("/forbidden", "/piles"), {"due": 2, "found": 3}),
            ],
        ),
        (
            minute("timed", 2, counts=(None,)),
            [("TI-1.3", "entries-disagree", ("/counts", "/piles"), {"due": 2, "found": 1})],
        ),
        (
            minute("cooperative", 2, counts=((), ()), phase="play"),
            [("TI-1.3", "entries-disagree", ("/counts", "/piles"), {"due": 1, "found": 2})],
        ),
        (table(turn=2), [("TI-1.4", "no-such-seat", ("/turn", "/piles"), {"seat": 2, "seats": 2})]),
        (
            table(sets=((("0A", "3A"), ("5A",)), (("8A", "9B"), ()))),
            [
                ("TI-3.3", "not-a-set", ("/sets/0/0",), {"cards": ("0A", "3A")}),
                ("TI-3.3", "not-a-set", ("/sets/0/1",), {"cards": ("5A",)}),
                ("TI-3.3", "not-a-set", ("/sets/1/0",), {"cards": ("8A", "9B")}),
                ("TI-3.3", "not-a-set", ("/sets/1/1",), {"cards": ()}),
            ],
        ),
        (
            table(sets=((("3A", "199A"),), ())),
            [("TI-1.1", "unknown-card", ("/sets/0/0/1", "/designs"), {"card": "199A", "count": 16})],
        ),
        (
            table(sets=((), (MOONS, SUNS)), ruleset=TWO_TO_WIN),
            [("TI-6.1", "too-many-sets", ("/sets/1", "/phase"), {"side": 1, "sets": 2, "most": 1})],
        ),
        (
            table(sets=((), (MOONS, SUNS, TREES)), ruleset=TWO_TO_WIN, phase="game-over"),
            [("TI-6.1", "too-many-sets", ("/sets/1", "/phase"), {"side": 1, "sets": 3, "most": 2})],
        ),
        (
            table(sets=((MOONS,), (SUNS,)), ruleset=changed(TWO_TO_WIN, sets_to_win=1), phase="game-over"),
            [("TI-6.1", "two-winners", ("/sets/0", "/sets/1"), {"sides": (0, 1)})],
        ),
        (table(phase="game-over"), [("TI-2.2", "over-too-early", ("/phase", "/piles"), {})]),
        (
            table(forbidden=(("0A", "3A", "1A"), ("8A", "10A", "11A", "5A"))),
            [
                ("TI-7.1", "forbidden-alike", ("/forbidden/0/0", "/forbidden/0/2"), {"side": 0, "design": "sun"}),
                ("TI-7.1", "too-many-forbidden", ("/forbidden/1",), {"side": 1, "count": 4}),
            ],
        ),
        (
            table(forbidden=(("16A",), ())),
            [("TI-1.1", "unknown-card", ("/forbidden/0/0", "/designs"), {"card": "16A", "count": 16})],
        ),
        (
            minute("cooperative", 1, piles=(("14A",),), sets=((MOONS,),), forbidden=(("0A",),)),
            [fits_not("piles", "cooperative"), fits_not("sets", "cooperative"), fits_not("forbidden", "cooperative")],
        ),
        (
            minute("timed", 2, piles=(("14A",), ()), phase="game-over", counts=((), ())),
            [fits_not("piles", "timed")],
        ),
        (table(counts=(None, ())), [fits_not("counts", "competitive")]),
        (match(counts=((MOONS,),)), [fits_not("counts", "team")]),
        (
            minute("timed", 2, counts=((("0A", "3A"), MOONS), (("4A", "3A"),)), phase="game-over"),
            [
                ("TI-9.1", "not-a-group", ("/counts/0/0",), {"cards": ("0A", "3A")}),
                ("TI-9.1", "counted-twice", ("/counts/0/0/1", "/counts/0/1/0", "/counts/1/0/1"), {"number": 3}),
                ("TI-9.1", "counted-twice", ("/counts/0/1/1", "/counts/1/0/0"), {"number": 4}),
            ],
        ),
        (
            minute("cooperative", 1, counts=((("15A", "16A"),),), phase="game-over"),
            [("TI-1.1", "unknown-card", ("/counts/0/0/1", "/designs"), {"card": "16A", "count": 16})],
        ),
        (minute("timed", 2, counts=((), ())), [("TI-10.1", "phase-disagrees", ("/phase", "/counts"), {})]),
        (
            minute("timed", 2, counts=((), None), phase="game-over"),
            [("TI-10.1", "phase-disagrees", ("/phase", "/counts"), {})],
        ),
        (
            minute("cooperative", 1, phase="game-over"),
            [("TI-9.1", "phase-disagrees", ("/phase", "/counts"), {})],
        ),
    ],
)
def test_what_contradicts_itself_is_a_fault(state: State, expected: list[Any]) -> None:
    """TI-1.1, TI-1.3, TI-1.4, TI-2.2, TI-3.3, TI-6.1, TI-7.1, TI-9.1, TI-9.3, TI-10.1."""
    assert [fault for fault in faults(state) if fault not in expected] == []
    assert faults(state) == expected


def test_all_faults_are_told_at_once() -> None:
    state = table(turn=5, table=("199A", "3A"), sets=((("3A", "5A"),), ()), forbidden=(("0A", "1A"), ()))
    assert [code for _, code, _, _ in faults(state)] == [
        "unknown-card",
        "card-twice",
        "no-such-seat",
        "not-a-set",
        "forbidden-alike",
    ]


def test_what_is_not_shown_is_not_verified() -> None:
    """TI-1.1."""
    assert audit(ENGINE, table()) == ([], ["TI-1.1"])
    whole = tuple(f"{number}A" for number in range(16))
    assert audit(ENGINE, table(piles=(whole, ()))) == ([], [])
    assert audit(ENGINE, table(piles=((*whole[:15], None), ()))) == ([], ["TI-1.1"])


def test_the_house_deck_is_a_deck_when_posted_too() -> None:
    """TI-1.1."""
    posted = tuple((one, other) for one, other in State("play", ((),), ()).designs)
    assert faults(table(designs=posted)) == []
