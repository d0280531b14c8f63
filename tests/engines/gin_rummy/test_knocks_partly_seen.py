"""GR-5.2, GR-5.6: what is seen of a knocker's hand may forbid the knock before the rest is shown."""

from __future__ import annotations

import pytest

from engines.core.judge import judge
from engines.gin_rummy import ENGINE
from engines.gin_rummy.model import Knock, State

RUN = ("4S", "5S", "6S")


def knock(*beside: str | None, melds: tuple[tuple[str, ...], ...] | None = (RUN,)) -> tuple[list[str], list[str]]:
    """Codes and clauses of what is said of a knock by hand of the run, `beside` and a king to discard."""
    state = State(phase="discard", turn=0, hands=((*RUN, *beside, "KC"), (None,) * 10))
    violations, unverified = judge(ENGINE, ENGINE.complete(state), Knock(0, discard="KC", melds=melds))
    return [f"{each.ruling.code} {each.params['points']}" for each in violations], list(unverified)


@pytest.mark.parametrize(
    ("beside", "refused"),
    [
        (("5H", "6D", None), ["knock-too-heavy 11"]),
        (("5H", "5D", None), []),
        (("TH", "TD", None, None, None), ["knock-too-heavy 20"]),
    ],
)
def test_cards_seen_beside_stated_melds_count_already(beside: tuple[str | None, ...], refused: list[str]) -> None:
    assert knock(*beside) == (refused, [] if refused else ["GR-5.2"])


def test_without_stated_melds_an_unseen_card_may_still_match() -> None:
    assert knock("5H", "6D", None, melds=None) == ([], ["GR-5.2"])
