"""Every setting is checked before anything starts. A wrong one stops the start with one line."""

from pathlib import Path

import pytest

from service.app import create_app
from service.config import Environment, Serving, Settings, default_workers, variable
from tests.deploy.conftest import SUBJECT
from tests.server import Server

WHOLE_NUMBER_FROM_1 = "a whole number from 1 to"
ORIGIN = "* or scheme://host[:port] in small letters"
REFUSED_SETTINGS = {
    ("HOST", "[::1]"): "'[::1]' is not the name or the address of a host",
    ("COMMIT", "main"): "'main' is not a commit",
    ("PORT", "0"): f"'0' is not {WHOLE_NUMBER_FROM_1} 65535",
    ("PORT", "8_000"): f"'8_000' is not {WHOLE_NUMBER_FROM_1} 65535",
    ("PORT", "65536"): f"'65536' is not {WHOLE_NUMBER_FROM_1} 65535",
    ("PORT", "tcp://10.0.0.1:80"): f"'tcp://10.0.0.1:80' is not {WHOLE_NUMBER_FROM_1} 65535",
    ("WORKERS", "-1"): f"'-1' is not {WHOLE_NUMBER_FROM_1} 1000",
    ("WORKER", "sync"): "'sync' is not one of referee, gevent",
    ("CONNECTIONS", "many"): f"'many' is not {WHOLE_NUMBER_FROM_1} 1000000",
    ("PIN", "maybe"): "'maybe' is not one of 0, 1",
    ("SHOW_ADDRESSES", "yes"): "'yes' is not one of 0, 1",
    ("PROXIES", "127.0.0.1,banana"): "'banana' is not an IP address, a network or *",
    ("KEEPALIVE_SECONDS", "x"): "'x' is not a number above 0 and up to 86400",
    ("RECEIVE_SECONDS", "-1"): "'-1' is not a number above 0 and up to 86400",
    ("SEND_SECONDS", "nan"): "'nan' is not a number above 0 and up to 86400",
    ("BYTES_IN_FLIGHT", "96M"): f"'96M' is not {WHOLE_NUMBER_FROM_1} 1000000000000",
    ("STOP_SECONDS", "1.5"): f"'1.5' is not {WHOLE_NUMBER_FROM_1} 86400",
    ("REQUEST_LOG", "/nowhere/log"): "'/nowhere/log' is not -, off or a file that can be written",
    ("LOG_LEVEL", "loud"): "'loud' is not one of debug, info, warning, error",
    ("BODY_LIMIT", "0"): f"'0' is not {WHOLE_NUMBER_FROM_1} 1000000000000",
    ("BATCH_LIMIT", "1e9"): f"'1e9' is not {WHOLE_NUMBER_FROM_1} 1000000000000",
    ("CORS_ORIGINS", "foo"): f"'foo' is not {ORIGIN}",
    ("CORS_ORIGINS", "https://a.example, https://b.example/"): f"'https://b.example/' is not {ORIGIN}",
    ("STORE_URL", "mysql://x"): "the store is none of sqlite:///path, ",
    ("STORE_URL", "sqlite:///"): "the store is none of sqlite:///path, ",
    ("STORE_URL", "sqlite:///:memory:"): "the store is none of sqlite:///path, ",
    ("TOKEN_KEYS", f"{32 * 'x'},short"): "a key has fewer than 32 characters",
    ("DROPPED_KEYS", "0123"): "'0123' is not the id of a key",
    ("SESSION_HOURS", "inf"): "'inf' is not a number above 0 and up to 1000000",
    ("SESSION_MOVES", " "): f"' ' is not {WHOLE_NUMBER_FROM_1} 1000000000000",
    ("SESSION_BYTES", "-1"): f"'-1' is not {WHOLE_NUMBER_FROM_1} 1000000000000",
    ("OPEN_SESSIONS", "none"): f"'none' is not {WHOLE_NUMBER_FROM_1} 1000000000000",
    ("UNPLAYED_HOURS", "0"): "'0' is not a number above 0 and up to 1000000",
    ("STORE_BYTES", "4G"): f"'4G' is not {WHOLE_NUMBER_FROM_1} 1000000000000",
    ("CLIENT_OPENINGS", "0"): f"'0' is not {WHOLE_NUMBER_FROM_1} 1000000000000",
    ("STREAMS", "0"): f"'0' is not {WHOLE_NUMBER_FROM_1} 1000000000000",
    ("TESTING", "yes"): "'yes' is not one of 0, 1",
}
GROUPS: list[type[Environment]] = [Settings, Serving]


