"""`referee doctor`: whether the service can run here, with these settings."""

from __future__ import annotations

import os
import platform
from contextlib import closing
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from gunicorn_llhttp.processes import not_free
from service.config import NO_STORE, Serving, Settings, variable
from service.sessions.stores import open_store
from service.sessions.stores.protocol import StoreUnavailable
from service.words.phrases import Phrase, phrase

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
    """The result of all checks. `settings`: those that are set; the value of a secret is not shown."""

    good: bool
    checks: list[Check]
    settings: dict[str, str]
    versions: dict[str, str]


def diagnosis(language: str) -> Diagnosis:
    """Check everything. Nothing is started, and no file is made."""
    checks, faults = list[Check](), list[str]()
    for name, find in (("store", _store), ("address", _address)):
        try:
            good, result = find()
            checks.append(Check(name, good, result.text_in(language)))
        except ValueError as fault:
            faults.append(str(fault))
    checks.insert(0, Check("settings", not faults, faults[0] if faults else phrase("settings-fit").text_in(language)))
    if not faults and Settings.from_environment().testing:
        checks.insert(1, Check("testing", True, phrase("testing-on").text_in(language)))
    settings = {
        variable(each.name): os.environ[variable(each.name)] if each.repr else "…"
        for each in (*fields(Settings), *fields(Serving))
        if os.environ.get(variable(each.name))
    }
    versions = {"Python": platform.python_version()} | {package: _version(package) for package in PACKAGES}
    return Diagnosis(all(each.good for each in checks), checks, settings, versions)


def _version(package: str) -> str:
    """The version of a package; a dash if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "–"


def _store() -> tuple[bool, Phrase]:
    """Whether sessions can be stored. A SQLite file is not made here: the service may run as another user."""
    url = Settings.from_environment().store_url
    if url == NO_STORE:
        return True, phrase("store-off")
    file = Path(url.removeprefix(SQLITE)).absolute()
    if url.startswith(SQLITE) and not file.exists():
        folder = next(each for each in file.parents if each.exists())
        good = os.access(folder, os.W_OK | os.X_OK)
        return good, phrase("store-to-be-made" if good else "store-not-to-be-made", folder=str(folder))
    try:
        with closing(open_store(url)) as store:
            store.ping()
    except StoreUnavailable as error:
        return False, phrase("store-fails", reason=str(error))
    return True, phrase("store-works")


def _address() -> tuple[bool, Phrase]:
    """Whether the address is free to listen on."""
    serving = Serving.from_environment()
    reason = not_free(serving.host, serving.port)
    code = "address-taken" if reason else "address-free"
    return not reason, phrase(code, place=serving.place, reason=reason)
