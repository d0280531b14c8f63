"""Whether the alerts of deploy/prometheus fire on what a real server said, by Prometheus's own promtool."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from distributions.worker.tests.raw_http import ask_anew, get
from tests.server import ROOT, Server

PROMTOOL = shutil.which("promtool") or shutil.which("promtool", path=str(Path(sys.executable).parent))
ABSENT = "promtool (Debian: prometheus) is not installed"
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)
KIND = re.compile(r"^# TYPE (\w+) (\w+)$", re.MULTILINE)
INTERVAL = 15  #: Seconds between two scrapes, as in deploy/prometheus/prometheus.yaml.
BEFORE, DURING = 20, 36  #: How many scrapes there are before the fault, and during it.
Scrape = Mapping[str, float]
"""What one scrape yields: values by series, with the labels that Prometheus adds."""


def scrape(server: Server) -> Scrape:
    """Get `/metrics` of a server, as Prometheus does."""
    text = ask_anew(server, get("/metrics")).body.decode()
    labels = f'job="rules-referee",instance="127.0.0.1:{server.port}"'
    samples = {
        f"{name}{{{labels}{own and ','}{own}}}": float(value)
        for name, own, value in SAMPLE.findall(text)
        if name.startswith("referee_")
    }
    return {f"up{{{labels}}}": 1.0, **samples}


def failed_scrape(before: Scrape) -> Scrape:
    """What Prometheus records if the server of an earlier scrape does not answer: `up` is 0, and nothing else."""
    return {series: 0.0 for series in before if series.startswith("up{")}


def assert_fires(alert: str, before: Scrape, during: Scrape) -> None:
    """Assert that an alert does not fire while scrapes are as before the fault, and that it fires during the fault.

    During the fault each counter grows from scrape to scrape by the difference of the two that are given.
    Skips the test where promtool is not installed.
    """
    if PROMTOOL is None:
        pytest.skip(f"{ABSENT}: the figures of the fault were seen, the alert was not tried")
    names = [*dict.fromkeys([*before, *during])]
    series = [{"series": each, "values": _values(each, before, during)} for each in names]
    expression = f'count(ALERTS{{alertname="{alert}", alertstate="firing"}}) or vector(0)'
    steps = ((BEFORE, 0), (BEFORE + DURING, 1))
    expected = [
        {"expr": expression, "eval_time": f"{scrapes * INTERVAL}s", "exp_samples": [{"labels": "{}", "value": count}]}
        for scrapes, count in steps
    ]
    test = {"interval": f"{INTERVAL}s", "input_series": series, "promql_expr_test": expected}
    rules = str(ROOT / "deploy/prometheus/alerts.yaml")
    file = {"rule_files": [rules], "evaluation_interval": f"{INTERVAL}s", "tests": [test]}
    command = [PROMTOOL, "test", "rules", "/dev/stdin"]
    result = subprocess.run(command, input=json.dumps(file), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def _values(series: str, before: Scrape, during: Scrape) -> str:
    """The values of a series in promtool's notation; `_` where it is absent."""
    early = f"{before[series]:f}x{BEFORE}" if series in before else f"_x{BEFORE + 1}"
    if series not in during:
        return f"{early} _x{DURING}"
    counts = re.match(r"\w+_(total|bucket|count|sum)\{", series)
    growth = max(during[series] - before.get(series, 0.0), 0.0) if counts else 0.0
    return f"{early} {during[series]:f}+{growth:f}x{DURING}"