def group_of(name: str) -> type[Environment]:
    """Return the class that has this setting."""
    (group,) = [group for group in GROUPS if name.lower() in group.readers()]
    return group


@pytest.mark.parametrize(("name", "text"), REFUSED_SETTINGS)
def test_an_invalid_value_is_refused_in_one_line_with_its_setting(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=name) as refusal:
        group_of(name).from_environment({f"REFEREE_{name}": text})
    message = str(refusal.value)
    assert message.startswith(f"REFEREE_{name}: {REFUSED_SETTINGS[name, text]}")
    assert "\n" not in message


def test_every_setting_refuses_some_value() -> None:
    assert {name for name, _ in REFUSED_SETTINGS} == {name.upper() for group in GROUPS for name in group.readers()}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("host", "::1", "::1"),
        ("pin", "0", False),
        ("worker", "gevent", "gevent"),
        ("proxies", "10.0.0.0/8, ::1", ("10.0.0.0/8", "::1")),
        ("keepalive_seconds", "1.5", 1.5),
        ("cors_origins", "*", ("*",)),
        ("cors_origins", "http://localhost:3000,https://[::1]", ("http://localhost:3000", "https://[::1]")),
        ("store_url", "unix:///run/redis.sock?db=1", "unix:///run/redis.sock?db=1"),
        ("token_keys", f"{32 * 'x'},{32 * 'y'}", (32 * "x", 32 * "y")),
    ],
)
def test_a_valid_value_is_read(name: str, text: str, value: object) -> None:
    assert getattr(group_of(name).from_environment({variable(name): text}), name) == value


@pytest.mark.parametrize("group", GROUPS)
def test_an_empty_value_means_the_default(group: type[Environment]) -> None:
    assert group.from_environment({variable(name): "" for name in group.readers()}) == group()


@pytest.mark.parametrize(("name", "text"), [("STORE_URL", "mysql://me:hush-hush@x"), ("TOKEN_KEYS", "hush-hush")])
def test_a_refusal_does_not_repeat_a_secret(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=name) as refusal:
        Settings.from_environment({f"REFEREE_{name}": text})
    assert "hush" not in str(refusal.value)


def test_the_application_without_a_server_also_names_the_refused_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFEREE_BODY_LIMIT", "many")
    with pytest.raises(ValueError, match="REFEREE_BODY_LIMIT: 'many' is not a whole number"):
        create_app()


def test_an_unknown_setting_is_reported_and_does_not_stop_the_start() -> None:
    with Server(SUBJECT, settings={"REFEREE_PROT": "8001"}) as server:
        assert server.process.poll() is None
        assert server.err.read_text("utf-8") == "REFEREE_PROT: no setting has this name\n"


@pytest.mark.parametrize(
    ("files", "workers"),
    [
        ({}, 8),
        ({"cpu.max": "max 100000\n"}, 8),
        ({"cpu.max": "200000 100000\n"}, 2),
        ({"cpu.max": "150000 100000\n"}, 2),
        ({"cpu.max": "10000 100000\n"}, 1),
        ({"cpu.max": "1600000 100000\n"}, 8),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 8),
        ({"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 3),
    ],
)
def test_the_default_number_of_workers_is_that_of_the_cores_a_container_may_use(
    tmp_path: Path, files: dict[str, str], workers: int
) -> None:
    """The files of cgroups, version 2 and version 1, say how many microseconds of CPU a period of so many has."""
    (tmp_path / "cpu").mkdir()
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    assert default_workers(8, tmp_path) == workers
