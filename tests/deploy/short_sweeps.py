"""The service with such short sweeps that expired sessions are removed while a test waits."""

from flask import Flask

from service import app
from service.sessions import service
from service.sessions.stores import sqlite


def create_app() -> Flask:
    """Return the service, which looks for expired sessions every 20 ms, and groups them by tenths of a second."""
    service.ROUND = 0.02  # type: ignore[attr-defined]
    sqlite.SLOT = 0.1
    return app.create_app()
