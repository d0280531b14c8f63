"""Verifying a transcript: the session is replayed from its seeds and moves, and must give the same transcript.

Nothing in the transcript is trusted. Its seeds are compared with the commitments, all else with the replayed session,
member by member. Only the sentences are not compared: they are no evidence, and another version words them otherwise.
What no transcript can prove (who the players are, whose token made a move, when) is not claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

import engines
from engines.core.shuffle import commitment
from service import strict_json
from service.contract import Invalid
from service.contract.problem_bodies import WrongPlace, invalid_request
from service.contract.session_bodies import Fair
from service.judging.calls import stored_setup
from service.judging.referee import Referee
from service.problems import Problem
from service.seeds import ENGLISH
from service.sessions.outcomes import DoesNotFit, Illegal, Refusal
from service.sessions.record import deal_seed, entry_without_moves
from service.sessions.service import NAME
from service.sessions.session_request import moves_of
from service.sessions.stores.protocol import LogEntry
from service.sessions.table import Snapshot, Table
from service.sessions.tokens import HOST
from service.strict_json import Json
from service.words.phrases import Phrase, phrase

NEEDED = ("game", "commitment", "commitments", "fair", "server_seed", "seeds", "deals", "deal", "moves", "entries")
"""The members that every transcript has."""
Wrong: TypeAlias = tuple[str, Phrase]  #: A place in a transcript, as a JSON pointer, and what is wrong there.
MOST_FAULTS = 20  #: Most faults that are listed.


@dataclass
class Verified:
    """The result. `wrong`: the places that are wrong; `proved`: what the transcript proves, if none is."""

    verified: bool
    wrong: Sequence[WrongPlace]
    proved: Sequence[str]


def verified(transcript: object, published: str | None, language: str, session: str | None = None) -> Verified:
    """Check a transcript. That of a test is refused first: its table or its seed was chosen.

    `published`: the commitment that was published at the opening, in hex; `session`: its id. Raises `Problem` if it is
    no transcript at all.
    """
    if isinstance(transcript, dict) and transcript.get("testing", False) is not False:
        return Verified(False, [WrongPlace("/testing", phrase("of-a-test").text_in(language))], [])
    if not isinstance(transcript, dict) or any(name not in transcript for name in NEEDED):
        raise Problem("invalid-request", phrase("no-transcript"))
    wrong = _wrong(transcript, published, session)
    proved = [] if wrong else [each.text_in(language) for each in _proved(transcript, published)]
    return Verified(not wrong, [WrongPlace(pointer, detail.text_in(language)) for pointer, detail in wrong], proved)


def _proved(transcript: Json, published: str | None) -> Iterator[Phrase]:
    """What a transcript proves in which nothing is wrong."""
    yield phrase("proves-own-commitment" if published is None else "proves-commitment")
    if transcript["fair"] == "joint":
        yield phrase("proves-seeds", seats=len(transcript["seeds"]))
    yield phrase("proves-deals", deals=len(transcript["deals"]))
    yield phrase("proves-moves", moves=len(transcript["moves"]))


def _wrong(transcript: Json, published: str | None, session: str | None) -> list[Wrong]:
    """The places that are wrong: of the id and the seeds, or, if those are right, of the game."""
    try:
        wrong = [*_wrong_id(transcript["id"], session), *_wrong_secrets(transcript, published)]
        return wrong or list(_wrong_game(transcript))[:MOST_FAULTS]
    except (Problem, Refusal, Invalid, KeyError, TypeError, ValueError, AttributeError, IndexError):
        # What cannot be read was not written by a session.
        return [("", phrase("not-a-sessions"))]


def _wrong_id(written: object, session: str | None) -> Iterator[Wrong]:
    """An `id` that no session has, or another than the reader wrote down."""
    if not isinstance(written, str) or NAME.fullmatch(written) is None:
        yield "/id", phrase("no-session-has-id")
    elif session is not None and written != session.lower():
        yield "/id", phrase("other-session")


def _wrong_secrets(transcript: Json, published: str | None) -> Iterator[Wrong]:
    """The seeds that do not match the commitments made before the deal."""
    if transcript["fair"] not in get_args(Fair):
        raise ValueError
    server, seeds, commitments = transcript["server_seed"], transcript["seeds"], transcript["commitments"]
    if server is None:
        yield "/server_seed", phrase("seed-not-out")
        return
    if commitment(server) != transcript["commitment"]:
        yield "/commitment", phrase("not-committed")
    if published is not None and commitment(server) != published.lower():
        yield "/server_seed", phrase("not-noted")
    seats = transcript["deal"]["seats"] if transcript["fair"] == "joint" else 0
    for name, parts in (("seeds", seeds), ("commitments", commitments)):
        if not isinstance(parts, list) or len(parts) != seats:
            yield f"/{name}", phrase("as-many-seeds", count=seats)
            return
    for seat, (seed, committed) in enumerate(zip(seeds, commitments, strict=True)):
        if commitment(seed) != committed:
            yield f"/seeds/{seat}", phrase("not-committed")


def _wrong_game(transcript: Json) -> Iterator[Wrong]:
    """The places where the transcript differs from the replayed session.

    If another version of the rules judged the game, it is not replayed: a difference would prove no forgery.
    """
    judged_by, known = transcript["ruleset"]["version"], engines.registry()[transcript["deal"]["game"]].version
    if type(judged_by) is int and judged_by != known:
        yield "/ruleset/version", phrase("judged-by", version=judged_by, known=known)
        return
    table = _opened(transcript)
    log: list[LogEntry] = []
    without_moves = 0
    for place, entry in enumerate(transcript["entries"]):
        body = entry_without_moves(table.record.seats)
        if entry["moves"]:
            if without_moves < 2 * len(table.record.seeds):
                yield f"/entries/{place}", phrase("dealt-too-early")
                return
            try:
                moves = moves_of(table.engine, {"moves": entry["moves"]})
                table, body, _answer = table.moved(HOST, moves, place + 1)
            except (Illegal, DoesNotFit) as refused:
                reason = refused.reason if isinstance(refused, Illegal) else invalid_request(refused.invalid).detail
                yield f"/entries/{place}", phrase("not-to-be-replayed", reason=reason)
                return
        else:
            without_moves += 1
        log.append(LogEntry(place + 1, body))
    yield from _differences(_facts(_replayed(table, transcript["id"], log)), _facts(transcript))


def _facts(transcript: Json) -> Json:
    """The transcript without the sentences of its events."""
    entries = [
        {**entry, "events": [{name: event[name] for name in event if name != "text"} for event in entry["events"]]}
        for entry in transcript["entries"]
    ]
    return {**transcript, "entries": entries}


def _opened(transcript: Json) -> Table:
    """The table as first dealt, computed from the setup and the seeds; no cards are read from the transcript."""
    setup = {name: value for name, value in transcript["deal"].items() if name != "seed"}
    if "deck" in setup or "names" in setup:  # a session draws its cards, and keeps names elsewhere
        raise ValueError
    engine, body = stored_setup(setup)
    referee: Referee[Any] = Referee(engines.registry()[engine.game], ENGLISH, transcript["names"])
    taken = ("server_seed", "fair", "names", "commitments", "seeds")
    members = {name: transcript[name] for name in taken}
    seed = deal_seed(transcript["server_seed"], transcript["seeds"], 1)
    return Table.dealt(referee, body, seed, generation="", setup=setup, **members)


def _replayed(table: Table, name: str, log: Sequence[LogEntry]) -> Json:
    """The transcript of the replayed session."""
    session = Snapshot(name, HOST, len(log), table).document()
    replayed: Json = strict_json.loads(strict_json.dumps(table.transcript(session, log)))
    return replayed


def _differences(due: object, actual: object, pointer: str = "") -> Iterator[Wrong]:
    """The places where two JSON values differ; `true` differs from `1`."""
    if isinstance(due, dict) and isinstance(actual, dict):
        for name in [*due, *(name for name in actual if name not in due)]:
            if name in due and name in actual:
                yield from _differences(due[name], actual[name], f"{pointer}/{name}")
            else:
                yield f"{pointer}/{name}", phrase("made-otherwise")
    elif isinstance(due, list) and isinstance(actual, list) and len(due) == len(actual):
        for place, (one, other) in enumerate(zip(due, actual, strict=True)):
            yield from _differences(one, other, f"{pointer}/{place}")
    elif type(due) is not type(actual) or due != actual:
        yield pointer, phrase("made-otherwise")
