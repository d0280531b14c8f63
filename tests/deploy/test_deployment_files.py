"""The files for other supervisors override no setting and give the service time to stop."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml

from service.config import Serving
from service.sessions.backup import back_up
from service.sessions.inspection import listed
from tests.faults.servers import redis_binary, until
from tests.server import ROOT, Server, free_port
from tests.service.sessions.tables import open_session, service_client

STOP = Serving().stop_seconds


def text_of(file: str) -> str:
    """The text of a file of this repository."""
    return (ROOT / file).read_text("utf-8")


def command_of_make_serve(*variables: str) -> str:
    """Return the last command of `make serve`."""
    environment = {name: value for name, value in os.environ.items() if name not in {"PORT", "MAKEFLAGS", "MAKELEVEL"}}
    command = ["make", "--dry-run", "serve", *variables]
    result = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    return result.stdout.splitlines()[-1].strip()


def compose_services() -> Any:
    """Return the services of deploy/compose.yaml by name."""
    return yaml.safe_load(text_of("deploy/compose.yaml"))["services"]


def pod_spec() -> Any:
    """Return the specification of the pods in deploy/kubernetes.yaml."""
    return next(iter(yaml.safe_load_all(text_of("deploy/kubernetes.yaml"))))["spec"]["template"]["spec"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_the_unit_drops_rights_that_it_does_not_need() -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=30", "deploy/rules-referee.service"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (result.returncode, "Overall exposure level" in result.stdout + result.stderr) == (0, True)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_understands_every_line_of_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "rules-referee.service"
    unit.write_text(text_of("deploy/rules-referee.service").replace("/opt/referee/bin/referee", "/bin/true"), "utf-8")
    result = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_the_service_says_to_systemd_that_it_is_up(tmp_path: Path) -> None:
    """As the unit has `Type=notify`, systemd waits for this."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(60)
        with Server(settings={"NOTIFY_SOCKET": str(tmp_path / "notify")}):
            assert b"READY=1" in systemd.recv(1000)


