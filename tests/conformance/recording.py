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
    """What one must know beside a request to expect the members that follow from it: a game's rulesets by name.

    The default ruleset comes first.
    """

    rulesets: Mapping[str, Json]

    def written(self, vector: Vector, body: Json) -> Json:
        """Return an answer's body, or a part of it, without sentences and without what follows from the request."""
        recorded = _other_than(without_sentences(body), self._expected_members(vector))
        if "state" in recorded:
            recorded["state"] = _other_than(recorded["state"], self._expected_state(vector))
        return recorded

    def rest(self, vector: Vector, answer: Json) -> Json:
        """Return what is to be recorded of an answer that agrees with its vector.

        `body` has what neither follows from the request nor was worked out in the vector. `absent` has the pointers of
        members that one would expect from the request, but that the answer lacks.
        """
        absent = [f"/{name}" for name in self._expected_members(vector) if name not in answer]
        if "state" in answer:
            absent += [f"/state/{name}" for name in self._expected_state(vector) if name not in answer["state"]]
        body = _additions_to(self.written(vector, answer), self.written(vector, vector.worked))
        return {**({} if body is NOTHING else {"body": body}), **({"absent": absent} if absent else {})}

    def _expected_members(self, vector: Vector) -> Json:
        """Return the members of the answer that one can expect from the request, with their values."""
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

    def _expected_state(self, vector: Vector) -> Json:
        """Return the posted state as the referee reads it: with its whole ruleset. Of a deal, that is all."""
        sent = vector.request.get("body", {})
        posted = sent.get("state", {})
        ruleset = self._ruleset(posted if "state" in sent else sent)
        return {**posted, "ruleset": {name: ruleset[name] for name in ("name", "options")}}

    def _ruleset(self, holder: Json) -> Json:
        """Return the ruleset that a state or a setup chooses, with the options that it changes."""
        chosen = holder.get("ruleset", {})
        preset = self.rulesets[chosen.get("name", next(iter(self.rulesets)))]
        return {**preset, "options": {**preset["options"], **chosen.get("options", {})}}


def _other_than(members: Json, expected: Json) -> Json:
    """Return the members whose value is not the expected one."""
    return {
        name: value
        for name, value in members.items()
        if name not in expected or not _is_same_json(value, expected[name])
    }


def _is_same_json(one: Any, other: Any) -> bool:
    """Whether two JSON values are written alike: `1` is neither `true` nor `1.0`, though Python holds them equal."""
    return one == other and (one is other or _sorted(one) == _sorted(other))


_sorted = partial(json.dumps, sort_keys=True)


def without_sentences(value: Any) -> Any:
    """Return a JSON value without the members that hold sentences, at any depth."""
    if isinstance(value, list):
        return [without_sentences(each) for each in value]
    if isinstance(value, dict):
        return {name: without_sentences(each) for name, each in value.items() if name not in SENTENCES}
    return value


NOTHING: Any = object()  #: Stands for a value of which nothing is to be recorded; `None` is a value of JSON.


def _additions_to(whole: Any, part: Any) -> Any:
    """Return what `whole` has that `part`, which agrees with it, does not have; `NOTHING` if there is no more in it."""
    if isinstance(whole, dict):
        left = {name: _additions_to(each, part[name]) if name in part else each for name, each in whole.items()}
        return {name: each for name, each in left.items() if each is not NOTHING} or NOTHING
    if isinstance(whole, list):
        if len(whole) != len(part):  # they do not agree, which is for the comparison to tell
            return whole
        items = [_additions_to(*pair) for pair in zip(whole, part, strict=True)]
        if any(each is not NOTHING for each in items):
            # Something must stand for an item of which nothing is left: as little as it contains.
            least = [{} if isinstance(each, dict) else each for each in whole]
            return [small if each is NOTHING else each for small, each in zip(least, items, strict=True)]
    return NOTHING


def reading_of(vectors: Sequence[Vector], ask: Ask) -> Reading:
    """Ask the service for the rulesets of the game whose vectors these are."""
    request = {"method": "GET", "path": f"/games/{vectors[0].game}"}
    _, description = ask(replace(vectors[0], request=request))
    used = [{name: each[name] for name in ("name", "version", "options")} for each in description["rulesets"]]
    return Reading({ruleset["name"]: ruleset for ruleset in used})


# --- files -------------------------------------------------------------------


def file_of(folder: str) -> Path:
    """Return the file in which the answers of a game are recorded. `folder`: its folder in `seeds/`."""
    return FOLDER / f"{folder}.jsonl"


def lines(reading: Reading, vectors: Sequence[Vector], ask: Ask) -> Iterator[str]:
    """Yield the lines of that file, for a game whose answers agree with its vectors."""
    yield on_one_line({"generated": GENERATED})
    for ruleset in reading.rulesets.values():
        yield on_one_line({"ruleset": ruleset})
    for vector in vectors:
        yield on_one_line({"id": vector.id, **reading.rest(vector, ask(vector)[1])})
