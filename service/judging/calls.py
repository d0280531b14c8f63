"""The stateless calls, one row each; each judged alone, and many of them in a batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from time import perf_counter, sleep
from typing import Any

from service.contract.answers import (
    BatchAnswer,
    BatchAnswers,
    LegalMoves,
    View,
    WrittenAudit,
    WrittenJudgement,
    WrittenOpening,
    WrittenResolution,
)
from service.contract.calls import AnyCall, Call, Calls, Link, batch_body, body_of, routes
from service.contract.fields import Invalid
from service.contract.of_game import AnyEngine
from service.contract.refusals import invalid_request
from service.contract.requests import (
    AuditBody,
    BatchEntry,
    DealBody,
    LegalMovesBody,
    ResolveBody,
    ValidateBody,
    ViewBody,
)
from service.judging.referee import Referee
from service.web import strict_json
from service.web.problems import Problem

TURN = 0.01
"""Seconds that a batch keeps a worker to itself."""
NOTHING_COMPARED = "A batch compares nothing; leave the field out."

RESOLVE = Call(
    "resolve",
    takes=ResolveBody,
    gives=WrittenResolution,
    judge=Referee.resolve,
    leads_to=("legal-moves", "audit", "view"),
    link=Link("The same table, with moves to apply.", {"moves": []}),
    verdict="legal",
)
VALIDATE = Call("validate", takes=ValidateBody, gives=WrittenJudgement, judge=Referee.validate, verdict="legal")
LEGAL_MOVES = Call(
    "legal-moves",
    takes=LegalMovesBody,
    gives=LegalMoves,
    judge=Referee.legal_moves,
    link=Link("What may be done at this table now."),
)
AUDIT = Call(
    "audit",
    takes=AuditBody,
    gives=WrittenAudit,
    judge=Referee.audit,
    link=Link("The same table, searched for contradictions."),
    refuses_faults=False,
    verdict="consistent",
)
VIEW = Call(
    "view",
    takes=ViewBody,
    gives=View,
    judge=Referee.view,
    leads_to=("legal-moves", "audit", "resolve"),
    link=Link("The same table as a spectator sees it.", {"seat": None}),
)
DEAL: Call[Referee[Any], DealBody, WrittenOpening] = Call(
    "deal",
    takes=DealBody,
    gives=WrittenOpening,
    judge=Referee.deal,
    leads_to=("legal-moves", "audit", "resolve", "view"),
)
CALLS: Calls = (RESOLVE, VALIDATE, LEGAL_MOVES, AUDIT, VIEW, DEAL)

NAMED: Mapping[str, AnyCall] = {call.name: call for call in CALLS}
ROUTES = routes(CALLS)


def judged(call: str, game: str | None, raw: object, language: str) -> object:
    """The answer to one call on a parsed body. `game`: where the path names it instead of the body."""
    row = NAMED[call]
    try:
        engine, body = body_of(row, game, raw)
    except Invalid as error:
        raise invalid_request(error) from None
    answer: object = row.judge(_referee(engine, language), body)
    return answer


@cache
def _referee(engine: AnyEngine, language: str) -> Referee[Any]:
    return Referee(engine, language)


def batch(raw: object, language: str, most: int) -> BatchAnswers:
    """The answer to many calls; what would come after `most` bytes is put off."""
    try:
        entries = batch_body(CALLS, raw)
    except Invalid as error:
        raise invalid_request(error) from None
    return BatchAnswers(list(responses(entries, language, most)))


def in_batch(path: str, raw: object, language: str) -> tuple[int, object]:
    """Status and body of one call in a batch, judged alone."""
    call, game = ROUTES[path]
    try:
        if isinstance(raw, dict) and "compare" in raw:
            raise invalid_request(Invalid([{"pointer": "/compare", "detail": NOTHING_COMPARED}]))
        return 200, judged(call.name, game, raw, language)
    except Problem as problem:
        return _refused(path, problem)


def _refused(path: str, problem: Problem) -> tuple[int, object]:
    return problem.kind.status, problem.document(path)


def responses(entries: Iterable[BatchEntry], language: str, most: int) -> Iterator[BatchAnswer]:
    """Each entry's answer; those that would come after `most` bytes are put off. Others have their turn meanwhile."""
    size, since = 0, perf_counter()
    for each in entries:
        if size > most:
            detail = f"The answers before this one have more than {most} bytes. Send it again, in another batch."
            status, body = _refused(each.path, Problem("payload-too-large", detail))
        else:
            status, body = in_batch(each.path, each.body, language)
        answer = BatchAnswer(id=each.id, status=status, body=strict_json.Part(strict_json.dumps(body)))
        size += len(strict_json.dumps(answer))
        yield answer
        if perf_counter() - since > TURN:
            sleep(1e-6)  # of 0 seconds, gevent would look at no socket
            since = perf_counter()
