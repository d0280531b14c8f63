"""Problem documents (RFC 9457): what went wrong with a request, where, and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from service.config import Settings
from service.web.strict_json import DEPTH, Json

MEDIA_TYPE = "application/problem+json"
MOST_ERRORS = 200
"""Places of one body that are listed."""
MIB = 1 << 20


@dataclass(frozen=True)
class Kind:
    """One kind of problem. `meaning` is what `GET /problems/<slug>` says."""

    slug: str
    status: int
    title: str
    meaning: str


KINDS = {
    kind.slug: kind
    for kind in (
        Kind(
            "malformed-json",
            400,
            "The body is not JSON",
            "The body must be one JSON text in UTF-8 without byte order mark, with no key twice in an object, no NaN "
            f"or Infinity, no lone surrogates and no nesting deeper than {DEPTH}. The detail says what was met and "
            "where.",
        ),
        Kind(
            "invalid-request",
            400,
            "The request does not fit the schema",
            "Each entry of `errors` names one place by JSON pointer and says what is wrong with it. All are listed at "
            f"once, of very many the first {MOST_ERRORS}. The schema stands in /openapi.yaml.",
        ),
        Kind(
            "unauthorized",
            401,
            "No valid token",
            "Sessions are read and changed with a token, sent as `Authorization: Bearer …`. The answer is the same "
            "whether the token is missing, forged or another session's, and whether or not the session exists.",
        ),
        Kind(
            "forbidden",
            403,
            "Not yours to do",
            "The token is genuine, but what was asked is for another seat or for the host.",
        ),
        Kind("not-found", 404, "There is no such thing", "Nothing stands at this address, or no longer."),
        Kind(
            "method-not-allowed",
            405,
            "Not with this method",
            "The address exists, the method does not; the header `Allow` lists those that do.",
        ),
        Kind(
            "not-acceptable",
            406,
            "Not in that form",
            "The answer comes as JSON (`application/json`, problems as `application/problem+json`), which the "
            "request's `Accept` header excludes.",
        ),
        Kind(
            "request-in-progress",
            409,
            "The same request is still running",
            "Another request with this Idempotency-Key has not been answered yet. Send it again a little later.",
        ),
        Kind(
            "session-full",
            409,
            "The session can hold no more",
            "A bound on the size or the number of moves of this session has been reached.",
        ),
        Kind(
            "version-mismatch",
            412,
            "The table has moved on",
            "The `If-Match` header names an older version than the current one, which comes with this answer. Look at "
            "it and decide again.",
        ),
        Kind(
            "payload-too-large",
            413,
            "The body is too large",
            f"Bodies may have up to {Settings.body_limit // MIB} MiB, those of /batch up to "
            f"{Settings.batch_limit // MIB} MiB, chunked or not, unless other bounds are set; the detail tells. What a "
            "batch has no room left to answer is put off in the same way.",
        ),
        Kind(
            "unsupported-media-type",
            415,
            "Not a form that is read here",
            "Bodies are read as `application/json`, without any Content-Encoding.",
        ),
        Kind(
            "invalid-state",
            422,
            "The state is impossible",
            "Each entry of `faults` cites the clause that the posted table contradicts. POST /audit tells them "
            "without refusing.",
        ),
        Kind(
            "illegal-move",
            422,
            "The move is not legal",
            "Each entry of `violations` cites the clause that forbids it. Nothing was changed.",
        ),
        Kind(
            "idempotency-key-reused",
            422,
            "The Idempotency-Key belongs to another request",
            "A key stands for one body. Use a new key for a new request.",
        ),
        Kind("too-many-requests", 429, "Too much at once", "Wait as long as `Retry-After` says."),
        Kind(
            "internal-error",
            500,
            "The referee made a mistake",
            "This is ours to mend. The header `X-Request-ID` of the answer names the case.",
        ),
        Kind(
            "store-unavailable",
            503,
            "Sessions cannot be reached",
            "The store of the sessions does not answer. Calls without session go on as ever. `Retry-After` says when "
            "to ask again.",
        ),
    )
}


BY_STATUS = {
    400: "invalid-request",
    404: "not-found",
    405: "method-not-allowed",
    413: "payload-too-large",
    415: "unsupported-media-type",
    500: "internal-error",
}
"""The kind of what a server, or Flask, refuses by a status alone."""


def reference(path: bytes) -> str:
    """A path as a reference (RFC 3986) to this very server: the `instance` of what went wrong there."""
    quoted = quote(path, safe="/:@!$&'()*+,;=~-._")
    return f"/%2F{quoted[2:]}" if quoted.startswith("//") else quoted


class Problem(Exception):
    """A request that is answered with a problem document. `extra` holds the members beside the standard ones."""

    def __init__(self, slug: str, detail: str, headers: dict[str, str] | None = None, **extra: object) -> None:
        super().__init__(detail)
        if slug == "invalid-request":  # without a place of its own the whole is at fault
            extra.setdefault("errors", [{"pointer": "", "detail": detail}])
        self.kind = KINDS[slug]
        self.detail = detail
        self.headers = headers or {}
        self.extra = extra

    @property
    def cites_rules(self) -> bool:
        """It says what clauses say, in the reader's language. All else in a problem is English."""
        return bool(self.extra.get("violations") or self.extra.get("faults"))

    def document(self, instance: str) -> Json:
        """The problem document; `instance`: the path that was asked for."""
        return {
            "type": f"/problems/{self.kind.slug}",
            "title": self.kind.title,
            "status": self.kind.status,
            "detail": self.detail,
            "instance": instance,
            **self.extra,
        }


FAILED = Problem(
    "internal-error", "The referee failed on this request. Please report the header X-Request-ID of this answer."
)
