"""Servers that tests share."""

from collections.abc import Iterator
from socket import socket

import pytest

from tests.server import Server

SUBJECT = "tests.deploy.gated_app:create_app()"  #: A small application, for tests of the server alone.
PATIENT = {"REFEREE_KEEPALIVE_SECONDS": "60", "REFEREE_RECEIVE_SECONDS": "60"}
"""Deadlines that no test reaches, however busy the machine is."""


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A running service, for all tests that do not change it."""
    with Server(settings={"REFEREE_BODY_LIMIT": "100000", "REFEREE_BATCH_LIMIT": "100000"} | PATIENT) as started:
        yield started


@pytest.fixture
def client(server: Server) -> Iterator[socket]:
    """A connection to the running service."""
    with server.connect() as connected:
        yield connected
