"""A second, independent settlement of incidents: slow, plain, and written from the rules alone.

It knows competitive and team play with everything seen: TI-3.2, TI-3.4, TI-3.5, TI-4.1 to TI-4.7, TI-5.1, TI-6.1, TI-7
and TI-8. A table is a dict of lists: `table`, `piles`, `sets`, `forbidden`, `turn`.
"""

from __future__ import annotations

from typing import Any


def settle(
    table: dict[str, Any],
    designs: Any,
    teams: Any,
    options: dict[str, Any],
    hands: list[tuple[int, str]],
    lose: dict[int, int],
) -> dict[str, Any]:
    """The table after an incident; `winner`: the side that has the winning number of sets, if any; `told`: the codes of
    what happened and whose doing it was, in order, without `turned` and `freed`.

    `options`: those of the ruleset, by name. `lose`: by seat, the set named.
    """
    now: dict[str, Any] = {name: _listed(zone) for name, zone in table.items() if name != "turn"}
    told: list[tuple[Any, ...]] = []
    before = _listed(table["sets"])
    named = {}

    def face(card: str) -> str:
        design: str = designs[int(card[:-1])]["AB".index(card[-1])]
        return design

    def back(card: str) -> str:
        return card[:-1] + "BA"["AB".index(card[-1])]

    def side(seat: int) -> int:
        return teams[seat] if teams else seat

    def together(one: str, other: str) -> bool:
        return any(one in won and other in won for sets in before for won in sets)

    def take(card: str) -> None:
        for zone in (now["table"], *now["forbidden"]):
            if card in zone:
                zone.remove(card)
        for pile in now["piles"]:
            if pile[:1] == [card]:
                pile.pop(0)

    def turn_over(card: str) -> None:
        if card in now["table"]:
            now["table"][now["table"].index(card)] = back(card)
        else:
            take(card)
            now["table"].append(back(card))

    visible = (
        now["table"]
        + [pile[0] for pile in now["piles"] if pile]
        + [card for cards in now["forbidden"] for card in cards]
    )
    showing: dict[str, list[str]] = {}
    for card in visible:
        showing.setdefault(face(card), []).append(card)
    banned = [{face(card) for card in cards} for cards in now["forbidden"]]
    pairs = {face(won[0]): (at, won) for at, sets in enumerate(before) for won in sets}

    # Each entry: the place of the hand in whose turn it comes, mistakes first, the hand that made it, and what it is.
    agenda: list[tuple[int, int, int, Any]] = []
    live: list[tuple[int, int, str]] = []
    for place, (seat, card) in enumerate(hands):
        if options["own_pile_top"] == "others-only" and table["piles"][seat][:1] == [card]:
            agenda.append((place, 1, place, ("idle", seat)))
        else:
            live.append((place, seat, card))
    counting = list(live)
    for seat in {seat for _, seat, _ in live}:
        own = [(place, card) for place, other, card in live if other == seat]
        if len(own) < 2:
            continue
        (place, one), (last, other) = own
        if face(one) != face(other):
            agenda.append((place, 0, last, ("mistake", seat)))
        elif together(one, other):
            agenda.append((place, 1, last, ("idle", seat)))
        elif teams:
            began = min(at for at, who, card in live if side(who) == side(seat) and face(card) == face(one))
            agenda.append((began, 0, last, ("mistake", seat)))
        else:
            continue
        counting = [hand for hand in counting if hand[1] != seat]
    for team in range(len(banned)):
        for name in sorted(banned[team]):
            theirs = [hand for hand in counting if side(hand[1]) == team and face(hand[2]) == name]
            second = next((h for h in theirs if h[2] != theirs[0][2] and not together(h[2], theirs[0][2])), None)
            if second is not None:
                began = min(at for at, who, card in live if side(who) == team and face(card) == name)
                agenda.append((began, 0, second[0], ("mistake", second[1])))
                counting = [hand for hand in counting if hand not in theirs]
    for name in {face(card) for _, _, card in counting}:
        place = min(place for place, _, card in counting if face(card) == name)
        agenda.append((place, 1, place, ("design", name)))
    if not hands:
        shown = [name for name, cards in showing.items() if len(cards) == 3]
        agenda = [(place, 1, place, ("design", name)) for place, name in enumerate(shown)]

    for seat, index in lose.items():
        named[seat] = before[side(seat)][index]
    lost: list[str] = []
    last_won = last_erred = winner = None
    for _, _, _, (kind, who) in sorted(agenda, key=lambda entry: entry[:3]):
        if winner is not None:
            break
        if kind == "idle":
            told.append(("no-effect", who))
            continue
        if kind == "mistake":
            stated = named.pop(who, None)
            may_go = [won for won in now["sets"][side(who)] if len(won) == 2 or options["mistake_loses"] == "any-set"]
            kept_for_partners = [card for won in named.values() for card in won]
            gone = [won for won in may_go if stated and set(stated) <= set(won)]
            gone = gone or [won for won in may_go if won[0] not in kept_for_partners]
            last_erred = who
            told.append(("mistake", who, gone[-1] if gone else None))
            if gone:
                now["sets"][side(who)].remove(gone[-1])
                now["piles"][who] += gone[-1]
                lost += gone[-1]
            continue
        owner: dict[str, int] = {}
        for _, seat, card in counting:
            if face(card) == who:
                owner.setdefault(card, seat)
        everybody = list(owner.values())
        owner = {card: seat for card, seat in owner.items() if card not in lost}
        sides: dict[int, list[str]] = {}
        for card, seat in owner.items():
            sides.setdefault(side(seat), []).append(card)
        home, pair = pairs.get(who, (None, []))
        shown = showing.get(who, [])
        holders = [(at, cards) for at, cards in sides.items() if len(cards) > 1 and set(cards) & set(shown)]
        over, alone = [], []
        if len(shown) == 3:
            told.append(("treble",))
            won = holders[0][1][:2] if holders else []
            over = [card for card in shown if card not in won]
            alone = [seat for card, seat in owner.items() if won and card not in won]
        elif holders and pair:
            now["sets"][home].remove(pair)
            won = [*pair, *(card for card in holders[0][1] if card in shown)]
            told += [("robbed", owner[holders[0][1][0]])] if home != holders[0][0] else []
        elif holders:
            won = holders[0][1]
        else:
            won = []
            if len(sides) > 1 and any(card in shown for card in owner):
                over = [card for card in owner if card in shown]
                told.append(("tied", *owner.values()))
            else:
                alone = everybody
        if won:
            for card in won:
                take(card)
            last_won = owner[holders[0][1][0]]
            told.append(("set-won", last_won))
            now["sets"][holders[0][0]].append(won)
            if len(now["sets"][holders[0][0]]) >= options["sets_to_win"]:
                winner = holders[0][0]
                continue
        for card in over:
            turn_over(card)
        told += [("no-effect", seat) for seat in dict.fromkeys(alone)]
    turn = next((seat for seat in (last_won, last_erred) if seat is not None), table["turn"])
    return now | {"turn": turn, "winner": winner, "told": told}


def _listed(zone: Any) -> Any:
    return zone if isinstance(zone, str) else [_listed(item) for item in zone]
