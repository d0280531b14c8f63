"""Servers that tests share."""

from collections.abc import Iterator
from socket import socket

import pytest

from distributions.worker.tests.servers import Subject

PATIENT = {"keepalive_seconds": 60.0, "receive_seconds": 60.0}
"""Deadlines that no test reaches, however busy the machine is."""


@pytest.fixture(scope="session")
def server() -> Iterator[Subject]:
    """A server for all tests that do not change it."""
    with Subject(options=PATIENT) as started:
        yield started


@pytest.fixture
def client(server: Subject) -> Iterator[socket]:
    """A connection to the shared server."""
    with server.connect() as connected:
        yield connected
