"""The bytes that the connections of a worker hold: of bodies, and of answers that wait for their readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from wsgiref.types import WSGIEnvironment

UNFINISHED = 4  #: One in this many bytes may belong to bodies of one client that are not whole.


class InFlight:
    """The bytes that all connections hold. `unfinished`: those of bodies that are not whole, by client."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.bytes = 0
        self.unfinished = Counter[str]()

    def fits(self, size: int, client: str) -> bool:
        """Whether so many bytes may be added. `client`: whose body is not whole, empty for one that is."""
        if self.bytes + size > self.most:
            return False
        return not client or self.unfinished[client] + size <= self.most // UNFINISHED

    def add(self, size: int, client: str) -> None:
        """Add bytes; a negative number subtracts them."""
        self.bytes += size
        if client:
            self.unfinished[client] += size
            if not self.unfinished[client]:
                del self.unfinished[client]


class Held:
    """What one connection holds of `in_flight`. `client_of`: the client by whose address a body is counted."""

    def __init__(self, in_flight: InFlight, client_of: Callable[[WSGIEnvironment], str]) -> None:
        self.in_flight = in_flight
        self.client_of = client_of
        self.bytes = 0
        self.client = ""  #: Whose body is held that is not whole.

    def hold_body(self, size: int, unfinished: WSGIEnvironment | None) -> bool:
        """Hold so many bytes of a body instead of what is held; return whether they fit.

        `unfinished`: the environment of the request while its body is not whole.
        """
        self.release()
        client = "" if unfinished is None else self.client_of(unfinished)
        if not self.in_flight.fits(size, client):
            return False
        self.client = client
        self.add(size)
        return True

    def add(self, size: int) -> None:
        """Hold so many bytes more, or less if below 0."""
        self.bytes += size
        self.in_flight.add(size, self.client)

    def release(self) -> None:
        """Hold nothing."""
        if self.bytes:
            self.add(-self.bytes)
            self.client = ""
