"""A second, independent list of the legal moves of Take That: slow, plain, and written from the rules alone."""


def moves(row: list[int], hand: list[int], voluntary: bool) -> set[tuple[str, int | None]]:
    """What the player on turn may do, as (verb, card)."""
    if not row:
        return {("lay", card) for card in hand}
    legal: set[tuple[str, int | None]] = set()
    for card in hand:
        if card in range(row[-1] - 10, row[-1] + 11):
            legal.add(("lay", card))
        tens, ones = divmod(card, 10)
        if tens != ones and any(str(other) == f"{ones}{tens}" for other in row):
            legal.add(("twist", card))
    if voluntary or not legal:
        legal.add(("take", None))
    return legal


def points(up: list[int], down: list[int]) -> int:
    """A round's points: 1 for a card face up, minus 1 for one face down, minus 5 for a toad (two equal digits)."""
    return len(up) - sum(5 if str(card)[0] == str(card)[1] else 1 for card in down)
