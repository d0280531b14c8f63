"""Shared fixtures: the application, its client and a server. Also: first causes first, and what counts for coverage."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

import engines
from engines.core.engine import Engine
from service import seeds
from service.app import create_app
from service.config import Settings
from service.judging.sentences import words
from tests.engines.games import SEEDS, Broken, played
from tests.secrecy import secrets
from tests.server import Server

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    store: Path = tmp_path_factory.mktemp("store") / "sessions.sqlite3"
    return create_app(Settings(store_url=f"sqlite:///{store}"))


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture(params=engines.registry().values(), ids=lambda engine: engine.game)
def engine(request: pytest.FixtureRequest) -> Engine[Any]:
    """Each game, one after the other."""
    chosen: Engine[Any] = request.param
    return chosen


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The service behind gunicorn, on a free port."""
    with Server(settings={"REFEREE_WORKERS": "1"}) as running:
        yield running


# --- the first cause, said first --------------------------------------------------------------------------------------

LAWS = "test_every_step_of_a_random_game_keeps_the_laws"


def pytest_configure(config: pytest.Config) -> None:
    """Stop with one sentence where the files of a game cannot be read. Every test would fail by it."""
    try:
        for engine in engines.registry().values():
            seeds.rulebook(engine)
            secrets(engine)
            for language in seeds.LANGUAGES:
                words(engine, language)
    except seeds.FaultySeeds as faulty:
        pytest.exit(str(faulty), returncode=1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip what fails in a game whose random games break a law, if that is reported in this run."""
    report = yield
    if report.failed and LAWS not in item.name and any(LAWS in each.name for each in item.session.items):
        for engine in games_of(item):
            if any(isinstance(played(engine, seed), Broken) for seed in SEEDS):
                report.outcome = "skipped"
                report.longrepr = (str(item.path), 0, f"Skipped: {engine.game}: a random game breaks a law; see {LAWS}")
    return report


def games_of(item: pytest.Item) -> list[Engine[Any]]:
    """The games that a test is run for, by its parameters: engines, vectors, folders."""
    called = getattr(item, "callspec", None)
    values = called.params.values() if called else ()
    names = {str(getattr(each, "game", getattr(each, "name", ""))).replace("_", "-") for each in values}
    return [engine for engine in engines.registry().values() if engine.game in names]


# --- coverage ---------------------------------------------------------------------------------------------------------

UNMEASURED = (
    "tests/browser/",
    "tests/clients/",
    "tests/engines/gin_rummy/test_card_mathematics.py::test_every_best_arrangement",
    "tests/engines/gin_rummy/test_card_mathematics.py::test_the_least_deadwood_of",
    "tests/engines/gin_rummy/test_games.py",
    "tests/engines/test_laws.py",
    "tests/engines/test_secrecy.py::test_a_",
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
    return any(not (HERE / "engines" / seeds.folder(engine).name).is_dir() for engine in games_of(item))


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
