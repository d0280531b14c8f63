"""The paths nearest to one that is unknown, for clients whose authors guessed it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from wsgiref.types import WSGIEnvironment

from flask import current_app

import engines
from service.contract import guesses
from service.contract.fields import did_you_mean, followed, shown
from service.http.middleware import needs_sessions
from service.http.shared import SESSIONS
from service.words.phrases import Phrase, phrase

LONGEST_COMPARED = 120  #: Characters of the longest path that is compared with those that there are.
NEARLY_NEAREST = 0.04  #: By how much less a path may be alike than the nearest, and still be named.
USUAL_PREFIX = re.compile(r"api|rest|v[0-9.]+")  #: What other services have before their paths.
OTHER_NAMES = {
    "/swagger": ["/docs", "/openapi.json"], "/redoc": ["/docs"], "/swagger.json": ["/openapi.json"],
    "/health": ["/livez", "/readyz"], "/healthz": ["/livez", "/readyz"], "/ping": ["/livez"],
}  # fmt: skip
"""Paths of other services, and what does the same here."""


def there(environ: WSGIEnvironment) -> Sequence[str]:
    """The rules of all routes of this service; without those of sessions where they are off."""
    every = [rule.rule for rule in current_app.url_map.iter_rules()]
    return every if environ[SESSIONS] is not None else [rule for rule in every if not needs_sessions(rule)]


def unknown_game(game: str, path: str, rules: Iterable[str]) -> Phrase:
    """The refusal of a path that names an unknown game, with the games and the nearest path."""
    known = engines.registry()
    detail = phrase("no-such-game", game=shown(game), known=", ".join(known))
    match = guesses.meant(game, [*known])
    if match is None:
        return detail
    instead = f"/games/{match}{path.removeprefix(f'/games/{game}')}"
    near = [instead] if instead in _paths(rules, _segments(instead)) else nearest(instead, rules)
    return followed(detail, _suggestion(near) if near else did_you_mean(match))


def nothing_at(path: str, rules: Iterable[str]) -> Phrase:
    """The refusal of an unknown path, with the nearest known ones. `rules`: of the routes."""
    detail = phrase("nothing-here", path=path)
    near = nearest(path, rules) if len(path) <= LONGEST_COMPARED else ()
    return followed(detail, _suggestion(near)) if near else detail


def nearest(path: str, rules: Iterable[str]) -> Sequence[str]:
    """At most three paths that are like this one, the most alike first."""
    sent = _segments(path)
    while sent and USUAL_PREFIX.fullmatch(sent[0].lower()):
        del sent[0]
    lower_path = "/" + "/".join(sent).lower()
    if lower_path in OTHER_NAMES:
        return OTHER_NAMES[lower_path]
    known = [each for each in _paths(rules, sent) if each != path]
    for each in known:
        if _key(_segments(each)) == _key(sent):
            return [each]
    close = get_close_matches(lower_path, known, 3)
    return [each for each in close if _likeness(lower_path, each) > _likeness(lower_path, close[0]) - NEARLY_NEAREST]


def _likeness(one: str, other: str) -> float:
    """How alike two texts are, from 0 to 1."""
    return SequenceMatcher(None, one, other).ratio()


def _suggestion(paths: Sequence[str]) -> Phrase:
    """The sentence that names these paths."""
    return phrase("nearest-paths", paths=tuple(paths))


def _segments(path: str) -> list[str]:
    """The parts of a path between its slashes, without empty ones."""
    return [each for each in path.split("/") if each]


def _key(segments: Sequence[str]) -> list[str]:
    """The same for paths that differ only in separators, order, and `games` before the name of one."""
    plain = [re.sub(r"[^a-z0-9]", "", each.lower()) for each in segments]
    return sorted(each for each in plain if each != "games" or len(plain) == 1)


def _paths(rules: Iterable[str], sent: Sequence[str]) -> list[str]:
    """The paths of all routes: those of a game for every game there is, those of a session with what was sent."""
    return list(dict.fromkeys(path for rule in rules for path in _filled(rule, sent)))


def _filled(rule: str, sent: Sequence[str]) -> Iterator[str]:
    """The paths of one route; none if its parameters cannot be filled in."""
    segments = rule.split("/")[1:]
    if "<game>" in segments:
        yield from (rule.replace("<game>", game) for game in engines.registry())
    elif "<" not in rule:
        yield rule
    elif segments[0] == "sessions" and len(segments) == len(sent) and sent[0].lower().startswith("session"):
        yield "/" + "/".join(sent[at] if "<" in each else each for at, each in enumerate(segments))
