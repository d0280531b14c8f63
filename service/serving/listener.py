"""A listening socket."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable

from gevent import get_hub

from service.web.fair_scheduling import input_arrived

AT_ONCE = 64
"""The most clients that are accepted before other work goes on."""
EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
"""Errors of a system that has no descriptor or memory left for a client."""
READ = 1


class ListeningSocket:
    """Accepts clients while there is room. Without room it stops, until `start` is called again.

    `exhausted` is called with the error when the system has no descriptor or memory for a client.
    """

    def __init__(
        self,
        listening: socket.socket,
        accepted: Callable[[socket.socket, tuple[str, int]], None],
        has_room: Callable[[], bool],
        exhausted: Callable[[OSError], None],
    ) -> None:
        listening.setblocking(False)
        self.socket = listening
        self.accepted = accepted
        self.has_room = has_room
        self.exhausted = exhausted
        self.watcher = get_hub().loop.io(listening.fileno(), READ)

    def start(self) -> None:
        if self.has_room():
            self.watcher.start(self.accept)

    def accept(self) -> int:
        """Accept waiting clients; return how many."""
        for count in range(AT_ONCE):
            if not self.has_room():
                self.watcher.stop()
                return count
            try:
                client, address = self.socket.accept()
            except BlockingIOError:
                return count
            except OSError as error:
                if error.errno in EXHAUSTED:
                    self.watcher.stop()
                    self.exhausted(error)
                return count
            client.setblocking(False)
            input_arrived()
            self.accepted(client, address[:2])
        return AT_ONCE

    def close(self) -> None:
        """Accept the clients that are waiting already, then close for good."""
        while self.accept() == AT_ONCE:
            pass
        self.watcher.close()
        self.socket.close()
