"""A tunnel to a server whose connections can die without a word, as a phone's do when it changes its network."""

import socket
import threading
from contextlib import suppress


class Tunnel:
    """Forwards connections to a port of this machine. `blocked`: new ones are taken, and nothing is forwarded."""

    def __init__(self, port: int) -> None:
        self.blocked = False
        self._port = port
        self._dead: list[threading.Event] = []
        self._sockets = [socket.create_server(("127.0.0.1", 0))]
        self._threads = [threading.Thread(target=self._take)]
        self._threads[0].start()
        self.address = f"http://127.0.0.1:{self._sockets[0].getsockname()[1]}"

    def silence(self) -> None:
        """Forward nothing more on the connections that there are. They stay open: neither side notices."""
        for dead in self._dead:
            dead.set()

    def close(self) -> None:
        """Close all connections, and wait for their threads."""
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)  # wakes its thread
        for thread in self._threads:
            thread.join()
        for each in self._sockets:
            each.close()

    def _take(self) -> None:
        """Take connections until the tunnel is closed, and forward each in both directions."""
        with suppress(OSError):
            while True:
                near, _ = self._sockets[0].accept()
                far = socket.create_connection(("127.0.0.1", self._port))
                dead = threading.Event()
                if self.blocked:
                    dead.set()
                self._dead.append(dead)
                self._sockets += [near, far]
                for ends in ((near, far), (far, near)):
                    self._threads.append(threading.Thread(target=_forward, args=(*ends, dead)))
                    self._threads[-1].start()


def _forward(source: socket.socket, goal: socket.socket, dead: threading.Event) -> None:
    """Forward bytes in one direction until the source ends, and nothing once `dead` is set."""
    with suppress(OSError):
        while read := source.recv(65_536):
            if not dead.is_set():
                goal.sendall(read)
        if not dead.is_set():
            goal.shutdown(socket.SHUT_WR)
