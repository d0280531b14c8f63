"""The stateless calls by name, each judged alone, and many of them in a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter, sleep
from typing import Any, TypeAlias

from service.contract.fields import Invalid
from service.contract.refusals import invalid_request
from service.contract.requests import body_of
from service.judging.referee import Json, Referee
from service.web import strict_json
from service.web.problems import Problem

TURN = 0.01
"""Seconds that a batch keeps a worker to itself."""
NOTHING_COMPARED = "A batch compares nothing; leave the field out."

Call: TypeAlias = Callable[[Referee, Any], Json]

CALLS: dict[str, Call] = {
    "resolve": Referee.resolve,
    "validate": Referee.validate,
    "legal-moves": Referee.legal_moves,
    "audit": Referee.audit,
    "view": Referee.view,
    "deal": Referee.deal,
}


def judged(call: str, game: str | None, raw: Any, spoken: str) -> Json:
    """The answer to one call on a parsed body. `game`: where the path names it instead of the body."""
    try:
        engine, body = body_of(call, game, raw)
    except Invalid as error:
        raise invalid_request(error) from None
    return CALLS[call](Referee(engine, spoken), body)


def in_batch(path: str, raw: Any, spoken: str) -> tuple[int, Json]:
    """Status and body of one call in a batch, judged alone."""
    parts = path.strip("/").split("/")
    game, call = (parts[1], parts[2]) if len(parts) == 3 else (None, parts[0])
    try:
        if isinstance(raw, dict) and "compare" in raw:
            raise invalid_request(Invalid([{"pointer": "/compare", "detail": NOTHING_COMPARED}]))
        return 200, judged(call, game, raw, spoken)
    except Problem as problem:
        return problem.kind.status, problem.document(path)


def responses(entries: Sequence[Any], spoken: str, most: int) -> Iterator[strict_json.Part]:
    """Each entry's answer; those that would come after `most` bytes are put off. Others have their turn meanwhile."""
    size, since = 0, perf_counter()
    for each in entries:
        if size > most:
            detail = f"The answers before this one have more than {most} bytes. Send it again, in another batch."
            problem = Problem("payload-too-large", detail)
            status, body = problem.kind.status, problem.document(each.path)
        else:
            status, body = in_batch(each.path, each.body, spoken)
        response = strict_json.dumps({**({} if each.id is None else {"id": each.id}), "status": status, "body": body})
        size += len(response)
        yield strict_json.Part(response)
        if perf_counter() - since > TURN:
            sleep(1e-6)  # of 0 seconds, gevent would look at no socket
            since = perf_counter()
