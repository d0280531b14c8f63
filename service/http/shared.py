"""What the application shares with the routes, through the environment of each request."""

from __future__ import annotations

from wsgiref.types import WSGIEnvironment

from gunicorn_llhttp.clients import Clients
from service.config import Settings
from service.http.middleware import SHARED
from service.sessions.service import Sessions


def settings_of(environ: WSGIEnvironment) -> Settings:
    settings: Settings = environ[SHARED]["settings"]
    return settings


def sessions_of(environ: WSGIEnvironment) -> Sessions:
    """The sessions of this process, for a route that is there only with sessions."""
    sessions = sessions_if_on(environ)
    assert sessions is not None
    return sessions


def sessions_if_on(environ: WSGIEnvironment) -> Sessions | None:
    """The sessions of this process; None where they are off."""
    sessions: Sessions | None = environ[SHARED]["sessions"]
    return sessions


def client_of(environ: WSGIEnvironment) -> str:
    clients: Clients = environ[SHARED]["clients"]
    return clients.of(environ)
