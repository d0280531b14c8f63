"""Tables of Twin it! as tests need them, and what is seen on them as plain tuples."""

from collections.abc import Mapping
from typing import Any

from engines.core import judge as core
from engines.core.engine import Resolution
from engines.twin_it import ENGINE
from engines.twin_it.model import RULESETS, Claim, Hand, Loss, State, Uncovered

DECK = (
    ("sun", "b0"), ("sun", "b1"), ("sun", "b2"), ("moon", "b3"), ("moon", "b4"), ("star", "b5"), ("star", "b6"),
    ("star", "b7"), ("tree", "b8"), ("tree", "b9"), ("owl", "b10"), ("cat", "b11"), ("dog", "b12"), ("fox", "b13"),
    ("ant", "b14"), ("bee", "b15"),
)  # fmt: skip
"""Cards 0–2 are suns, 3–4 moons, 5–7 stars, 8–9 trees; the others are alone, and so is every side B."""

SUNS = ("0A", "1A", "2A")
MOONS = ("3A", "4A")
TREES = ("8A", "9A")


def table(**fields: Any) -> State:
    """Two seats with two single cards each, seat 0 on turn, nothing on the table, unless a test says otherwise."""
    usual: dict[str, Any] = {
        "phase": "play",
        "designs": DECK,
        "piles": (("14A", "15A"), ("12A", "13A")),
        "table": (),
    }
    return ENGINE.complete(State(**(usual | fields)))


def three(**fields: Any) -> State:
    """The same for three seats."""
    return table(**({"piles": (("14A", "15A"), ("12A", "13A"), ("10A", "11A"))} | fields))


def match(**fields: Any) -> State:
    """Seats 0 and 2 against 1 and 3, a single card each."""
    usual: dict[str, Any] = {
        "ruleset": RULESETS["team"],
        "teams": (0, 1, 0, 1),
        "piles": (("14A",), ("15A",), ("12A",), ("13A",)),
    }
    return table(**(usual | fields))


def minute(name: str, seats: int, **fields: Any) -> State:
    """The end of a minute: nobody has a pile."""
    return table(**({"ruleset": RULESETS[name], "piles": ((),) * seats, "turn": None} | fields))


def claim(*hands: tuple[int, str], lose: Any = None, uncovered: Any = None) -> Claim:
    """A claim by hands in the order they fell, as (seat, card)."""
    return Claim(
        tuple(Hand(*hand) for hand in hands),
        lose=None if lose is None else tuple(Loss(*each) for each in lose),
        uncovered=None if uncovered is None else tuple(Uncovered(*each) for each in uncovered),
    )


def resolve(state: State, *moves: Any) -> Resolution[State]:
    """The moves of a table that has no faults."""
    assert faults(state) == []
    return core.resolve(ENGINE, state, moves)


def happened(resolution: Resolution[State]) -> list[tuple[str, str, Mapping[str, Any]]]:
    """The events, as (rule, code, params)."""
    return [(event.ruling.rule, event.ruling.code, event.params) for _, event in resolution.events]


def refused(state: State, move: Any) -> list[tuple[str, str, str, Mapping[str, Any]]]:
    """The violations, as (rule, code, pointer, params)."""
    violations = core.judge(ENGINE, state, move).violations
    return [(each.ruling.rule, each.ruling.code, each.pointer, each.params) for each in violations]


def faults(state: State) -> list[tuple[str, str, tuple[str, ...], Mapping[str, Any]]]:
    """The faults, as (rule, code, pointers, params)."""
    faults = core.audit(ENGINE, state)[0]
    return [(each.ruling.rule, each.ruling.code, each.pointers, each.params) for each in faults]


def setup_faults(setup: Any) -> list[tuple[str, str, tuple[str, ...], Mapping[str, Any]]]:
    """The faults of what is to be dealt, as (rule, code, pointers, params)."""
    faults = core.audit_setup(ENGINE, setup)
    return [(each.ruling.rule, each.ruling.code, each.pointers, each.params) for each in faults]


def design(card: str) -> str:
    """What a card of `DECK` shows."""
    return DECK[int(card[:-1])]["AB".index(card[-1])]


def won(
    seat: int, *cards: str, source: str = "table", rule: str = "TI-3.3", named: str | None = None
) -> tuple[str, str, Mapping[str, Any]]:
    """The event of a set won. `named`: the design, where the deck is another."""
    return rule, "set-won", {"seat": seat, "cards": cards, "from": source, "design": named or design(cards[0])}


def turned(card: str, rule: str = "TI-4.2") -> tuple[str, str, Mapping[str, Any]]:
    """The event of a card turned over."""
    return rule, "turned", {"card": card, "design": design(card)}


def tied(*seats: int, cards: tuple[str, ...] = MOONS, rule: str = "TI-4.2") -> tuple[str, str, Mapping[str, Any]]:
    """The event of a tie."""
    return rule, "tied", {"seats": seats, "cards": cards, "designs": tuple(map(design, cards))}


def idle(
    seat: int, *cards: str, because: str = "lone-hand", rule: str = "TI-4.6"
) -> tuple[str, str, Mapping[str, Any]]:
    """The event of hands on these cards that come to nothing."""
    return rule, "no-effect", {"seat": seat, "cards": cards, "because": because}


def flipped(seat: int, card: str, uncovered: str | None = None) -> tuple[str, str, Mapping[str, Any]]:
    """The event of a flip; `uncovered`: the next top, if it is there and seen."""
    shows = {"design": design(card), "uncovered_design": None if uncovered is None else design(uncovered)}
    return "TI-2.1", "flipped", {"seat": seat, "card": card, "uncovered": uncovered, **shows}


WHY = {"TI-5.1": "two-designs", "TI-7.1": "forbidden-design", "TI-8.1": "one-player-both-hands"}


def mistake(seat: int, lost: tuple[str, ...] | None = None, rule: str = "TI-5.1") -> tuple[str, str, Mapping[str, Any]]:
    """The event of a mistake."""
    return rule, "mistake", {"seat": seat, "lost": lost, "because": WHY[rule]}
