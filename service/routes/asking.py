"""A request on a session, read from its WSGI environment once and for all. In this order: token, media type, body, key.

The order is part of the contract: whoever has no token learns nothing else.
"""

from __future__ import annotations

from urllib.parse import parse_qs
from wsgiref.types import WSGIEnvironment

from werkzeug.http import parse_etags

from service.routes.shared import client_of, sessions_of
from service.sessions.asked import OPENING, Asked
from service.sessions.bodies import invite_of
from service.sessions.keyed import fingerprint_of, stored_key
from service.sessions.refusals import Unauthorized
from service.sessions.tokens import Bearer, TokenClaim
from service.web.http import accept_event_stream, accept_json, json_body, language_of


def opening(environ: WSGIEnvironment) -> Asked:
    """A session is to be opened, which has no name yet and takes no token."""
    accept_json(environ)
    body, key, fingerprint = _body_and_key(environ, OPENING.bearer, "open")
    return Asked(
        "", OPENING, language_of(environ), environ["PATH_INFO"], body, key, fingerprint, client=client_of(environ)
    )


def change(environ: WSGIEnvironment, session: str, call: str) -> Asked:
    """A session is to be changed. `call`: the last part of its path."""
    claim = _needed_claim(environ, session)
    accept_json(environ)
    body, key, fingerprint = _body_and_key(environ, claim.bearer, call)
    if_match = environ.get("HTTP_IF_MATCH")
    return Asked(
        session,
        claim,
        language_of(environ),
        environ["PATH_INFO"],
        body,
        key,
        fingerprint,
        if_match=None if if_match is None else parse_etags(if_match),
        call=call,
    )


def taking(environ: WSGIEnvironment, session: str, seat: str) -> Asked:
    """A seat is to be taken. Its invite stands in for a token, and in the body: it is good for nothing else."""
    accept_json(environ)
    sessions = sessions_of(environ)
    body = json_body(environ, sessions.settings.body_limit)
    claim = sessions.invited(invite_of(body), session, seat)
    key, fingerprint = _key(environ, body, claim.bearer, "seats")
    return Asked(session, claim, language_of(environ), environ["PATH_INFO"], body, key, fingerprint, call="seats")


def look(environ: WSGIEnvironment, session: str) -> Asked:
    """A session is to be read, by a bearer or by a spectator."""
    accept_json(environ)
    return Asked(
        session,
        _claim(environ, session),
        language_of(environ),
        environ["PATH_INFO"],
        if_none_match=parse_etags(environ.get("HTTP_IF_NONE_MATCH")),
        after=_parameter(environ, "after"),
    )


def order(environ: WSGIEnvironment, session: str) -> Asked:
    """Something that takes a token and no body."""
    return Asked(session, _needed_claim(environ, session), language_of(environ), environ["PATH_INFO"])


def listening(environ: WSGIEnvironment, session: str) -> Asked:
    """A session is to be followed. A ticket stands in for a token."""
    accept_event_stream(environ)
    ticket = _parameter(environ, "ticket")
    return Asked(
        session,
        _claim(environ, session) if ticket is None else None,
        language_of(environ),
        environ["PATH_INFO"],
        after=_parameter(environ, "after"),
        last_event_id=environ.get("HTTP_LAST_EVENT_ID"),
        ticket=ticket,
        client=client_of(environ),
    )


def _claim(environ: WSGIEnvironment, session: str) -> TokenClaim | None:
    """What the request's token says; None without one. A token that is not genuine is refused."""
    header = environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthorized
    return sessions_of(environ).claim(token.strip(), session)


def _needed_claim(environ: WSGIEnvironment, session: str) -> TokenClaim:
    claim = _claim(environ, session)
    if claim is None:
        raise Unauthorized
    return claim


def _body_and_key(environ: WSGIEnvironment, bearer: Bearer, call: str) -> tuple[object, str | None, str]:
    """The body; what stands for the request's key in the store, if it has one; and the fingerprint for that key."""
    body = json_body(environ, sessions_of(environ).settings.body_limit)
    return body, *_key(environ, body, bearer, call)


def _key(environ: WSGIEnvironment, body: object, bearer: Bearer, call: str) -> tuple[str | None, str]:
    key = environ.get("HTTP_IDEMPOTENCY_KEY")
    return (None, "") if key is None else (stored_key(key, bearer), fingerprint_of(call, body))


def _parameter(environ: WSGIEnvironment, name: str) -> str | None:
    given = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True).get(name)
    return None if given is None else given[-1]
