"""Tokens identify their bearers, and no other text is accepted as a token."""

import random
import secrets
import string
from pathlib import Path
from typing import Any

import pytest

from service.sessions.stores.protocol import Store
from service.sessions.stores.sqlite import SqliteStore
from service.sessions.tokens import HOST, SPECTATOR, Bearer, Tokens, may_make, named, seat, session_names

SESSION = "0123456789abcdef" * 2


@pytest.fixture
def kept(tmp_path: Path) -> Store:
    return SqliteStore(f"{tmp_path}/sessions.sqlite3")


@pytest.fixture
def tokens(kept: Store) -> Tokens:
    return Tokens(("a key", "an older key"), lambda: kept)


@pytest.mark.parametrize("bearer", [HOST, seat(0), seat(11)])
def test_a_token_names_its_bearer(tokens: Tokens, bearer: Bearer) -> None:
    assert tokens.read(tokens.token(SESSION, bearer, "generation"), SESSION) == (bearer, "generation", 0)


def test_a_token_carries_192_bits_that_cannot_be_guessed(tokens: Tokens) -> None:
    assert len(tokens.token(SESSION, HOST, "generation").rpartition(".")[2]) == 192 // 6


def test_a_token_opens_no_other_session(tokens: Tokens) -> None:
    assert tokens.read(tokens.token(SESSION, HOST, "generation"), SESSION[::-1]) is None


@pytest.mark.parametrize(("before", "after"), [("seat-1", "seat-2"), ("seat-1", "host"), ("old", "new")])
def test_a_token_cannot_be_rewritten(tokens: Tokens, before: str, after: str) -> None:
    token = tokens.token(SESSION, seat(1), "old")
    assert tokens.read(token.replace(before, after), SESSION) is None


def test_ten_thousand_forgeries_are_refused(tokens: Tokens) -> None:
    token = tokens.token(SESSION, seat(1), "generation")
    dice = random.Random(5)
    for _ in range(10_000):
        place = dice.randrange(len(token))
        letter = dice.choice(string.ascii_letters + string.digits + "-_.")
        forged = token[:place] + letter + token[place + dice.randrange(3) :]
        assert forged == token or tokens.read(forged, SESSION) is None


@pytest.mark.parametrize("junk", ["", ".", "..", "host..", "é.ü.ñ", "host.generation.", "\ud800.x.y", "seat-x.g.mac"])
def test_junk_is_refused(tokens: Tokens, junk: str) -> None:
    assert tokens.read(junk, SESSION) is None


def test_an_older_key_is_accepted_and_the_first_key_signs(kept: Store) -> None:
    before = Tokens(("old",), lambda: kept).token(SESSION, HOST, "generation")
    both = Tokens(("new", "old"), lambda: kept)
    assert both.read(before, SESSION) == (HOST, "generation", 0)
    assert both.token(SESSION, HOST, "generation") == Tokens(("new",), lambda: kept).token(SESSION, HOST, "generation")


def test_a_removed_key_is_no_longer_accepted(kept: Store) -> None:
    before = Tokens(("old",), lambda: kept).token(SESSION, HOST, "generation")
    assert Tokens(("new",), lambda: kept).read(before, SESSION) is None


def test_a_default_key_is_made_once_and_kept_in_the_store(kept: Store) -> None:
    token = Tokens((), lambda: kept).token(SESSION, HOST, "generation")
    assert Tokens((), lambda: kept).read(token, SESSION) == (HOST, "generation", 0)


def test_two_stores_make_different_keys(kept: Store, tmp_path: Path) -> None:
    other = SqliteStore(f"{tmp_path}/other.sqlite3")
    token = Tokens((), lambda: kept).token(SESSION, HOST, "generation")
    assert Tokens((), lambda: other).read(token, SESSION) is None


def test_an_idempotency_key_always_names_the_same_session(tokens: Tokens) -> None:
    key = secrets.token_hex(8)
    assert session_names(tokens, key) == session_names(tokens, key)
    assert session_names(tokens, key) != session_names(tokens, key + "x")
    assert session_names(tokens, None) != session_names(tokens, None)


def test_a_sessions_name_under_an_earlier_key_is_tried_after_the_current_one(kept: Store) -> None:
    early, late = (session_names(Tokens((key,), lambda: kept), "k") for key in ("A", "B"))
    assert session_names(Tokens(("B", "A"), lambda: kept), "k") == late + early


@pytest.mark.parametrize("bearer", [HOST, SPECTATOR, seat(0), seat(12)])
def test_a_bearer_is_found_by_its_name(bearer: Bearer) -> None:
    assert named(bearer.name) == bearer


DEAL = {"type": "deal"}
OWN = {"type": "lay", "seat": 1, "card": 5}
FOREIGN = {"type": "lay", "seat": 2, "card": 5}
OWN_CLAIM = {"type": "claim", "hands": [{"seat": 1, "card": "1A"}, {"seat": 1, "card": "2A"}]}
MIXED_CLAIM = {"type": "claim", "hands": [{"seat": 1, "card": "1A"}, {"seat": 2, "card": "2A"}]}
CLAIM_OF_ANOTHERS_SET = {"type": "claim", "hands": [{"seat": 1, "card": "1A"}], "lose": [{"seat": 2, "set": 0}]}
END = {"type": "claim", "hands": []}
COUNT: dict[str, Any] = {"type": "count", "seat": None, "groups": []}


@pytest.mark.parametrize("move", [DEAL, OWN, FOREIGN, OWN_CLAIM, MIXED_CLAIM, END, COUNT])
def test_the_host_may_make_every_move(move: dict[str, object]) -> None:
    assert may_make(HOST, move)


@pytest.mark.parametrize("move", [DEAL, OWN_CLAIM, MIXED_CLAIM, END, COUNT])
def test_a_blind_host_makes_the_moves_of_the_table(move: dict[str, object]) -> None:
    assert may_make(HOST, move, blind=True)


@pytest.mark.parametrize("move", [OWN, FOREIGN, {**COUNT, "seat": 0}])
def test_a_blind_host_makes_no_move_of_a_seat(move: dict[str, object]) -> None:
    assert not may_make(HOST, move, blind=True)


@pytest.mark.parametrize("move", [DEAL, OWN, FOREIGN, OWN_CLAIM, MIXED_CLAIM, END, COUNT])
def test_a_spectator_may_make_no_move(move: dict[str, object]) -> None:
    assert not may_make(SPECTATOR, move)


@pytest.mark.parametrize("move", [DEAL, OWN, OWN_CLAIM, END, COUNT])
def test_a_seat_makes_every_move_that_names_no_other(move: dict[str, object]) -> None:
    assert may_make(seat(1), move)


@pytest.mark.parametrize("move", [FOREIGN, MIXED_CLAIM, CLAIM_OF_ANOTHERS_SET])
def test_a_seat_makes_no_move_that_names_another(move: dict[str, object]) -> None:
    assert not may_make(seat(1), move)
