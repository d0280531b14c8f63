"""Alerts and dashboard use metrics that exist, and the alerts fire when they should."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask import Flask

from service import metrics
from service.serving.request_log import trace_id
from tests.deploy.alerting import ABSENT, PROMTOOL
from tests.server import ROOT
from tests.service.sessions.tables import service_client

FILES = ("deploy/prometheus/alerts.yaml", "deploy/prometheus/alerts-test.yaml", "deploy/grafana/rules-referee.json")
NAME = re.compile(r"referee_[a-z_]+")
TRACE = "0af7651916cd43dd8448eb211c80319c"


def metric_names(folder: Path) -> set[str]:
    """Return the names of all metrics that `/metrics` can contain."""
    client = service_client(f"sqlite:///{folder}/sessions.sqlite3")
    for gauge in (metrics.connections, metrics.streams, metrics.store_answers, metrics.store_sync_seconds):
        gauge()  # makes the gauge, as a worker does
    text = client.get("/metrics").get_data(as_text=True)
    kinds = dict(re.findall(r"^# TYPE (referee_\w+) (\w+)$", text, re.MULTILINE))
    return {*kinds, *(f"{name}_bucket" for name, kind in kinds.items() if kind == "histogram")}


@pytest.mark.parametrize("file", FILES)
def test_every_watched_metric_exists(tmp_path: Path, file: str) -> None:
    names = set(NAME.findall((ROOT / file).read_text("utf-8")))
    assert names - metric_names(tmp_path) == set()
    assert len(names) >= 5


def test_every_metric_is_on_the_dashboard_and_in_the_documentation(tmp_path: Path) -> None:
    dashboard = (ROOT / "deploy/grafana/rules-referee.json").read_text("utf-8")
    text = (ROOT / "docs/operations.md").read_text("utf-8")
    families = {name.removesuffix("_bucket") for name in metric_names(tmp_path) if not name.endswith("_created")}
    assert {name for name in families if name not in dashboard} == set()
    assert {name for name in families if f"`{name}`" not in text} == set()


def alerts() -> list[Any]:
    """Return the alerts that we ship."""
    groups = yaml.safe_load((ROOT / FILES[0]).read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"] if "alert" in rule]


def test_every_alert_fires_in_some_test_of_promtool() -> None:
    tests = yaml.safe_load((ROOT / FILES[1]).read_text("utf-8"))["tests"]
    fired = {each["alertname"] for test in tests for each in test["alert_rule_test"] if each["exp_alerts"]}
    assert {rule["alert"] for rule in alerts()} == fired


def test_every_alert_links_to_its_own_section_of_a_page_that_the_service_serves(app: Flask) -> None:
    """`referee.example` stands for the site, as in the other files of deploy/."""
    for rule in alerts():
        page, _, section = rule["annotations"]["runbook_url"].removeprefix("https://referee.example").partition("#")
        assert section == rule["alert"].lower()
        assert f'<h3 id="{section}">' in app.test_client().get(page).text
        assert f"### {rule['alert']}\n" in (ROOT / "docs/operations.md").read_text("utf-8")


@pytest.mark.skipif(PROMTOOL is None, reason=ABSENT)
@pytest.mark.parametrize("command", [("check", "config", "prometheus.yaml"), ("test", "rules", "alerts-test.yaml")])
def test_promtool_accepts_the_configuration_and_the_alerts_pass_their_tests(command: tuple[str, ...]) -> None:
    tool = [str(PROMTOOL), *command]
    result = subprocess.run(tool, cwd=ROOT / "deploy/prometheus", capture_output=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_alerts_of_failing_play_page_somebody_and_alerts_of_full_space_are_tickets() -> None:
    severities = {rule["alert"].removeprefix("Referee"): rule["labels"]["severity"] for rule in alerts()}
    assert {name for name, severity in severities.items() if severity == "page"} == {
        *("BudgetBurns", "Down", "KeysDiffer", "NobodyMoves", "NobodyOpens", "RefusesLoad", "SiteDown", "StoreAway"),
        *("WorkerFrozen", "WritesSlow"),
    }
    assert {severities[name] for name in ("BytesRunOut", "SessionsRunOut", "CertificateEnds")} == {"ticket"}


def test_the_dashboard_has_a_query_in_every_panel_and_no_panel_twice() -> None:
    panels = json.loads((ROOT / FILES[2]).read_text("utf-8"))["panels"]
    assert all(target["expr"] for panel in panels for target in panel["targets"])
    assert len({panel["id"] for panel in panels}) == len({panel["title"] for panel in panels}) == len(panels)


@pytest.mark.parametrize(
    ("header", "trace"),
    [
        (f"00-{TRACE}-b7ad6b7169203331-01", TRACE),
        (f"01-{TRACE}-b7ad6b7169203331-01-more", TRACE),
        (f"ff-{TRACE}-b7ad6b7169203331-01", None),
        (f"00-{'0' * 32}-b7ad6b7169203331-01", None),
        (f"00-{TRACE.upper()}-b7ad6b7169203331-01", None),
        ("none", None),
    ],
)
def test_the_trace_id_is_read_from_a_valid_traceparent_and_from_no_other(header: str, trace: str | None) -> None:
    assert trace_id(header) == trace
