"""Stops every test with one sentence where a game cannot be registered: by it each of them would fail."""

import gc

import engines

try:
    engines.registry()
except ValueError as mistake:
    raise SystemExit(str(mistake)) from None


def pytest_configure() -> None:
    """Have the thousands of tests gathered without the garbage collector, which finds nothing and takes a third."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Let the garbage collector work during the tests, but not on what was there before."""
    gc.freeze()
    gc.enable()
