"""What the service adds to the worked parts of vectors: one line a case in `recorded/`, without what follows by rule.

docs/vectors.md gives the rules. An answer is, to its last member, what was worked out, what is recorded, what follows
from the request, and sentences (see `sentences.py`). Needs nothing but Python.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from service.conformance import SENTENCES, UNDERSTOOD
from service.seeds import Vector
from tests.conformance import Ask
from tests.conformance.layout import on_one_line

FOLDER = Path(__file__).parent / "recorded"
GENERATED = "by python -m tests.conformance.complete --record; docs/vectors.md says how to read it"

Json: TypeAlias = dict[str, Any]

FOLLOWING = {
    "resolve": ("game", "ruleset", "applied", "violations", "unverified", "undetermined", "contested", "result"),
    "validate": ("game", "ruleset", "violations", "unverified", "undetermined"),
    "legal-moves": ("game", "ruleset", "complete"),
    "audit": ("game", "faults", "unverified"),
    "view": ("game", "seat"),
    "deal": ("game", "seed", "commitment"),
}
"""Members of each call's answer that are not written where they are what the request makes one expect."""


@dataclass(frozen=True)
class Reading:
    """What the answers of a game follow from, beside the request: the presets by name, the default first."""

    rulesets: Mapping[str, Json]

    def written(self, vector: Vector, body: Json) -> Json:
        """A body, or a part of one, without sentences and without what follows from the request."""
        recorded = _but(wordless(body), self._follows(vector))
        return {**recorded, "state": _but(recorded["state"], self._state(vector))} if "state" in recorded else recorded

    def rest(self, vector: Vector, answer: Json) -> Json:
        """What is to be recorded of an answer with which the vector agrees.

        `body`: what neither follows nor was worked out; `absent`: pointers of members that follow, but are not there.
        """
        absent = [f"/{name}" for name in self._follows(vector) if name not in answer]
        if "state" in answer:
            absent += [f"/state/{name}" for name in self._state(vector) if name not in answer["state"]]
        body = _beyond(self.written(vector, answer), self.written(vector, vector.worked))
        return {**({} if body is NOTHING else {"body": body}), **({"absent": absent} if absent else {})}

    def _follows(self, vector: Vector) -> Json:
        if "type" in vector.worked:
            return {"status": vector.response["status"], "instance": vector.request["path"]}
        sent = vector.request.get("body", {})
        members = {
            **UNDERSTOOD,
            "game": vector.game,
            "ruleset": self._ruleset(sent.get("state", {})),
            "applied": len(sent.get("moves", ())),
            "seat": sent.get("seat"),
            "seed": sent.get("seed"),
            "commitment": None,
        }
        return {name: members[name] for name in FOLLOWING.get(vector.call, ())}

    def _state(self, vector: Vector) -> Json:
        """The posted state as the referee reads it; of a deal no more than the ruleset."""
        sent = vector.request.get("body", {})
        posted = sent.get("state", {})
        ruleset = self._ruleset(posted if "state" in sent else sent)
        return {**posted, "ruleset": {name: ruleset[name] for name in ("name", "options")}}

    def _ruleset(self, holder: Json) -> Json:
        chosen = holder.get("ruleset", {})
        preset = self.rulesets[chosen.get("name", next(iter(self.rulesets)))]
        return {**preset, "options": {**preset["options"], **chosen.get("options", {})}}


def _but(members: Json, following: Json) -> Json:
    """Those that are not what they are expected to be."""
    return {
        name: value for name, value in members.items() if name not in following or not _same(value, following[name])
    }


def _same(one: Any, other: Any) -> bool:
    """Alike to the last digit: `1` is neither `true` nor `1.0`."""
    return one == other and (one is other or _sorted(one) == _sorted(other))


_sorted = partial(json.dumps, sort_keys=True)


def wordless(value: Any) -> Any:
    """Without sentences, at any depth."""
    if isinstance(value, list):
        return [wordless(each) for each in value]
    if isinstance(value, dict):
        return {name: wordless(each) for name, each in value.items() if name not in SENTENCES}
    return value


NOTHING: Any = object()


def _beyond(whole: Any, part: Any) -> Any:
    """What `whole` has beyond a part with which it agrees; `NOTHING` where that is all of it."""
    if isinstance(whole, dict):
        left = {name: _beyond(each, part[name]) if name in part else each for name, each in whole.items()}
        return {name: each for name, each in left.items() if each is not NOTHING} or NOTHING
    if isinstance(whole, list):
        if len(whole) != len(part):  # they do not agree, which is for the comparison to tell
            return whole
        items = [_beyond(*pair) for pair in zip(whole, part, strict=True)]
        if any(each is not NOTHING for each in items):
            # Something must stand for an item of which nothing is left: as little as it contains.
            least = [{} if isinstance(each, dict) else each for each in whole]
            return [some if each is NOTHING else each for some, each in zip(least, items, strict=True)]
    return NOTHING


def reading_of(vectors: Sequence[Vector], ask: Ask) -> Reading:
    """What the answers of a game follow from."""
    request = {"method": "GET", "path": f"/games/{vectors[0].game}"}
    _, description = ask(replace(vectors[0], request=request))
    used = [{name: each[name] for name in ("name", "version", "options")} for each in description["rulesets"]]
    return Reading({ruleset["name"]: ruleset for ruleset in used})


# --- files -------------------------------------------------------------------


def file_of(folder: str) -> Path:
    """What is recorded of the game with this folder in `seeds/`."""
    return FOLDER / f"{folder}.jsonl"


def lines(reading: Reading, vectors: Sequence[Vector], ask: Ask) -> Iterator[str]:
    """What is to be recorded of a game whose answers agree with its vectors."""
    yield on_one_line({"generated": GENERATED})
    for ruleset in reading.rulesets.values():
        yield on_one_line({"ruleset": ruleset})
    for vector in vectors:
        yield on_one_line({"id": vector.id, **reading.rest(vector, ask(vector)[1])})
