"""What the application shares with its views: under one name each in Flask's `extensions`, and in every environment."""

from __future__ import annotations

from wsgiref.types import WSGIEnvironment

from service.config import Settings
from service.sessions.service import Sessions
from service.web.clients import Clients
from service.web.middleware import SHARED


def settings_of(environ: WSGIEnvironment) -> Settings:
    """What the operator has set."""
    settings: Settings = environ[SHARED]["settings"]
    return settings


def sessions_of(environ: WSGIEnvironment) -> Sessions:
    """The sessions of this process."""
    sessions: Sessions = environ[SHARED]["sessions"]
    return sessions


def client_of(environ: WSGIEnvironment) -> str:
    """Who calls."""
    clients: Clients = environ[SHARED]["clients"]
    return clients.of(environ)
