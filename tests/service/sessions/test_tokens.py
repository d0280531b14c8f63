"""Tokens identify their bearers, and no other text is accepted as a token."""

import random
import string
from pathlib import Path
from typing import Any

import pytest

from service.sessions.stores.protocol import Store
from service.sessions.stores.sqlite import SqliteStore
from service.sessions.tokens import HOST, SPECTATOR, Bearer, Tokens, may_make, named, session_names

SESSION = "0123456789abcdef" * 2


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return SqliteStore(f"{tmp_path}/sessions.sqlite3")


@pytest.fixture
def tokens(store: Store) -> Tokens:
    """Tokens that are signed with the first key, and taken also with the older one."""
    return Tokens(("a key", "an older key"), lambda: store)


@pytest.mark.parametrize("bearer", [HOST, SPECTATOR, Bearer("seat", 0), Bearer("seat", 12)])
def test_a_token_names_its_bearer_in_one_session_with_192_bits(tokens: Tokens, bearer: Bearer) -> None:
    token = tokens.token(SESSION, bearer, "generation")
    assert tokens.read(token, SESSION) == (bearer, "generation", 0)
    assert tokens.read(token, SESSION[::-1]) is None
    assert len(token.rpartition(".")[2]) == 192 // 6
    assert named(bearer.name) == bearer


@pytest.mark.parametrize(("before", "after"), [("seat-1", "seat-2"), ("seat-1", "host"), ("old", "new")])
def test_a_token_cannot_be_rewritten(tokens: Tokens, before: str, after: str) -> None:
    token = tokens.token(SESSION, Bearer("seat", 1), "old")
    assert tokens.read(token.replace(before, after), SESSION) is None


def test_ten_thousand_forgeries_are_refused(tokens: Tokens) -> None:
    token = tokens.token(SESSION, Bearer("seat", 1), "generation")
    dice = random.Random(5)
    for _ in range(10_000):
        place = dice.randrange(len(token))
        letter = dice.choice(string.ascii_letters + string.digits + "-_.")
        forged = token[:place] + letter + token[place + dice.randrange(3) :]
        assert forged == token or tokens.read(forged, SESSION) is None


@pytest.mark.parametrize("junk", ["", ".", "..", "host..", "é.ü.ñ", "host.generation.", "\ud800.x.y", "seat-x.g.mac"])
def test_a_text_that_is_no_token_is_refused(tokens: Tokens, junk: str) -> None:
    assert tokens.read(junk, SESSION) is None


def test_an_older_key_is_accepted_until_it_is_removed_and_the_first_key_signs(store: Store) -> None:
    old, both, new = (Tokens(keys, lambda: store) for keys in (("old",), ("new", "old"), ("new",)))
    before = old.token(SESSION, HOST, "generation")
    assert both.read(before, SESSION) == (HOST, "generation", 0)
    assert both.token(SESSION, HOST, "generation") == new.token(SESSION, HOST, "generation")
    assert new.read(before, SESSION) is None


def test_each_store_makes_a_key_once_and_keeps_it(store: Store, tmp_path: Path) -> None:
    other = SqliteStore(f"{tmp_path}/other.sqlite3")
    token = Tokens((), lambda: store).token(SESSION, HOST, "generation")
    assert Tokens((), lambda: store).read(token, SESSION) == (HOST, "generation", 0)
    assert Tokens((), lambda: other).read(token, SESSION) is None


def test_the_name_of_a_session_under_the_signing_key_comes_before_its_name_under_an_older_key(store: Store) -> None:
    """The `Idempotency-Key` of an opening and a token key make the session's name."""
    older, signing = (session_names(Tokens((key,), lambda: store), "k") for key in ("A", "B"))
    assert session_names(Tokens(("B", "A"), lambda: store), "k") == signing + older


def claim(*seats: int, **more: Any) -> Any:
    """Return a claim by a hand of each of these seats."""
    return {"type": "claim", "hands": [{"seat": each, "card": "1A"} for each in seats], **more}


MOVES_AND_THEIR_MAKERS: list[tuple[Any, set[str]]] = [
    ({"type": "deal"}, {"host", "blind host", "seat"}),
    ({"type": "lay", "seat": 1, "card": 5}, {"host", "seat"}),
    ({"type": "lay", "seat": 2, "card": 5}, {"host"}),
    (claim(1, 1), {"host", "blind host", "seat"}),
    (claim(1, 2), {"host", "blind host"}),
    (claim(1, lose=[{"seat": 2, "set": 0}]), {"host", "blind host"}),
    (claim(), {"host", "blind host", "seat"}),
    ({"type": "count", "seat": None, "groups": []}, {"host", "blind host", "seat"}),
    ({"type": "count", "seat": 0, "groups": []}, {"host"}),
]


@pytest.mark.parametrize(("move", "makers"), MOVES_AND_THEIR_MAKERS)
def test_a_seat_may_make_moves_that_name_no_other_seat_and_a_blind_host_moves_of_the_table(
    move: Any, makers: set[str]
) -> None:
    bearers = {"host": HOST, "seat": Bearer("seat", 1), "spectator": SPECTATOR}
    allowed = {name for name, bearer in bearers.items() if may_make(bearer, move)}
    assert allowed | ({"blind host"} if may_make(HOST, move, blind=True) else set()) == makers
