"""A second, independent settlement of incidents: slow, plain, and written from TI-4.6 alone.

It knows competitive and team play with everything seen, without forbidden designs, and takes the latest set for a
mistake. A table is a dict of lists: `table`, `piles`, `sets`, `turn`.
"""

from __future__ import annotations

from typing import Any


def settle(table: dict[str, Any], designs: Any, teams: Any, goal: int, hands: list[tuple[int, str]]) -> dict[str, Any]:
    """The table after an incident; `winner`: the side that has the winning number of sets, if any."""
    now: dict[str, Any] = {name: list(map(_listed, zone)) for name, zone in table.items() if name != "turn"}
    turn, winner = table["turn"], None

    def face(card: str) -> str:
        design: str = designs[int(card[:-1])]["AB".index(card[-1])]
        return design

    def back(card: str) -> str:
        return card[:-1] + "BA"["AB".index(card[-1])]

    def side(seat: int) -> int:
        return teams[seat] if teams else seat

    def together(cards: list[str]) -> bool:
        return any(set(cards) <= set(won) for sets in now["sets"] for won in sets)

    def take(card: str) -> None:
        if card in now["table"]:
            now["table"].remove(card)
        for pile in now["piles"]:
            if pile[:1] == [card]:
                pile.pop(0)

    visible = now["table"] + [pile[0] for pile in now["piles"] if pile]
    touched = {seat: [card for other, card in hands if other == seat] for seat, _ in hands}
    last_hand = {seat: index for index, (seat, _) in enumerate(hands)}
    erring, idle = [], []
    for seat in sorted(touched, key=last_hand.__getitem__):
        cards = touched[seat]
        if len(cards) == 2 and face(cards[0]) != face(cards[1]):
            erring.append(seat)
        elif len(cards) == 2 and together(cards):
            idle.append(seat)
        elif len(cards) == 2 and teams:
            erring.append(seat)
    counting = [(seat, card) for seat, card in hands if seat not in erring + idle]
    owner: dict[str, int] = {}
    for seat, card in counting:
        owner.setdefault(card, seat)
    order = list(dict.fromkeys(face(card) for _, card in counting))
    for seat in erring:
        turn = seat
        if now["sets"][side(seat)]:
            lost = now["sets"][side(seat)].pop()
            now["piles"][seat] += lost
            owner = {card: holder for card, holder in owner.items() if card not in lost}
    pairs = {face(won[0]): (at, won) for at, sets in enumerate(now["sets"]) for won in sets}
    for name in order:
        if winner is not None:
            break
        mine = {card: seat for card, seat in owner.items() if face(card) == name}
        shown = [card for card in visible if face(card) == name]
        sides: dict[int, list[str]] = {}
        for card, seat in mine.items():
            sides.setdefault(side(seat), []).append(card)
        where, pair = pairs.get(name, (None, []))
        two = [(at, cards) for at, cards in sides.items() if len(cards) > 1 and any(card in shown for card in cards)]
        gone: list[str] = []
        if len(shown) == 3:
            if two:
                gone = two[0][1][:2]
            over = [card for card in shown if card not in gone]
        elif two and pair:
            now["sets"][where].remove(pair)
            gone = [*pair, *(card for card in two[0][1] if card in shown)]
            over = []
        elif two:
            gone, over = two[0][1], []
        else:
            over = [card for card in mine if card in shown] if len(sides) > 1 else []
        if gone:
            for card in gone:
                take(card)
            now["sets"][two[0][0]].append(gone)
            turn = mine[two[0][1][0]]
            if len(now["sets"][two[0][0]]) >= goal:
                winner = two[0][0]
                over = []
        for card in over:
            if card in now["table"]:
                now["table"][now["table"].index(card)] = back(card)
            else:
                take(card)
                now["table"].append(back(card))
    return now | {"turn": turn, "winner": winner}


def _listed(zone: Any) -> Any:
    return zone if isinstance(zone, str) else [_listed(item) for item in zone]
