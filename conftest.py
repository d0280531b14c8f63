"""Stops every test with one sentence where a game cannot be registered: by it each of them would fail."""

import engines

try:
    engines.registry()
except ValueError as mistake:
    raise SystemExit(str(mistake)) from None
