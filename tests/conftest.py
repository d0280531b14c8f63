"""Shared fixtures: the application, its client and a server. Also: the first cause is said first."""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, settings

import engines
from engines.core.engine import Engine
from service import seeds
from service.app import create_app
from service.config import Settings
from service.judging.sentences import words
from service.words.languages import languages_of
from tests.engines.games import SEEDS, broken_law
from tests.secrecy import secrets
from tests.server import Server
from tests.tokens_shown import refuse_tokens_of_others

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)
settings.register_profile("check", max_examples=200, derandomize=True, deadline=None, suppress_health_check=SLOW)
settings.register_profile("night", settings.get_profile("check"), max_examples=20_000, derandomize=False, database=None)
settings.load_profile("check")  # `make night` has the other one


@pytest.fixture(scope="session", autouse=True)
def _no_token_of_others() -> Iterator[None]:
    """The law that no answer holds another's token, over every answer to every test."""
    with refuse_tokens_of_others():
        yield


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    """The application, with an empty store in SQLite that all tests of a process share."""
    store: Path = tmp_path_factory.mktemp("store") / "sessions.sqlite3"
    return create_app(Settings(store_url=f"sqlite:///{store}"))


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Flask's test client of the application."""
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
            for language in languages_of(engine):
                words(engine, language)
    except seeds.FaultySeeds as faulty:
        pytest.exit(str(faulty), returncode=1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip what fails in a game whose random games break a law, if that is reported in this run.

    A file of a game that is faulty is named without the code that read it.
    """
    report = yield
    if report.failed and call.excinfo is not None and isinstance(call.excinfo.value, seeds.FaultySeeds):
        report.longrepr = str(call.excinfo.value)
    if report.failed and LAWS not in item.name and any(LAWS in each.name for each in item.session.items):
        for engine in games_of(item):
            if any(broken_law(engine, seed) for seed in SEEDS):
                report.outcome = "skipped"
                report.longrepr = (str(item.path), 0, f"Skipped: {engine.game}: a random game breaks a law; see {LAWS}")
    return report


def games_of(item: pytest.Item) -> list[Engine[Any]]:
    """The games that a test is run for, by its parameters: engines, vectors, folders."""
    called = getattr(item, "callspec", None)
    values = called.params.values() if called else ()
    names = {str(getattr(each, "game", getattr(each, "name", ""))).replace("_", "-") for each in values}
    return [engine for engine in engines.registry().values() if engine.game in names]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop the first of pytest-cov's two measurements in a pytest-xdist process: `no_cover` cannot pause it."""
    measured = session.config.pluginmanager.getplugin("_cov")
    if hasattr(session.config, "workerinput") and measured is not None and measured.cov_controller is not None:
        measured.cov_controller.cov.stop()
