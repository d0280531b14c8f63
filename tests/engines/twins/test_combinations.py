"""TW-3: what two cards are worth."""

import pytest

from engines.twins.combinations import combination

WHITE = ("blue", "yellow", "purple")


@pytest.mark.parametrize(
    ("cards", "kind", "strength"),
    [
        pytest.param(("blue-10", "yellow-10"), "twins", 10, id="TW-3.1 both white"),
        pytest.param(("brown-1", "green-1"), "twins", 1, id="TW-3.1 both black"),
        pytest.param(("brown-1", "blue-1"), "pair", 1, id="TW-3.2"),
        pytest.param(("pink-10", "pink-9"), "colour", 19, id="TW-3.3"),
        pytest.param(("purple-10", "brown-9"), "singles", 19, id="TW-3.4"),
    ],
)
def test_kind_and_strength(cards: tuple[str, str], kind: str, strength: int) -> None:
    assert combination(*cards, WHITE)[:2] == (kind, strength)


def test_kinds_rank_before_strength_and_strength_within_a_kind() -> None:
    """TW-3.5."""
    best_first = [
        ("blue-10", "yellow-10"),
        ("blue-1", "purple-1"),
        ("blue-10", "green-10"),
        ("blue-1", "pink-1"),
        ("pink-10", "pink-9"),
        ("green-2", "green-1"),
        ("purple-10", "brown-9"),
        ("blue-2", "green-1"),
    ]
    ranks = [combination(*cards, WHITE).rank for cards in best_first]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == 8
