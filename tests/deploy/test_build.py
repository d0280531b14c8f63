"""Which version and commit runs is said where an operator looks."""

import json
import subprocess
from pathlib import Path

import pytest

from distributions.worker.tests.raw_http import ask_anew, get
from service import build
from tests.server import Server

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_readyz_the_metrics_and_the_log_name_the_commit_of_the_build() -> None:
    settings = {"REFEREE_COMMIT": COMMIT, "REFEREE_LOG_LEVEL": "info"}
    with Server(settings=settings) as server:
        ready = json.loads(ask_anew(server, get("/readyz")).body)
        metrics = ask_anew(server, get("/metrics")).body.decode()
        log = server.err.read_text("utf-8")
    assert (ready["version"], ready["commit"]) == (build.VERSION, COMMIT)
    assert f'commit="{COMMIT}"' in metrics
    assert f"Rules Referee {build.VERSION} ({COMMIT})" in log


def test_in_a_checkout_the_commit_is_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REFEREE_COMMIT", raising=False)
    identity = ["-c", "user.name=t", "-c", "user.email=t@t.example"]
    for words in (["init", "-q"], [*identity, "commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run(["git", "-C", tmp_path, *words], check=True)
    head = subprocess.run(["git", "-C", tmp_path, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    monkeypatch.setattr(build, "CHECKOUT", tmp_path)
    build.commit.cache_clear()
    assert build.described() == f"{build.VERSION} ({head.stdout.strip()})"
    build.commit.cache_clear()


def test_without_a_repository_the_commit_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REFEREE_COMMIT", raising=False)
    monkeypatch.setattr(build, "CHECKOUT", tmp_path)
    build.commit.cache_clear()
    assert (build.commit(), build.described()) == (None, build.VERSION)
    build.commit.cache_clear()
