"""GR-5.7: what each seat may see of moves and events; what it sees of the table the vectors tell."""

import pytest

from engines.core.rulings import Event
from engines.gin_rummy import ENGINE, rulings
from engines.gin_rummy.model import Discard, Draw, Kind, LastHand, Phase, State, TakeUpcard

TABLE = State("discard", 0, ((), ()))
FROM_STOCK = rulings.DREW.happened(**{"seat": 0, "from": "stock", "card": "KC"})
FROM_DISCARDS = rulings.DREW.happened(**{"seat": 0, "from": "discards", "card": "KC"})
UPCARD = rulings.TOOK_UPCARD.happened(**{"seat": 0, "from": "discards", "card": "KC"})


@pytest.mark.parametrize(("seat", "card"), [(0, "KC"), (1, None), (None, None)])
def test_a_card_from_the_stock_is_seen_by_who_drew_it(seat: int | None, card: str | None) -> None:
    assert ENGINE.view_event(TABLE, FROM_STOCK, seat).params == {"seat": 0, "from": "stock", "card": card}
    assert ENGINE.view_move(TABLE, Draw(0, "stock", "KC"), seat) == Draw(0, "stock", card)


@pytest.mark.parametrize("seat", [0, 1, None])
@pytest.mark.parametrize("event", [FROM_DISCARDS, UPCARD, rulings.DISCARDED.happened(seat=0, card="KC")])
def test_a_card_from_or_for_the_discard_pile_is_seen_by_all(event: Event, seat: int | None) -> None:
    assert ENGINE.view_event(TABLE, event, seat) is event


@pytest.mark.parametrize("seat", [0, 1, None])
@pytest.mark.parametrize("move", [Draw(0, "discards", "KC"), Discard(0, "KC"), TakeUpcard(0)])
def test_other_moves_are_seen_as_they_are(move: Draw | Discard | TakeUpcard, seat: int | None) -> None:
    assert ENGINE.view_move(TABLE, move, seat) is move


@pytest.mark.parametrize(
    ("phase", "kind", "open_"),
    [
        ("hand-over", "knock", True),
        ("hand-over", "dead", False),
        ("game-over", "gin", True),
        ("game-over", None, False),
        ("hand-over", None, False),
        ("lay-off", None, True),
        ("draw", "knock", False),
    ],
)
def test_hands_are_open_from_a_knock_to_the_deal(phase: Phase, kind: Kind | None, open_: bool) -> None:
    """GR-5.7."""
    last = None if kind is None else LastHand(kind, None if kind == "dead" else 0, 0)
    table = State(phase, None, (("AS",), ("KC", None)), last_hand=last)
    assert ENGINE.view(table, None).hands == (table.hands if open_ else ((None,), (None, None)))
    assert ENGINE.view(table, 0).hands[0] == ("AS",)
    assert ENGINE.view(table, 1).hands[1] == ("KC", None)
