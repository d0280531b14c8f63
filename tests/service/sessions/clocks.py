"""A clock of the store that a test sets ahead."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.sessions.service import Sessions
from service.sessions.stores.protocol import StoredSession
from tests.service.sessions.tables import service_client

DECK = [["sun", "moon"], ["moon", "star"], ["star", "tree"], ["tree", "sun"], ["sun", "star"], ["moon", "tree"]]
"""Each design three times."""


ON_EVERY_STORE = pytest.mark.parametrize("store_url", ["sqlite", "redis", "sentinel", "cluster"], indirect=True)
"""Runs a test on every kind of store, because the store does the work. Other tests run on SQLite and one Redis."""


@dataclass
class Time:
    """The store's clock. It stands still, however long a test takes, until the test sets it ahead."""

    ahead: int = 0
    began: int = 0
    clients: list[FlaskClient] = field(default_factory=list)

    def service_client(self, store_url: str, **settings: Any) -> FlaskClient:
        """Return a client of a service whose store has this clock."""
        client = service_client(store_url, **settings)
        sessions: Sessions = client.application.extensions["sessions"]
        read = sessions.store.read

        def read_ahead(session: str, key: str | None = None) -> StoredSession | None:
            stored = read(session, key)
            if stored is None:
                return None
            self.began = self.began or stored.now
            return replace(stored, now=self.began + self.ahead)

        sessions.store.read = read_ahead  # type: ignore[method-assign]
        self.clients.append(client)
        return client
