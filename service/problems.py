"""Problem documents (RFC 9457)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import quote

from service import bounds
from service.config import Settings
from service.words.phrases import Phrase, messages, phrase, worded

Json: TypeAlias = dict[str, Any]  #: A JSON object.
MEDIA_TYPE = "application/problem+json"
MIB = 1 << 20


@dataclass(frozen=True)
class Kind:
    """A kind of problem. Its meaning is under `problems` in `words/`; a title is there unless HTTP's says it all."""

    slug: str
    status: int

    def title(self, language: str) -> str:
        """Its own title, or that of its status in HTTP."""
        own = messages(language)["problems"][self.slug].get("title")
        return str(own or messages(language)["statuses"][self.status])

    def meaning(self, language: str) -> str:
        """The text of `GET /problems/<slug>`."""
        return str(messages(language)["problems"][self.slug]["meaning"]).format_map(BOUNDS)


BOUNDS = {name.lower(): bound for name, bound in vars(bounds).items() if name.isupper()} | {
    "answer_mib": bounds.ANSWER // MIB,
    "batch_answer_mib": bounds.BATCH_ANSWER // MIB,
    "body_mib": Settings.body_limit // MIB,
    "accept": bounds.ACCEPT_LENGTH,
    "batch_mib": Settings.batch_limit // MIB,
}
"""The numbers for the words in braces in the published texts."""

SLUGS = {
    400: ("malformed-json", "invalid-request"),
    401: ("unauthorized",),
    403: ("forbidden",),
    404: ("not-found",),
    405: ("method-not-allowed",),
    406: ("not-acceptable",),
    409: (
        "request-in-progress",
        "session-full",
        "seat-taken",
        "incident-open",
        "time-running",
        "time-over",
        "not-over",
    ),
    412: ("version-mismatch",),
    413: ("payload-too-large",),
    415: ("unsupported-media-type",),
    422: ("invalid-state", "illegal-move", "seed-mismatch", "too-much-asked", "idempotency-key-reused"),
    429: ("too-many-requests",),
    431: ("headers-too-large",),
    500: ("internal-error",),
    503: ("store-unavailable", "overloaded"),
}
"""The kinds of problems, by their status."""
KINDS = {slug: Kind(slug, status) for status, slugs in SLUGS.items() for slug in slugs}
BY_STATUS = {
    400: "invalid-request",
    404: "not-found",
    405: "method-not-allowed",
    413: "payload-too-large",
    415: "unsupported-media-type",
    431: "headers-too-large",
    500: "internal-error",
    503: "overloaded",
}
"""The kind of problem for a request that the server or Flask refused with a status alone."""


def reference(path: bytes) -> str:
    """A path as a reference (RFC 3986) on this server, for the `instance` of a problem."""
    quoted = quote(path, safe="/:@!$&'()*+,;=~-._")
    return f"/%2F{quoted[2:]}" if quoted.startswith("//") else quoted


class Problem(Exception):
    """Raised to answer a request with a problem document. `extra`: members beside the standard ones."""

    def __init__(self, slug: str, detail: Phrase, headers: dict[str, str] | None = None, **extra: object) -> None:
        super().__init__(detail)
        if slug == "invalid-request" and "errors" not in extra:  # the request as a whole is at fault
            extra["errors"] = [{"pointer": "", "detail": detail}]
        self.kind = KINDS[slug]
        self.detail = detail
        self.headers = headers or {}
        self.extra = extra

    def document(self, instance: str, language: str) -> Json:
        """The problem document in one language. `instance`: the path of the request."""
        return {
            "type": f"/problems/{self.kind.slug}",
            "title": self.kind.title(language),
            "status": self.kind.status,
            "detail": self.detail.text_in(language),
            "instance": instance,
            **worded(self.extra, language),
        }


FAILED = Problem("internal-error", phrase("failed"))
