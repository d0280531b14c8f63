"""Bounds on one request, in numbers that a client can count, so that the same request always gets the same answer.

They are not settings, unlike the bounds on bytes of bodies (`config.Settings`).
"""

from __future__ import annotations

DEPTH = 32  #: Levels of objects and arrays in a body.
VALUES = 50_000  #: Values in a body: every scalar, array and object, the body itself too, keys not.
VALUES_IN_BATCH = 500_000
MOVES = 500  #: Moves in one request.
OUTCOMES = 500
"""Moves, at least one, times outcomes: the resolution, each ruleset or alternative compared, each view and listing."""
REQUESTS = 1_000  #: Calls in a batch.
OUTCOMES_IN_BATCH = 2_000  #: The same, of all calls of a batch.
LISTED = 200  #: Violations, faults and errors listed in one answer; `more` says that there were others.
ANSWER = 2 << 20  #: Bytes of an answer.
BATCH_ANSWER = 8 << 20
PAGE = 500  #: Entries of a session's log in one answer.
TICKET_SECONDS = 30  #: How long a ticket for a stream of events can be used.
TICKETS = 50  #: Tickets that one bearer of a session holds at once. A new one voids the oldest of more.
SHORTEST_WINDOW, LONGEST_WINDOW = 200, 3000  #: Milliseconds within which a session gathers the parts of a move.
LONGEST_CLOCK = 600  #: Seconds of a session's clock.
SHORTEST_BINDING_CLOCK = 10  #: Seconds of a clock that an opening sets.
LONGEST_TEST = 86_400  #: Seconds that an opening for tests may set until its session expires.
LONGEST_KEY = 255  #: Characters of an `Idempotency-Key`.
REQUEST_ID = 128  #: Characters of an `X-Request-ID` that a client gives.
SHORTEST_SECRET_KEY = 16
"""Characters of the key of an opening, at least: a client that guesses it gets the answer, with all tokens."""
NO_BODY = 16 * 1024
"""Bytes of a body that no call takes. Bodies of up to so many bytes are not counted among those in flight."""
MEDIA_TYPE_LENGTH = 200  #: Characters of a `Content-Type`.
ACCEPT_LENGTH = 512
"""Characters of an `Accept`, an `Accept-Language` and an `Accept-Encoding`, each with all its lines."""


def outcomes(compared: int, views: int, *, listed: bool) -> int:
    """The outcomes of one resolution. `listed`: it has a listing, and so has each of its views."""
    return 1 + compared + views + (1 + views if listed else 0)
