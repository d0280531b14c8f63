"""Shared fixtures: the application without a server, a client of it, a server; and which tests count for coverage."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engines.core.engine import Engine
from service import seeds
from service.app import create_app
from service.config import Settings
from tests.server import Server

HERE = Path(__file__).parent


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


UNMEASURED = (
    "tests/browser/",
    "tests/clients/",
    "tests/engines/gin_rummy/test_card_mathematics.py::test_every_best_arrangement",
    "tests/engines/gin_rummy/test_card_mathematics.py::test_the_best_discards",
    "tests/engines/gin_rummy/test_card_mathematics.py::test_the_least_deadwood_of",
    "tests/engines/gin_rummy/test_games.py",
    "tests/engines/test_laws.py",
    "tests/engines/test_secrecy.py",
    "tests/fuzz/",
    "tests/mutants/",
    "tests/service/sessions/test_contract.py",
    "tests/service/sessions/test_secrets.py",
    "tests/service/test_largest_numbers.py",
    "tests/service/test_openapi.py",
    "tests/service/test_player_names.py",
    "tests/service/test_schemas_agree.py",
    "tests/service/test_schemathesis.py",
    "tests/service/test_open_reading.py",
    "tests/service/test_views.py",
    "tests/soak/",
)
"""Tests that run a browser or a client, or the same lines thousands of times. Measuring coverage doubles their time,
and other tests run these lines as well."""


def has_no_tests_of_its_own(item: pytest.Item) -> bool:
    """Whether the test is of a game without a folder under tests/engines: only shared tests cover such a game."""
    called = getattr(item, "callspec", None)
    engine = called.params.get("engine") if called else None
    return isinstance(engine, Engine) and not (HERE / "engines" / seeds.folder(engine).name).is_dir()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(UNMEASURED) and not has_no_tests_of_its_own(item):
            item.add_marker(pytest.mark.no_cover)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Keep processes of pytest-xdist from being measured as subprocesses, too: pytest-cov measures them itself."""
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop the first of two measurements that pytest-cov starts in a process of pytest-xdist: nothing pauses it."""
    measured = session.config.pluginmanager.getplugin("_cov")
    if hasattr(session.config, "workerinput") and measured is not None and measured.cov_controller is not None:
        measured.cov_controller.cov.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Set up the fixtures of a `no_cover` test without coverage, too: pytest-cov pauses for the test alone."""
    measured = item.config.pluginmanager.getplugin("_cov")
    if measured is None or measured.cov_controller is None or item.get_closest_marker("no_cover") is None:
        return (yield)
    measured.cov_controller.pause()
    try:
        return (yield)
    finally:
        measured.cov_controller.resume()
