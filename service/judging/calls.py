"""The stateless calls, one row each, judged alone or in a batch."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import engines
from service import metrics, strict_json
from service.bounds import ANSWER, BATCH_ANSWER
from service.contract import answers, requests
from service.contract.codec import Codec
from service.contract.fields import Invalid, ObjectField
from service.contract.of_game import AnyEngine, GameShapes
from service.contract.problem_bodies import invalid_request, too_much
from service.contract.rows import AnyCall, Call, Calls, batch_entries, body_codec, entry_codec, routes
from service.judging.referee import Referee
from service.judging.sentences import words
from service.problems import FAILED, Problem
from service.scheduling import SCHEDULER, Overloaded, yielding
from service.words.languages import language_for, languages_of
from service.words.phrases import phrase

LOG = logging.getLogger(__name__)
RESERVED_FOR_AN_ENTRY = 2_000
"""Bytes of a batch's answer that are reserved for every entry, so that a refusal always fits."""

RESOLVE = Call(
    "resolve",
    takes=requests.ResolveBody,
    gives=answers.EncodedResolution,
    judge=Referee.resolve,
)
VALIDATE = Call("validate", takes=requests.ValidateBody, gives=answers.EncodedJudgement, judge=Referee.validate)
LEGAL_MOVES = Call(
    "legal-moves",
    takes=requests.LegalMovesBody,
    gives=answers.LegalMoves,
    judge=Referee.legal_moves,
)
AUDIT = Call(
    "audit",
    takes=requests.AuditBody,
    gives=answers.EncodedAudit,
    judge=Referee.audit,
)
VIEW = Call(
    "view",
    takes=requests.ViewBody,
    gives=answers.View,
    judge=Referee.view,
)
DEAL: Call[Referee[Any], requests.DealBody, answers.EncodedOpening] = Call(
    "deal",
    takes=requests.DealBody,
    gives=answers.EncodedOpening,
    judge=Referee.deal,
)
CALLS: Calls = (RESOLVE, VALIDATE, LEGAL_MOVES, AUDIT, VIEW, DEAL)

NAMED: Mapping[str, AnyCall] = {call.name: call for call in CALLS}
ROUTES = routes(CALLS)


def prepare() -> None:
    """Build codecs and sentences and keep them in their caches: the first requests would otherwise wait for them."""
    for call in CALLS:
        body_codec(call, None)
    for engine in engines.registry().values():
        for language in languages_of(engine):
            words(engine, language)


def body_of(call: AnyCall, game: str | None, value: Any) -> tuple[AnyEngine, Any]:
    """The engine that a body is for, and the body as a dataclass. `game`: from the path; None if the body names it.

    Raises `Invalid`.
    """
    body = body_codec(call, game).load(value)
    return engines.registry()[value["game"] if game is None else game], body


def stored_setup(value: Any) -> tuple[AnyEngine, Any]:
    """As `body_of`, of the setup in a store or a transcript. Its texts may be such as only an earlier version took."""
    try:
        return body_of(DEAL, None, value)
    except Invalid:
        engine = engines.registry().get(value.get("game"))
        if engine is None:
            raise
        members = {name: each for name, each in value.items() if name != "game"}
        lenient: Codec[Any] = Codec(ObjectField(GameShapes(engine, stored=True).record(DEAL.takes)))
        return engine, lenient.load(members)


def judged(call: str, game: str | None, raw: Any, language: str) -> object:
    """The answer to one call. `raw`: the parsed body. `game`: if the path names it instead of the body."""
    row = NAMED[call]
    try:
        engine, body = body_of(row, game, raw)
    except Invalid as error:
        raise invalid_request(error) from None
    SCHEDULER.yield_if_due()
    return row.judge(Referee(engine, language_for((language,), engine), body.names), body)


def answered(call: str, game: str | None, raw: Any, language: str) -> Any:
    """`judged`, as a client reads it: as plain JSON values."""
    return strict_json.plain(judged(call, game, raw, language))


def count_verdict(answer: Any) -> None:
    """Count the verdict of an answer for operators. One without the member `legal` or `consistent` has none."""
    if hasattr(answer, "consistent"):
        verdict = "consistent" if answer.consistent else "inconsistent"
        metrics.count_verdict(answer.game, verdict, [each.code for each in answer.faults])
    elif hasattr(answer, "legal"):
        legal = "legal" if answer.undetermined is None else "undetermined"
        verdict = legal if answer.legal else "illegal"
        metrics.count_verdict(answer.game, verdict, [each.code for each in answer.violations])


