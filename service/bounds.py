"""Bounds on one request, in numbers that a client can count, so that the same request always gets the same answer.

They are not settings, unlike the bounds on bytes of bodies (`config.Settings`).
"""

from __future__ import annotations

DEPTH = 32
"""Levels of objects and arrays in a body."""
VALUES = 50_000
"""Values in a body: every scalar, array and object, the body itself too, keys not."""
VALUES_IN_BATCH = 500_000
MOVES = 500
"""Moves in one request."""
OUTCOMES = 500
"""Moves times outcomes. Outcomes are the resolution, each ruleset or alternative compared, and each view."""
REQUESTS = 1_000
"""Calls in a batch."""
MOVES_IN_BATCH = 2_000
"""Moves of all calls of a batch."""
TOLD = 200
"""Violations, faults and errors listed in one answer; `more` says that there were others."""
ANSWER = 2 << 20
"""Bytes of an answer."""
BATCH_ANSWER = 8 << 20
MEDIA_TYPE_LENGTH = 200
"""Characters of a `Content-Type`."""
ACCEPT_LENGTH = 2_000
"""Characters of an `Accept`."""
