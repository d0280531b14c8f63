"""A second, independent settlement of incidents: slow, plain, and written from the rules alone.

It knows competitive and team play with everything seen: TI-3.2, TI-3.4, TI-3.5, TI-4.1 to TI-4.7, TI-5.1, TI-6.1, TI-7
and TI-8. A table is a dict of lists: `table`, `piles`, `sets`, `forbidden`, `turn`.
"""

from typing import Any


def settle(
    table: dict[str, Any],
    designs: Any,
    teams: Any,
    options: dict[str, Any],
    hands: list[tuple[int, str]],
    lose: dict[int, int],
) -> dict[str, Any]:
    """The table after an incident; `winner`: the side that has the winning number of sets, if any; `events`: what
    happened by its code, whose doing it was and why, in order, without `turned` and `freed`.

    `options`: those of the ruleset, by name. `lose`: by seat, the set named.
    """
    now: dict[str, Any] = {name: _listed(zone) for name, zone in table.items() if name != "turn"}
    before = _listed(table["sets"])
    events: list[tuple[Any, ...]] = []
    lies: list[dict[str, Any]] = []  # every hand that counts, in the order they fell
    over: dict[str, str] = {}  # the designs that are closed, and how: "won", "erred"
    nothing: list[tuple[int, int, str]] = []
    lost: list[str] = []
    named = {seat: before[teams[seat] if teams else seat][index] for seat, index in lose.items()}
    last: dict[str, int] = {}

    def face(card: str) -> str:
        design: str = designs[int(card[:-1])]["AB".index(card[-1])]
        return design

    def back(card: str) -> str:
        return card[:-1] + "BA"["AB".index(card[-1])]

    def side(seat: int) -> int:
        return teams[seat] if teams else seat

    def set_with(card: str) -> list[str]:
        return next((won for sets in before for won in sets if card in won), [])

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
        table["table"]
        + [pile[0] for pile in table["piles"] if pile]
        + [card for cards in table["forbidden"] for card in cards]
    )
    showing: dict[str, list[str]] = {}
    for card in visible:
        showing.setdefault(face(card), []).append(card)
    banned = [{face(card) for card in cards} for cards in table["forbidden"]]

    def undermost(name: str) -> list[dict[str, Any]]:
        """Who has which card of a design: of each card the hand that fell first and was not lifted."""
        first: dict[str, dict[str, Any]] = {}
        for hand in lies:
            if face(hand["card"]) == name and hand["card"] not in lost:
                first.setdefault(hand["card"], hand)
        return list(first.values())

    def turn_treble(name: str, won: list[str]) -> None:
        for card in showing[name]:
            if card not in won:
                turn_over(card)

    def punish(seat: int, why: str) -> None:
        nonlocal lies
        stated = named.pop(seat, None)
        may_go = [won for won in now["sets"][side(seat)] if len(won) == 2 or options["mistake_loses"] == "any-set"]
        kept_for_partners = [card for won in named.values() for card in won]
        gone = [won for won in may_go if stated and set(stated) <= set(won)]
        gone = gone or [won for won in may_go if won[0] not in kept_for_partners]
        events.append(("mistake", seat, why, gone[-1] if gone else None))
        last["erred"] = seat
        if gone:
            now["sets"][side(seat)].remove(gone[-1])
            now["piles"][seat] += gone[-1]
            lost.extend(gone[-1])
            spent = [hand for hand in lies if hand["card"] in gone[-1]]
            lies = [hand for hand in lies if hand not in spent]
            nothing.extend((hand["place"], hand["seat"], "card-taken") for hand in spent if not hand["done"])

    def wins(name: str) -> bool:
        """A side that has two cards of an open design, not of one set, by two of its players in a team, wins."""
        has = [hand for hand in undermost(name) if name not in over and name not in banned[side(hand["seat"])]]
        for place, two in enumerate(has):
            for one in has[:place]:
                apart = two["card"] not in set_with(one["card"])
                if side(one["seat"]) != side(two["seat"]) or not apart or (teams and one["seat"] == two["seat"]):
                    continue
                over[name] = "won"
                one["done"] = two["done"] = True
                cards = [one["card"], two["card"]]
                home = [at for at, sets in enumerate(now["sets"]) if any(face(won[0]) == name for won in sets)]
                treble = len(showing[name]) == 3
                if treble:
                    events.append(("treble",))
                if home:
                    pair = next(won for won in now["sets"][home[0]] if face(won[0]) == name)
                    now["sets"][home[0]].remove(pair)
                    if home[0] != side(one["seat"]):
                        events.append(("robbed", one["seat"]))
                    cards = pair + [card for card in cards if card not in pair]
                for card in cards:
                    if card in showing[name]:
                        take(card)
                now["sets"][side(one["seat"])].append(cards)
                events.append(("set-won", one["seat"]))
                last["won"] = one["seat"]
                if len(now["sets"][side(one["seat"])]) >= options["sets_to_win"]:
                    last["game"] = side(one["seat"])
                elif treble:
                    turn_treble(name, cards)
                return True
        return False

    for place, (seat, card) in enumerate(hands):
        name = face(card)
        if options["own_pile_top"] == "others-only" and table["piles"][seat][:1] == [card]:
            nothing.append((place, seat, "own-top"))
            continue
        if name in over or card in lost:
            nothing.append((place, seat, "card-taken"))
            continue
        free = all(hand["card"] != card for hand in lies)
        this = {"place": place, "seat": seat, "card": card, "free": free, "done": False}
        mine = next((hand for hand in lies if hand["seat"] == seat), None)
        lies.append(this)
        if mine and face(mine["card"]) != name and face(mine["card"]) not in over:
            lies = [hand for hand in lies if hand not in (mine, this)]
            punish(seat, "two-designs")
            wins(face(mine["card"]))
        elif mine and mine["card"] in set_with(card):
            lies = [hand for hand in lies if hand not in (mine, this)]
            why = {2: "won-pair", 3: "safe-set"}[len(set_with(card))]
            nothing += [(mine["place"], seat, why), (place, seat, why)]
            wins(name)
        else:
            claimed = [
                hand
                for hand in undermost(name)
                if hand is not this
                and hand["free"]
                and free
                and card not in lost
                and card not in set_with(hand["card"])
            ]
            of_side = [hand for hand in claimed if side(hand["seat"]) == side(seat)]
            why, other = "", this
            if of_side and name in banned[side(seat)]:
                why, other = "forbidden-design", of_side[0]
            elif teams and mine in claimed:
                assert mine
                why, other = "one-player-both-hands", mine
            if why:
                over[name] = "erred"
                this["done"] = other["done"] = True
                punish(seat, why)
                if len(showing.get(name, [])) == 3:
                    events.append(("treble",))
                    turn_treble(name, [])
            else:
                wins(name)
        if "game" in last:
            break
    else:
        ends = []
        for name in {face(hand["card"]) for hand in lies} - set(over):
            has = undermost(name)
            if has:
                ends.append((has[min(1, len(has) - 1)]["place"], name))
        if not hands:
            ends = [(at, name) for at, (name, cards) in enumerate(showing.items()) if len(cards) == 3]
        for _, name in sorted(ends):
            has = undermost(name)
            loose = [hand["card"] for hand in has if hand["card"] in showing.get(name, [])]
            if len(showing.get(name, [])) == 3:
                events.append(("treble",))
                turn_treble(name, [])
            elif loose and len({side(hand["seat"]) for hand in has}) > 1:
                events.append(("tied", *(hand["seat"] for hand in has)))
                for card in loose:
                    turn_over(card)
            else:
                continue
            for hand in has:
                hand["done"] = True
        for hand in lies:
            if hand["done"]:
                continue
            has = undermost(face(hand["card"]))
            both = [other for other in has if other["seat"] == hand["seat"]]
            if hand not in has:
                why = "card-taken"
            elif len(set_with(hand["card"])) == 3:
                why = "safe-set"
            elif len(both) == 2 and not any(other["done"] for other in both):
                why = "one-player-alone"
            else:
                why = "lone-hand"
            nothing.append((hand["place"], hand["seat"], why))
        counted = set()
        for place, seat, reason in sorted(nothing):
            why = "card-lost" if reason == "card-taken" and hands[place][1] in lost else reason
            if (seat, why, face(hands[place][1])) not in counted:
                events.append(("no-effect", seat, why))
            counted.add((seat, why, face(hands[place][1])))
    turn = last.get("won", last.get("erred", table["turn"]))
    return now | {"turn": turn, "winner": last.get("game"), "events": events}


def _listed(zone: Any) -> Any:
    """A copy of a zone, with lists for tuples at any depth."""
    return zone if isinstance(zone, str) else [_listed(item) for item in zone]
