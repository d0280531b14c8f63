"""The bytes of bodies that a worker holds at once, bounded together."""

from __future__ import annotations

from collections import Counter

UNFINISHED = 4
"""One in this many bytes may belong to bodies of one client that are not whole."""


class InFlight:
    """What all connections hold. `unfinished`: the bytes of bodies that are not whole, by client."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.bytes = 0
        self.unfinished = Counter[str]()


class HeldBytes:
    """What one connection holds of it."""

    def __init__(self, in_flight: InFlight) -> None:
        self.in_flight = in_flight
        self.bytes = 0
        self.client = ""

    def hold(self, size: int, client: str) -> bool:
        """Hold so many bytes of a body instead of fewer; return whether that fits. `client`: empty for a whole body."""
        self.release()
        shared = self.in_flight
        fits = shared.bytes + size <= shared.most
        if not fits or (client and shared.unfinished[client] + size > shared.most // UNFINISHED):
            return False
        self.client = client
        self.add(size)
        return True

    def add(self, size: int) -> None:
        """Hold more, whether it fits or not."""
        self.bytes += size
        self.in_flight.bytes += size
        if self.client:
            self.in_flight.unfinished[self.client] += size

    def release(self) -> None:
        """Hold nothing."""
        self.in_flight.bytes -= self.bytes
        if self.client:
            self.in_flight.unfinished[self.client] -= self.bytes
            if not self.in_flight.unfinished[self.client]:
                del self.in_flight.unfinished[self.client]
        self.bytes, self.client = 0, ""
