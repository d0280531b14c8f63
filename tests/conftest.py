"""Shared fixtures: the application, its client and a server. Also choose the tests that count for coverage."""

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
    """The service behind gunicorn, on a free port."""
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
    "tests/service/sessions/test_forgeries.py::test_javascript",
    "tests/service/sessions/test_forgeries.py::test_no_forged",
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
"""Tests that run a browser or a client, or run the same lines thousands of times. Measuring coverage doubles their
time, and other tests cover these lines as well."""


def has_no_tests_of_its_own(item: pytest.Item) -> bool:
    """Return whether the test's game has no folder under tests/engines: only shared tests cover such a game."""
    called = getattr(item, "callspec", None)
    engine = called.params.get("engine") if called else None
    return isinstance(engine, Engine) and not (HERE / "engines" / seeds.folder(engine).name).is_dir()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(UNMEASURED) and not has_no_tests_of_its_own(item):
            item.add_marker(pytest.mark.no_cover)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Do not measure pytest-xdist's processes as subprocesses: pytest-cov already measures them."""
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop the first of pytest-cov's two measurements in a pytest-xdist process: `no_cover` cannot pause it."""
    measured = session.config.pluginmanager.getplugin("_cov")
    if hasattr(session.config, "workerinput") and measured is not None and measured.cov_controller is not None:
        measured.cov_controller.cov.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Pause coverage during the set-up of a `no_cover` test, too: pytest-cov pauses it only for the test itself."""
    measured = item.config.pluginmanager.getplugin("_cov")
    if measured is None or measured.cov_controller is None or item.get_closest_marker("no_cover") is None:
        return (yield)
    measured.cov_controller.pause()
    try:
        return (yield)
    finally:
        measured.cov_controller.resume()
