"""`referee judge`: one answer a line, in order, the same bytes with any number of processes and after any stop."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from service import bulk
from service.cli import main
from service.conformance import vectors

ROOT = Path(__file__).parents[2]
REQUESTS = [
    {"id": each.id, "path": each.request["path"], "body": each.request["body"]}
    for each in vectors()
    if each.call in ("resolve", "validate", "audit", "deal") and "seed" in str(each.request) + "seed"
]


@pytest.fixture
def requests(tmp_path: Path) -> Path:
    file = tmp_path / "requests.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in REQUESTS), "utf-8")
    return file


def judge(file: Path, *more: str | Path) -> tuple[int, bytes]:
    """Run the command; returns its exit status and the answers."""
    out = file.with_suffix(".out")
    return main(["judge", str(file), "--out", str(out), *map(str, more)]), out.read_bytes()


def test_each_line_is_answered_in_its_place_as_in_a_batch(requests: Path, client: FlaskClient) -> None:
    status, given = judge(requests, "--processes", "2")
    answers = [json.loads(line) for line in given.splitlines()]
    assert [each["id"] for each in answers] == [each["id"] for each in REQUESTS]
    plain = [each for each in REQUESTS if isinstance(each["body"], dict) and "compare" not in each["body"]][:100]
    batch: Any = client.post("/batch", json={"requests": plain}).get_json()
    by_id = {each["id"]: each for each in answers}
    assert [by_id[each["id"]] for each in plain] == batch["responses"]
    assert status == 1  # some vectors are refused
    assert judge(requests, "--processes", "1") == (1, given)


def test_a_line_that_is_no_request_is_refused_in_its_place(tmp_path: Path) -> None:
    file = tmp_path / "few.jsonl"
    deal = json.dumps({"id": 7, "path": "/deal", "body": {"game": "twins", "seats": 3, "seed": "s"}})
    lines = [deal, "", "[", '{"id": "x", "path": "/nowhere", "body": {}}', " " * bulk.LONGEST + "{}", deal]
    file.write_text("\n".join(lines), "utf-8")
    status, given = judge(file)
    answers = [json.loads(line) for line in given.splitlines()]
    assert [each["status"] for each in answers] == [200, 400, 400, 400, 413, 200]
    assert answers[3]["id"] == "x"
    assert answers[3]["body"]["errors"][0]["pointer"] == "/path"
    assert status == 1
    file.write_text(deal + "\n", "utf-8")
    assert judge(file)[0] == 0


def test_what_cannot_be_read_is_2(tmp_path: Path) -> None:
    assert main(["judge", str(tmp_path / "nothing")]) == 2
    assert main(["judge", str(tmp_path), "--resume"]) == 2


@pytest.mark.parametrize("cut", [0, 1, 5_000, 40_001])
def test_it_goes_on_after_the_last_whole_line(requests: Path, cut: int) -> None:
    whole = judge(requests)
    requests.with_suffix(".out").write_bytes(whole[1][:cut])
    assert judge(requests, "--resume") == whole
    assert judge(requests, "--resume") == whole


def test_after_a_kill_it_goes_on_to_the_same_bytes(requests: Path) -> None:
    text = requests.read_text("utf-8")
    requests.write_text(text * 8, "utf-8")
    whole = judge(requests)
    out = requests.with_suffix(".out")
    out.unlink()
    command = [sys.executable, "-m", "service.cli", "judge", str(requests), "--out", str(out)]
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True) as running:
        while not (out.exists() and out.stat().st_size > len(whole[1]) // 4) and running.poll() is None:
            time.sleep(0.005)
        running.kill()
    for _ in range(200):  # its processes end, too
        try:
            os.killpg(running.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    else:
        pytest.fail("a process of a killed command is left")
    assert 0 < out.stat().st_size <= len(whole[1])
    assert judge(requests, "--resume") == whole
