"""Answers that are given again: what is kept under an Idempotency-Key, and how a request is known again."""

from __future__ import annotations

from hashlib import sha256

from service.contract.sessions import LONGEST_KEY
from service.sessions.refusals import misfit
from service.sessions.stores.protocol import KeptAnswer, Keyed
from service.sessions.tokens import Bearer
from service.web import strict_json
from service.web.http import Answer
from service.web.phrases import phrase
from service.web.problems import Problem


def stored_key(key: str, bearer: Bearer) -> str:
    """What stands for a request's Idempotency-Key in the store: keys are one bearer's."""
    if not 1 <= len(key) <= LONGEST_KEY:
        raise misfit("", phrase("key-length", most=LONGEST_KEY))
    return sha256(f"{bearer.name}\n{key}".encode()).hexdigest()


def fingerprint_of(call: str, body: object) -> str:
    """The same for requests that say the same, however they spell it."""
    return sha256(call.encode() + b"\n" + strict_json.canonical(body)).hexdigest()


def keyed(key: str, fingerprint: str, answer: Answer) -> Keyed:
    """An answer as the store keeps it."""
    packed = strict_json.dumps([answer.status, answer.headers]) + b"\n" + answer.body
    return Keyed(key, KeptAnswer(fingerprint, packed))


def again(kept: KeptAnswer, fingerprint: str) -> Answer:
    """The answer that was given to the same request."""
    if kept.fingerprint != fingerprint:
        raise Problem("idempotency-key-reused", phrase("other-body"))
    first, _, body = kept.body.partition(b"\n")
    status, headers = strict_json.loads(first)
    return Answer(body, status, [(name, value) for name, value in headers])
