"""Requests on sessions read from HTTP, and their outcomes written as HTTP.

A request is read in this order: token, media type, body, idempotency key. The order is part of the contract: a client
without a token learns only that it needs one.
"""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import assert_never
from urllib.parse import parse_qs
from wsgiref.types import WSGIEnvironment

from werkzeug.http import parse_etags

from service.contract.refusals import invalid_request, more
from service.contract.sessions import EncodedJoined, Invited, codec_of
from service.routes.shared import client_of, sessions_of, settings_of
from service.sessions import outcomes
from service.sessions.requests import RequestKey, SessionRequest, read
from service.sessions.tokens import HOST, Bearer, TokenClaim
from service.web import http, strict_json
from service.web.phrases import phrase
from service.web.problems import Problem

# --- requests ------------------------------------------------------------------------------------


def opening_request(environ: WSGIEnvironment) -> SessionRequest:
    """A request to open a session, which takes no token."""
    language, body = http.json_request(environ, settings_of(environ).body_limit)
    key = _key(environ, HOST, "open", body)
    return SessionRequest("", None, language, "open", body, key, client=client_of(environ))


def change_request(environ: WSGIEnvironment, session: str, call: str) -> SessionRequest:
    """A request to change a session. `call`: the last part of its path."""
    limit, claim = settings_of(environ).body_limit, _claim(environ, session)
    language, body = http.json_request(environ, limit)
    if_match = environ.get("HTTP_IF_MATCH")
    tags = None if if_match is None else parse_etags(if_match)
    return SessionRequest(session, claim, language, call, body, _key(environ, claim.bearer, call, body), tags)


def seat_request(environ: WSGIEnvironment, session: str, seat: str) -> SessionRequest:
    """A request to take a seat. The invite in its body takes the place of a token, here and nowhere else."""
    language, body = http.json_request(environ, settings_of(environ).body_limit)
    claim = sessions_of(environ).invited(read(codec_of(Invited), body).invite, session, seat)
    return SessionRequest(session, claim, language, "seats", body, _key(environ, claim.bearer, "seats", body))


def _key(environ: WSGIEnvironment, bearer: Bearer, call: str, body: object) -> RequestKey | None:
    return RequestKey.of(environ.get("HTTP_IDEMPOTENCY_KEY"), bearer, call, body, partial(_encoded, environ))


def read_request(environ: WSGIEnvironment, session: str) -> SessionRequest:
    """A request to read a session, with a token or without."""
    http.accept_json(environ)
    return SessionRequest(
        session, _claim_if_any(environ, session), http.language_of(environ), after=_parameter(environ, "after")
    )


def bodiless_request(environ: WSGIEnvironment, session: str) -> SessionRequest:
    """A request that takes a token and no body."""
    return SessionRequest(session, _claim(environ, session), http.language_of(environ))


def stream_request(environ: WSGIEnvironment, session: str) -> SessionRequest:
    """A request for a stream of events. A ticket takes the place of a token."""
    http.accepted(environ, http.EVENT_STREAM)
    ticket = _parameter(environ, "ticket")
    return SessionRequest(
        session,
        _claim_if_any(environ, session) if ticket is None else None,
        http.language_of(environ),
        after=_parameter(environ, "after"),
        last_event_id=environ.get("HTTP_LAST_EVENT_ID"),
        ticket=ticket,
        client=client_of(environ),
    )


def _claim(environ: WSGIEnvironment, session: str) -> TokenClaim:
    """The claim of the request's token. Without a genuine token the request is refused."""
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "bearer":
        raise outcomes.Unauthorized
    return sessions_of(environ).claim(token.strip(), session)


def _claim_if_any(environ: WSGIEnvironment, session: str) -> TokenClaim | None:
    return _claim(environ, session) if "HTTP_AUTHORIZATION" in environ else None


def _parameter(environ: WSGIEnvironment, name: str) -> str | None:
    given = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True).get(name)
    return None if given is None else given[-1]


# --- outcomes ------------------------------------------------------------------------------------


def answer_to(outcome: outcomes.Outcome, environ: WSGIEnvironment) -> http.Answer:  # noqa: C901 - flat, one row each
    """The answer to a request on a session."""
    match outcome:
        case outcomes.Opened():
            location = {"Location": f"/sessions/{outcome.session.id}"} | _tagged(outcome.tag)
            return http.json_answer(outcome.session, 201, headers=location | _limit(outcome.share))
        case outcomes.Made():
            status, headers = 202 if isinstance(outcome.body, EncodedJoined) else 201, _tagged(outcome.tag)
            return http.json_answer(outcome.body, status, language=http.language_of(environ), headers=headers)
        case outcomes.Kept():
            return _decoded(outcome.encoded)
        case outcomes.Unauthorized():
            problem = Problem("unauthorized", phrase("send-token"), {"WWW-Authenticate": "Bearer"})
            # Without the path: the answer is the same, whether there is such a session or not.
            return http.problem_answer(problem, "/sessions", http.language_of(environ))
        case outcomes.Gone():
            problem = Problem("not-found", phrase("gone"))
        case outcomes.LogLost():
            problem = Problem("not-found", phrase("log-lost"))
        case outcomes.DoesNotFit():
            problem = invalid_request(outcome.invalid)
        case outcomes.Refused(retry_after=seconds):
            headers = {} if seconds is None else {"Retry-After": str(seconds)}
            problem = Problem(outcome.kind, outcome.reason, headers, **outcome.more)
        case outcomes.Illegal():
            listed = {"violations": outcome.violations, **more(outcome.more)}
            problem = Problem("illegal-move", outcome.reason, **listed)
        case outcomes.Stale(session=session):
            detail, headers = phrase("at-version", version=session.version), _tagged(outcome.tag)
            problem = Problem("version-mismatch", detail, headers, version=session.version, view=session)
        case outcomes.ShareUsedUp():
            headers = {"Retry-After": str(ceil(outcome.share.wait))} | _limit(outcome.share)
            problem = Problem("too-many-requests", phrase("share-used-up"), headers)
        case _:
            assert_never(outcome)
    return http.problem_answer(problem, environ["PATH_INFO"], http.language_of(environ))


def _tagged(tag: str) -> dict[str, str]:
    return {"ETag": f'"{tag}"'}


def _limit(share: outcomes.Share) -> dict[str, str]:
    """The share of openings in the headers of draft-ietf-httpapi-ratelimit-headers-10."""
    return {
        "RateLimit-Policy": f'"openings";q={share.most};w={share.seconds}',
        "RateLimit": f'"openings";r={share.left};t={ceil(share.wait or share.full_in)}',
    }


def _encoded(environ: WSGIEnvironment, outcome: outcomes.Outcome) -> bytes:
    """The answer as it is kept under an idempotency key."""
    answer = answer_to(outcome, environ)
    return strict_json.dumps([answer.status, answer.headers]) + b"\n" + answer.body


def _decoded(kept: bytes) -> http.Answer:
    first, _, body = kept.partition(b"\n")
    status, headers = strict_json.loads(first)
    return http.Answer(body, status, [(name, value) for name, value in headers])