@pytest.fixture
def run_block(tmp_path: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Runs the block of docs/operations.md that begins with this line, as on a machine with systemd.

    In `tmp_path`, `etc` stands for /etc, and `var` for the folder of the store; `systemctl` only records its arguments
    in a file of that name.
    """
    for folder in ("bin", "etc", "var"):
        (tmp_path / folder).mkdir()
    commands = {
        "systemctl": f'echo "$*" >> {tmp_path}/systemctl',
        "referee": f'PYTHONPATH={ROOT} exec {sys.executable} -m service.cli "$@"',
    }
    for name, line in commands.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{line}\n", "utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    places = {"/opt/referee/bin": "bin", "/etc": "etc", "/var/lib/rules-referee": "var"}

    def run(beginning: str) -> subprocess.CompletedProcess[str]:
        (block,) = re.findall(rf"```text\n({re.escape(beginning)}\n.*?)```", text_of("docs/operations.md"), re.DOTALL)
        for place, folder in places.items():
            block = block.replace(place, str(tmp_path / folder))
        plain = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
        path = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "FILE": str(tmp_path / "copy")}
        block = re.sub(r"\bFILE\b", '"$FILE"', block)
        return subprocess.run(
            ["sh", "-euc", block], env=plain | path, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    return run


def test_the_commands_of_the_page_give_the_doctor_the_settings_of_the_service(
    tmp_path: Path, run_block: Callable[[str], subprocess.CompletedProcess[str]]
) -> None:
    (tmp_path / "etc/rules-referee.env").write_text(f"REFEREE_PORT={free_port()}\n", "utf-8")
    result = run_block("(")
    assert result.returncode == 0, result.stdout + result.stderr
    (tmp_path / "etc/rules-referee.env").write_text("REFEREE_PORT=none\n", "utf-8")
    refused = run_block("(")
    assert refused.returncode != 0
    assert "REFEREE_PORT" in refused.stdout + refused.stderr


def test_the_commands_of_the_page_restore_the_sessions_and_keep_the_damaged_file(
    tmp_path: Path, run_block: Callable[[str], subprocess.CompletedProcess[str]]
) -> None:
    file = tmp_path / "var/sessions.sqlite3"
    client = service_client(f"sqlite:///{file}")
    session = open_session(client).id
    client.application.extensions["sessions"].store.close()  # as a service that has stopped: it removes files then
    back_up(f"sqlite:///{file}", tmp_path / "copy")
    for restored in (1, 2):
        file.write_bytes(b"damaged")
        result = run_block("systemctl stop rules-referee")
        assert result.returncode == 0, result.stdout + result.stderr
        assert "Sessions that are back: 1." in result.stdout
        assert len([*(tmp_path / "var").glob("away.*/sessions.sqlite3")]) == restored
    assert [each["id"] for each in listed(f"sqlite:///{file}")] == [session]
    assert (tmp_path / "systemctl").read_text("utf-8").split("\n")[:2] == ["stop rules-referee", "start rules-referee"]


def test_every_start_leaves_the_port_to_the_setting() -> None:
    assert text_of("Dockerfile").endswith('CMD ["referee", "serve"]\n')
    assert "ExecStart=/opt/referee/bin/referee serve\n" in text_of("deploy/rules-referee.service")
    assert "REFEREE_PORT" not in command_of_make_serve()
    assert " REFEREE_PORT=8001 exec " in command_of_make_serve("PORT=8001")


def test_base_images_are_named_by_their_digest() -> None:
    images = re.findall(
        r"^(?:FROM|\s+image:) (\S+)", text_of("Dockerfile") + text_of("deploy/compose.yaml"), re.MULTILINE
    )
    assert len(images) == 3
    assert [each for each in images if not re.fullmatch(r"\w+:[\w.-]+@sha256:[0-9a-f]{64}", each)] == []
    assert len({each for each in images if each.startswith("python")}) == 1


@pytest.mark.parametrize("listening", [True, False])
def test_the_image_is_healthy_while_the_configured_port_answers(server: Server, listening: bool) -> None:
    (check,) = re.findall(r"^HEALTHCHECK .* CMD (.*)$", text_of("Dockerfile").replace("\\\n", ""), re.MULTILINE)
    python, *arguments = json.loads(check)
    assert python == "python"
    environment = os.environ | {"REFEREE_PORT": str(server.port if listening else free_port())}
    result = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, check=False)
    assert (result.returncode == 0) == listening


def test_the_docs_create_every_secret_of_the_deployment() -> None:
    (container,) = pod_spec()["containers"]
    (line,) = re.findall(
        r"kubectl create secret generic rules-referee (.*)", text_of("docs/operations.md").replace("\\\n", "")
    )
    secrets = [each["valueFrom"]["secretKeyRef"] for each in container["env"] if "valueFrom" in each]
    assert {each["name"] for each in secrets} == {"rules-referee"}
    assert [each["key"] for each in secrets] == re.findall(r"--from-literal=([\w-]+)=", line)


def test_kubernetes_probes_do_not_depend_on_the_store() -> None:
    """While the store is unavailable, `/readyz` fails, but pods must go on answering calls without sessions."""
    (container,) = pod_spec()["containers"]
    probes = {each: container[each]["httpGet"]["path"] for each in container if each.endswith("Probe")}
    assert probes == {"livenessProbe": "/livez", "readinessProbe": "/livez"}


def test_containers_have_no_rights_that_they_do_not_need() -> None:
    for each in compose_services().values():
        assert (each["cap_drop"], each["security_opt"], each["read_only"]) == (
            ["ALL"],
            ["no-new-privileges:true"],
            True,
        )
    assert (pod_spec()["automountServiceAccountToken"], pod_spec()["enableServiceLinks"]) == (False, False)


def test_compose_starts_a_redis_that_demands_a_password_and_shows_it_to_nobody(tmp_path: Path) -> None:
    referee, store = compose_services()["referee"], compose_services()["store"]
    secret = "0123456789abcdef"
    assert "${REDIS_PASSWORD:?" in referee["environment"]["REFEREE_STORE_URL"]
    assert "${REDIS_PASSWORD:?" in store["environment"]["REDIS_PASSWORD"]
    command = [each.replace("$$", "$") for each in store["command"]]
    port = free_port()
    command[-1] += f" --port {port}"
    (tmp_path / "redis-server").symlink_to(redis_binary())
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "REDIS_PASSWORD": secret}
    shell = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        client = redis.Redis(port=port, password=secret)
        until(client.ping)
        assert client.config_get("append*")["appendfsync"] == "always"
        with pytest.raises(redis.AuthenticationError):
            redis.Redis(port=port).ping()
        assert secret not in Path(f"/proc/{shell.pid}/cmdline").read_text("utf-8")
    finally:
        os.killpg(shell.pid, signal.SIGKILL)  # Redis is a child of the shell
        shell.wait()


def test_the_network_policy_lets_in_what_the_service_serves_and_out_what_it_calls() -> None:
    *_, policy = yaml.safe_load_all(text_of("deploy/kubernetes.yaml"))
    (container,) = pod_spec()["containers"]
    assert policy["spec"]["ingress"] == [{"ports": [{"port": container["ports"][0]["containerPort"]}]}]
    out = [port["port"] for rule in policy["spec"]["egress"] for port in rule["ports"]]
    (store,) = re.findall(r"store-url=redis://[\w.]+:(\d+)", text_of("docs/operations.md"))
    assert set(out) == {53, int(store)}


def test_every_supervisor_waits_longer_than_a_stop_may_take() -> None:
    (container,) = pod_spec()["containers"]
    command, pause = container["lifecycle"]["preStop"]["exec"]["command"]  # before a pod gets the stop signal
    assert command == "sleep"
    waits = {
        "kubernetes": pod_spec()["terminationGracePeriodSeconds"] - int(pause),
        "compose": int(compose_services()["referee"]["stop_grace_period"].rstrip("s")),
        "systemd": int(re.findall(r"TimeoutStopSec=(\d+)", text_of("deploy/rules-referee.service"))[0]),
        "docker run": int(re.findall(r"docker run .*--stop-timeout (\d+)", text_of("docs/operations.md"))[0]),
    }
    assert {name: seconds for name, seconds in waits.items() if seconds <= STOP} == {}


def test_the_proxy_demands_tls_and_forwards_the_clients_address() -> None:
    site = text_of("deploy/nginx.conf")
    assert "add_header Strict-Transport-Security " in site
    locations = "".join(re.findall(r"^    location [^{]*{[^}]*}", site, re.MULTILINE))
    assert "proxy_pass" in locations
    assert "proxy_set_header" not in locations  # it would undo what is set once for all of them
    assert site.count("    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;\n") == 1


def test_the_proxy_closes_a_connection_before_the_service_does() -> None:
    (seconds,) = re.findall(r"keepalive_timeout (\d+)s;", text_of("deploy/nginx.conf"))
    assert int(seconds) < Serving().keepalive_seconds
