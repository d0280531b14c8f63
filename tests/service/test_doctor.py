"""`referee doctor`: what it finds wrong, and that it creates nothing and shows no secret."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from service.cli import main
from service.sessions.stores import open_store
from tests.server import free_port


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a store that does not exist yet. All settings are valid."""
    monkeypatch.setenv("REFEREE_STORE_URL", f"sqlite:///{tmp_path}/sessions.sqlite3")
    monkeypatch.setenv("REFEREE_PORT", str(free_port()))
    return tmp_path


class Diagnosis(NamedTuple):
    """What a run of `referee doctor` ends with and prints."""

    status: int
    answer: Any

    @property
    def good(self) -> dict[str, bool]:
        """Whether each check found all well, by its name."""
        return {each["name"]: each["good"] for each in self.answer["checks"]}

    def detail(self, check: str) -> str:
        """What a check says."""
        return next(str(each["detail"]) for each in self.answer["checks"] if each["name"] == check)


def run_doctor(capfd: pytest.CaptureFixture[str]) -> Diagnosis:
    """Run `referee doctor`; return its exit status and what it printed."""
    status = main(["--language", "en", "doctor"])
    return Diagnosis(status, json.loads(capfd.readouterr().out))


def test_the_doctor_creates_nothing_and_finds_what_is_wrong(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    diagnosis = run_doctor(capfd)
    assert (diagnosis.status, diagnosis.good) == (0, {"settings": True, "store": True, "address": True})
    assert list(folder.iterdir()) == []
    assert diagnosis.answer["versions"]["Python"] == sys.version.split()[0]
    open_store(os.environ["REFEREE_STORE_URL"]).close()
    assert run_doctor(capfd).good["store"]
    with monkeypatch.context() as patched:
        patched.setenv("REFEREE_HOST", "::1")
        assert run_doctor(capfd).detail("address").startswith("[::1]:")
    (folder / "sessions.sqlite3").write_bytes(b"no database" * 1000)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("REFEREE_PORT", str(taken.getsockname()[1]))
        diagnosis = run_doctor(capfd)
    assert (diagnosis.status, diagnosis.good) == (1, {"settings": True, "store": False, "address": False})


@pytest.mark.usefixtures("folder")
def test_the_doctor_warns_of_a_service_that_is_for_tests(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REFEREE_TESTING", "1")
    diagnosis = run_doctor(capfd)
    assert diagnosis.good["testing"]
    assert diagnosis.detail("testing").startswith("REFEREE_TESTING is set")
    assert diagnosis.answer["settings"]["REFEREE_TESTING"] == "1"


@pytest.mark.usefixtures("folder")
def test_the_doctor_names_an_invalid_setting_and_an_unknown_one_and_shows_no_secret(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REFEREE_STORE_URI", "redis://127.0.0.1:6379/0")
    assert main(["doctor"]) == 0
    assert capfd.readouterr().err == "REFEREE_STORE_URI: no setting has this name\n"
    monkeypatch.setenv("REFEREE_TOKEN_KEYS", "k" * 40)
    monkeypatch.setenv("REFEREE_WORKERS", "many")
    diagnosis = run_doctor(capfd)
    assert (diagnosis.status, diagnosis.good["settings"]) == (1, False)
    assert diagnosis.detail("settings").startswith("REFEREE_WORKERS: 'many' is not a whole number")
    assert diagnosis.answer["settings"]["REFEREE_TOKEN_KEYS"] == "…"
    assert "k" * 40 not in json.dumps(diagnosis.answer)


@pytest.mark.usefixtures("folder")
def test_the_doctor_reports_an_unavailable_store_in_its_answer_and_logs_nothing() -> None:
    away = os.environ | {"REFEREE_STORE_URL": f"redis://127.0.0.1:{free_port()}/0"}
    command = [sys.executable, "-m", "service.cli", "--language", "en", "doctor"]
    done = subprocess.run(command, env=away, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "does not take what a move writes" in done.stdout
