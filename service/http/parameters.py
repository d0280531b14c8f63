"""The query parameters of calls. Those that a call does not have are refused, so that nobody believes them heeded."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qs
from wsgiref.types import WSGIEnvironment

from service.contract import Invalid, guesses
from service.contract.fields import did_you_mean, followed, shown
from service.contract.problem_bodies import more
from service.problems import Problem
from service.words.phrases import Phrase, phrase

LANGUAGE = frozenset({"lang", "language", "locale"})  #: Parameters with which clients ask for a language elsewhere.
TOKEN = frozenset({"token", "access_token", "bearer", "authorization"})  #: The same of tokens.
LAST_EVENT_ID = "lastEventId"
"""With it common polyfills of `EventSource` take up a stream again: they send no such header. They add it to an address
that may have it already, so the last one counts.
"""


def parameters_of(environ: WSGIEnvironment, *known: str) -> dict[str, str]:
    """The query parameters; raises Problem for those that are not `known`, and for those that are there twice."""
    sent = _sent(environ)
    if wrong := [name for name in sent if name not in known]:
        raise _wrong(wrong, known)
    if repeated := [name for name, values in sent.items() if len(values) > 1 and name != LAST_EVENT_ID]:
        raise _refusal("parameters-twice", {name: phrase("parameter-twice", name=shown(name)) for name in repeated})
    return {name: values[-1] for name, values in sent.items()}


def refuse_parameters(environ: WSGIEnvironment) -> None:
    """Refuse every query parameter."""
    if sent := _sent(environ):
        raise _wrong(sent)


def refuse_language_parameter(environ: WSGIEnvironment) -> None:
    """Refuse a query parameter that asks for a language; all others are ignored."""
    if wrong := [name for name in _sent(environ) if name.lower() in LANGUAGE]:
        raise _wrong(wrong)


def _sent(environ: WSGIEnvironment) -> dict[str, list[str]]:
    """The query parameters of a request, each with its values."""
    query = environ.get("QUERY_STRING")
    return parse_qs(query, keep_blank_values=True) if query else {}


def _wrong(names: Iterable[str], known: tuple[str, ...] = ()) -> Problem:
    """The refusal of a request for parameters that are not `known`."""
    return _refusal("wrong-parameters", {name: _unknown(name, known) for name in names})


def _refusal(of_several: str, details: dict[str, Phrase]) -> Problem:
    """The refusal of a request for these parameters, each with what is wrong. `of_several`: the phrase for several."""
    invalid = Invalid([{"pointer": "", "parameter": name, "detail": detail} for name, detail in details.items()])
    detail = phrase(of_several, count=len(details)) if len(details) > 1 else invalid.errors[0]["detail"]
    return Problem("invalid-request", detail, errors=invalid.errors, **more(invalid.more))


def _unknown(name: str, known: tuple[str, ...]) -> Phrase:
    """Why there is no such parameter, and what to do instead."""
    if name.lower() in LANGUAGE:
        return phrase("language-in-header", name=shown(name))
    if name.lower() in TOKEN:
        return phrase("token-in-header", name=shown(name))
    if not known:
        return phrase("no-parameters", name=shown(name))
    detail = phrase("no-such-parameter", name=shown(name), known=known)
    match = guesses.meant(name, known)
    return detail if match is None else followed(detail, did_you_mean(match))
