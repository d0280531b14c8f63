"""`referee doctor`: whether the service could be run here, with these settings."""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from service.config import Environment, Serving, Settings, variable
from service.sessions.stores.by_url import open_store
from service.sessions.stores.protocol import StoreUnavailable
from service.web.phrases import Phrase, phrase

PACKAGES = ("rules-referee", "gunicorn", "gevent", "flask", "httptools", "orjson", "marshmallow", "redis")
SQLITE = "sqlite:///"


@dataclass
class Check:
    """One thing that the service needs, and whether it is there."""

    name: str
    good: bool
    detail: str


@dataclass
class Diagnosis:
    """All that was looked at. `settings`: those that are set, secrets without their value."""

    good: bool
    checks: list[Check]
    settings: dict[str, str]
    versions: dict[str, str]


def diagnosis(language: str) -> Diagnosis:
    """Look at everything; nothing is started, and no file is made."""
    checks = [Check(name, good, detail.said(language)) for name, good, detail in (*_settings(), *_store(), *_address())]
    versions = {"Python": platform.python_version(), **_versions()}
    return Diagnosis(all(each.good for each in checks), checks, dict(_set()), versions)


def _set() -> Iterator[tuple[str, str]]:
    for group in (Settings, Serving):
        for each in fields(group):
            value = os.environ.get(variable(each.name))
            if value:
                yield variable(each.name), value if each.repr else "…"


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "–"
    return found


def _settings() -> Iterator[tuple[str, bool, Phrase]]:
    for group in (Settings, Serving):
        fault = _fault(group)
        if fault is not None:
            yield "settings", False, phrase("verbatim", text=fault)
            return
    yield "settings", True, phrase("settings-fit")


def _fault(group: type[Environment]) -> str | None:
    try:
        group.from_environment()
    except ValueError as error:
        return str(error)
    return None


def _store() -> Iterator[tuple[str, bool, Phrase]]:
    if _fault(Settings) is not None:
        return
    url = Settings.from_environment().store_url
    if url.startswith(SQLITE) and not Path(url.removeprefix(SQLITE)).exists():
        # To open it would make it, and whoever looks may be another user than the service.
        folder = Path(url.removeprefix(SQLITE)).absolute().parent
        there = next(each for each in (folder, *folder.parents) if each.exists())
        good = os.access(there, os.W_OK | os.X_OK)
        yield "store", good, phrase("store-to-be-made" if good else "store-not-to-be-made", folder=str(there))
        return
    try:
        store = open_store(url)
        try:
            store.ping()
        finally:
            store.close()
    except StoreUnavailable as error:
        yield "store", False, phrase("store-fails", reason=str(error))
    else:
        yield "store", True, phrase("store-works")


def _address() -> Iterator[tuple[str, bool, Phrase]]:
    if _fault(Serving) is not None:
        return
    serving = Serving.from_environment()
    place = f"{serving.host}:{serving.port}"
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(serving.host, serving.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
    except OSError as error:
        yield "address", False, phrase("address-taken", place=place, reason=error.strerror or str(error))
    else:
        yield "address", True, phrase("address-free", place=place)
