"""What many tests need: the application without a server, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Settings
from tests.server import Server


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    store: Path = tmp_path_factory.mktemp("store") / "sessions.sqlite3"
    return create_app(Settings(store_url=f"sqlite:///{store}"))


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The service behind gunicorn, on a port of its own."""
    with Server(settings={"REFEREE_WORKERS": "1"}) as running:
        yield running


REAL = (
    "tests/browser/",
    "tests/clients/",
    "tests/deploy/",
    "tests/faults/",
    "tests/service/serving/",
    "tests/service/sessions/",
    "tests/soak/",
)
"""Tests that real browsers, sockets and clocks take part in."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """On a machine that others keep busy these can be too slow once; what is wrong is wrong three times."""
    for item in items:
        if item.nodeid.startswith(REAL):
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=2))
