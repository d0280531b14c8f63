"""Values of tests that `make check` leaves out, because others of the same test see nearly as much."""

from typing import Any

import pytest


def long(*values: Any) -> list[Any]:
    """Parameters that only `make long` tries."""
    return [pytest.param(each, marks=pytest.mark.long) for each in values]
