"""A real Prometheus with its blackbox exporter before the site: what pages when the site, or its certificate, fails."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import trustme

from distributions.worker.tests.servers import nginx
from tests.deploy.test_nginx import CONFIGURATION
from tests.server import ROOT, Server, free_port, until

NEEDED = ("nginx", "prometheus", "prometheus-blackbox-exporter")
MISSING = [each for each in NEEDED if shutil.which(each) is None]
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
PAGED = 100.0  #: Seconds within which an alert fires that waits for a minute.


def site_of(folder: Path, port: int, behind: int, valid: timedelta) -> str:
    """nginx's configuration with the site on a port, and a certificate that is valid for so long from now."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "authority.pem")
    issued = authority.issue_cert("127.0.0.1", not_after=datetime.now(UTC) + valid)
    issued.private_key_and_cert_chain_pem.write_to_path(folder / "site.pem")
    text = (ROOT / "deploy/nginx.conf").read_text("utf-8").replace("/var/log/nginx", str(folder))
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;")
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{behind}")
    for name in ("referee.example.pem", "referee.example.key"):
        text = text.replace(f"/etc/ssl/{name}", f"{folder}/site.pem")
    return CONFIGURATION.format(folder=folder, site=text)


@contextmanager
def running(folder: Path, *command: str) -> Iterator[None]:
    """Run a program, which trusts the site's authority, until the end of the block."""
    environment = os.environ | {"SSL_CERT_FILE": str(folder / "authority.pem")}
    with (folder / Path(command[0]).name).open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            process.wait(20)


@contextmanager
def watched_site(folder: Path, valid: timedelta) -> Iterator[tuple[Server, Callable[[], dict[str, str]]]]:
    """The site and who watches it, as `deploy/prometheus` has it but once a second.

    Yield the server behind nginx, and a function that returns the state of each alert of the site by its name.
    """
    site, exporter, prometheus = (free_port() for _ in range(3))
    with ExitStack() as stack:
        server = stack.enter_context(Server())
        stack.enter_context(nginx(folder, site_of(folder, site, server.port, valid), site))
        for name in ("alerts.yaml", "blackbox.yaml"):
            shutil.copy(ROOT / "deploy/prometheus" / name, folder)
        text = (ROOT / "deploy/prometheus/prometheus.yaml").read_text("utf-8")
        for ours, here in {
            "15s": "1s",
            "127.0.0.1:8000": f"127.0.0.1:{server.port}",
            "referee.example/livez": f"127.0.0.1:{site}/livez",
            "127.0.0.1:9115": f"127.0.0.1:{exporter}",
        }.items():
            text = text.replace(ours, here)
        (folder / "prometheus.yaml").write_text(text, "utf-8")
        stack.enter_context(
            running(
                folder,
                "prometheus-blackbox-exporter",
                "--config.file=blackbox.yaml",
                f"--web.listen-address=127.0.0.1:{exporter}",
            )
        )
        stack.enter_context(
            running(
                folder, "prometheus", "--config.file=prometheus.yaml", f"--web.listen-address=127.0.0.1:{prometheus}"
            )
        )

        def ask(path: str) -> Any:
            with urlopen(f"http://127.0.0.1:{prometheus}/api/v1/{path}", timeout=10) as answer:
                return json.load(answer)["data"]

        def alerts() -> dict[str, str]:
            of_site = [each for each in ask("alerts")["alerts"] if each["labels"].get("job") == "rules-referee-site"]
            return {each["labels"]["alertname"]: each["state"] for each in of_site}

        def probes() -> set[str]:
            """The values of `probe_success` so far; empty until Prometheus listens and has probed."""
            try:
                return {each["value"][1] for each in ask("query?query=probe_success")["result"]}
            except OSError:
                return set()

        until(probes)
        yield server, alerts


def test_a_site_whose_server_is_gone_pages_after_a_minute(tmp_path: Path) -> None:
    with watched_site(tmp_path, timedelta(days=90)) as (server, alerts):
        time.sleep(5)
        assert alerts() == {}
        server.stop()
        until(lambda: alerts().get("RefereeSiteDown") == "pending", PAGED)
        until(lambda: alerts().get("RefereeSiteDown") == "firing", PAGED)


def test_a_site_whose_certificate_has_ended_pages_and_one_that_ends_soon_is_a_ticket(tmp_path: Path) -> None:
    with watched_site(tmp_path, timedelta(seconds=20)) as (_, alerts):
        until(lambda: alerts().get("RefereeCertificateEnds") == "pending", PAGED)  # it is to last for an hour
        until(lambda: alerts().get("RefereeSiteDown") == "firing", PAGED)