def game_in(raw: object) -> str | None:
    """The game that a body names, if there is one of this name."""
    game = raw.get("game") if isinstance(raw, dict) else None
    return game if isinstance(game, str) and game in engines.registry() else None


def batch_answered(raw: object, preferred: tuple[str, ...]) -> answers.BatchAnswers:
    """The answer to a batch of stateless calls. `raw`: the parsed body; `preferred`: languages, the best first."""
    try:
        entries = batch_entries(CALLS, raw)
    except Invalid as error:
        raise invalid_request(error) from None
    return answers.BatchAnswers(list(entries_answered(entries, preferred)))


def language_in_batch(path: str, raw: object, preferred: tuple[str, ...]) -> str:
    """The language of the answer to one entry."""
    _, game = ROUTES[path]
    return language_for(preferred, engines.registry().get(game or game_in(raw) or ""))


def entry_answered(raw: object, language: str) -> answers.BatchAnswer:
    """The answer to one entry that is in no batch, such as a line of a file; a refusal if it is no entry."""
    try:
        (answer,) = entries_answered([entry_codec(CALLS).load(raw)], (language,), LINE_FAILED)
    except (Invalid, Problem) as error:
        problem = invalid_request(error) if isinstance(error, Invalid) else error
        id = raw.get("id") if isinstance(raw, dict) else None
        is_id = type(id) in {str, int}  # not `isinstance`: true is no id
        return entry_refused(id if is_id else None, problem, language)
    return answer


def entry_refused(id: str | int | None, problem: Problem, language: str) -> answers.BatchAnswer:
    """The refusal of what is no entry of a batch. `id`: its own, if it has one."""
    return answers.BatchAnswer(id=id, status=problem.kind.status, body=problem.document("/batch", language))


LINE_FAILED = Problem("internal-error", phrase("failed-line"))  #: A line of a file has no header that names it.


def _status_and_body(path: str, raw: object, language: str, failed: Problem) -> tuple[int, object]:
    """Status and body of the answer to one entry of a batch. A mistake of ours fails its own entry, and no other."""
    call, game = ROUTES[path]
    if isinstance(raw, dict) and raw.get("compare") is not None:
        refusal = invalid_request(Invalid([{"pointer": "/compare", "detail": phrase("nothing-compared")}]))
        return _refused(path, refusal, language)
    try:
        return 200, judged(call.name, game, raw, language)
    except Overloaded:
        raise
    except Problem as problem:
        return _refused(path, problem, language)
    except Exception:
        LOG.exception("an entry of a batch failed: %s", path)
        return _refused(path, failed, language)


def _refused(path: str, problem: Problem, language: str) -> tuple[int, object]:
    """Status and body of the refusal of one entry of a batch."""
    return problem.kind.status, problem.document(path, language)


def entries_answered(
    entries: Sequence[requests.BatchEntry], preferred: tuple[str, ...], failed: Problem = FAILED
) -> Iterator[answers.BatchAnswer]:
    """The answer to each entry. If it would be too long, or the batch with it, a refusal is in its place.

    Yields to other requests between entries. `failed`: the problem where the referee fails on one.
    """
    left = BATCH_ANSWER - sum([_reserved_bytes(each) for each in entries])
    for each in yielding(entries):
        language = language_in_batch(each.path, each.body, preferred)
        status, body = _status_and_body(each.path, each.body, language, failed)
        count_verdict(body)
        written = strict_json.dumps(body)
        room, refusal = left + RESERVED_FOR_AN_ENTRY, None
        if len(written) > ANSWER:
            refusal = too_long(len(written))
        elif len(written) > room:
            refusal = too_much("too-long-in-batch", len(written), room)
        if refusal is not None:
            status, body = _refused(each.path, refusal, language)
            written = strict_json.dumps(body)
        left = room - len(written)
        yield answers.BatchAnswer(id=each.id, status=status, body=strict_json.Part(written))


def _reserved_bytes(entry: requests.BatchEntry) -> int:
    """The bytes of the answer that are reserved for an entry: for a refusal, and for the JSON around the body."""
    return len(strict_json.dumps(entry.id)) + len(b'{"id":,"status":200,"body":},') + RESERVED_FOR_AN_ENTRY


def too_long(count: int) -> Problem:
    """The problem that replaces an answer of this many bytes."""
    return too_much("too-long-an-answer", count, ANSWER)
