"""Where clients come in: a listening socket."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable

from gevent import get_hub

from service.web.fair_scheduling import input_arrived

AT_ONCE = 64
"""Clients that are let in before others have their turn."""
FULL = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
"""Why a client cannot be let in for now."""
READ = 1


class Door:
    """Lets clients in while there is room. Where there is none it shuts, until `open`."""

    def __init__(
        self,
        listener: socket.socket,
        welcome: Callable[[socket.socket, tuple[str, int]], None],
        has_room: Callable[[], bool],
        no_room: Callable[[OSError], None],
    ) -> None:
        listener.setblocking(False)
        self.listener = listener
        self.welcome = welcome
        self.has_room = has_room
        self.no_room = no_room
        self.watcher = get_hub().loop.io(listener.fileno(), READ)

    def open(self) -> None:
        if self.has_room():
            self.watcher.start(self.let_in)

    def let_in(self, most: int = AT_ONCE) -> int:
        """Take who waits; how many they were."""
        for count in range(most):
            if not self.has_room():
                self.watcher.stop()
                return count
            try:
                client, address = self.listener.accept()
            except BlockingIOError:
                return count
            except OSError as error:
                if error.errno in FULL:
                    self.watcher.stop()
                    self.no_room(error)
                return count
            client.setblocking(False)
            input_arrived()
            self.welcome(client, address[:2])
        return most

    def close(self) -> None:
        """Let in who has come already, and shut for good."""
        while self.let_in() == AT_ONCE:
            pass
        self.watcher.close()
        self.listener.close()
