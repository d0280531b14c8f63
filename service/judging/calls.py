"""The stateless calls, one row each; each judged alone, and many of them in a batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter, sleep
from typing import Any

from service.contract.calls import AnyCall, Call, Calls, Link, body_of, routes
from service.contract.fields import Invalid
from service.contract.refusals import invalid_request
from service.contract.requests import AuditBody, DealBody, LegalMovesBody, ResolveBody, ValidateBody, ViewBody
from service.judging.referee import Json, Referee
from service.web import strict_json
from service.web.problems import Problem

TURN = 0.01
"""Seconds that a batch keeps a worker to itself."""
NOTHING_COMPARED = "A batch compares nothing; leave the field out."

RESOLVE = Call(
    "resolve",
    takes=ResolveBody,
    judge=Referee.resolve,
    leads_to=("legal-moves", "audit", "view"),
    link=Link("The same table, with moves to apply.", {"moves": []}),
    verdict="legal",
)
VALIDATE = Call("validate", takes=ValidateBody, judge=Referee.validate, verdict="legal")
LEGAL_MOVES = Call(
    "legal-moves",
    takes=LegalMovesBody,
    judge=Referee.legal_moves,
    link=Link("What may be done at this table now."),
)
AUDIT = Call(
    "audit",
    takes=AuditBody,
    judge=Referee.audit,
    link=Link("The same table, searched for contradictions."),
    refuses_faults=False,
    verdict="consistent",
)
VIEW = Call(
    "view",
    takes=ViewBody,
    judge=Referee.view,
    leads_to=("legal-moves", "audit", "resolve"),
    link=Link("The same table as a spectator sees it.", {"seat": None}),
)
DEAL = Call(
    "deal",
    takes=DealBody,
    judge=Referee.deal,
    leads_to=("legal-moves", "audit", "resolve", "view"),
)
CALLS: Calls = (RESOLVE, VALIDATE, LEGAL_MOVES, AUDIT, VIEW, DEAL)

NAMED: Mapping[str, AnyCall] = {call.name: call for call in CALLS}
ROUTES = routes(CALLS)


def judged(call: str, game: str | None, raw: Any, language: str) -> Json:
    """The answer to one call on a parsed body. `game`: where the path names it instead of the body."""
    row = NAMED[call]
    try:
        engine, body = body_of(row, game, raw)
    except Invalid as error:
        raise invalid_request(error) from None
    answer: Json = row.judge(Referee(engine, language), body)
    return answer


def in_batch(path: str, raw: Any, language: str) -> tuple[int, Json]:
    """Status and body of one call in a batch, judged alone."""
    call, game = ROUTES[path]
    try:
        if isinstance(raw, dict) and "compare" in raw:
            raise invalid_request(Invalid([{"pointer": "/compare", "detail": NOTHING_COMPARED}]))
        return 200, judged(call.name, game, raw, language)
    except Problem as problem:
        return problem.kind.status, problem.document(path)


def responses(entries: Sequence[Any], language: str, most: int) -> Iterator[strict_json.Part]:
    """Each entry's answer; those that would come after `most` bytes are put off. Others have their turn meanwhile."""
    size, since = 0, perf_counter()
    for each in entries:
        if size > most:
            detail = f"The answers before this one have more than {most} bytes. Send it again, in another batch."
            problem = Problem("payload-too-large", detail)
            status, body = problem.kind.status, problem.document(each.path)
        else:
            status, body = in_batch(each.path, each.body, language)
        response = strict_json.dumps({**({} if each.id is None else {"id": each.id}), "status": status, "body": body})
        size += len(response)
        yield strict_json.Part(response)
        if perf_counter() - since > TURN:
            sleep(1e-6)  # of 0 seconds, gevent would look at no socket
            since = perf_counter()
