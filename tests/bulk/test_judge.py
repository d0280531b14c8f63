"""`referee judge`: one answer a line, in order, the same bytes with any number of processes and after any stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from service import bulk
from service.cli import main
from tests.conformance import vectors
from tests.server import ROOT, until

REQUESTS = [
    {"id": each.id, "path": each.request["path"], "body": each.request["body"]}
    for each in vectors()
    if each.call in ("resolve", "validate", "audit", "deal")
]


JUDGE = [sys.executable, "-m", "service.cli", "judge"]


@pytest.fixture
def requests(tmp_path: Path) -> Path:
    """A file with a line for each of `REQUESTS`."""
    file = tmp_path / "requests.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in REQUESTS), "utf-8")
    return file


def run_judge(file: Path, *more: str | Path) -> tuple[int, bytes]:
    """Run `referee judge` with `--out`; return its exit status and what that file has then.

    The status is 1 if some answer in the file is a refusal, also one of an earlier run.
    """
    out = file.with_suffix(".out")
    return main(["judge", str(file), "--out", str(out), *map(str, more)]), out.read_bytes()


def test_each_line_is_answered_in_its_place_as_in_a_batch(requests: Path, client: FlaskClient) -> None:
    status, lines = run_judge(requests, "--processes", "2")
    answers = [json.loads(line) for line in lines.splitlines()]
    assert [each["id"] for each in answers] == [each["id"] for each in REQUESTS]
    plain = [each for each in REQUESTS if isinstance(each["body"], dict) and "compare" not in each["body"]][:100]
    batch: Any = client.post("/batch", json={"requests": plain}).get_json()
    by_id = {each["id"]: each for each in answers}
    assert [by_id[each["id"]] for each in plain] == batch["responses"]
    assert status == 1  # some vectors are refused
    assert run_judge(requests, "--processes", "1") == (1, lines)


def test_a_line_that_is_no_request_is_refused_in_its_place(tmp_path: Path) -> None:
    file = tmp_path / "few.jsonl"
    deal = json.dumps({"id": 7, "path": "/deal", "body": {"game": "twins", "seats": 3, "seed": "s"}})
    longest = deal.ljust(bulk.LONGEST_LINE)
    lines = [longest, "", "[", '{"id": "x", "path": "/nowhere", "body": {}}', longest + " ", '{"id": true}', deal]
    file.write_text("\n".join(lines), "utf-8")
    status, out = run_judge(file)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [each["status"] for each in answers] == [200, 400, 400, 400, 413, 400, 200]
    assert [each.get("id") for each in answers] == [7, None, None, "x", None, None, 7]
    assert answers[3]["body"]["errors"][0]["pointer"] == "/path"
    assert status == 1
    file.write_text(deal + "\n", "utf-8")
    assert run_judge(file)[0] == 0


def test_an_endless_line_is_never_in_memory() -> None:
    source = BytesIO(b"{" * (5 * bulk.LONGEST_LINE) + b"\n{}\n{}")
    first, *others = bulk.lines_of(source)
    assert bulk.LONGEST_LINE < len(first) < bulk.LONGEST_LINE + 10
    assert others == [b"{}\n", b"{}"]


def test_a_chunk_ends_after_a_hundred_lines_or_when_its_bytes_are_full() -> None:
    many, long = [b"{}\n"] * 250, [b" " * (bulk.BYTES_IN_CHUNK - 1) + b"\n"] * 2
    assert [len(each) for each in bulk.chunks(iter(many + long))] == [100, 100, 51, 1]


def test_standard_input_is_answered_on_standard_output() -> None:
    line = json.dumps({"id": 1, "path": "/games/twins/deal", "body": {"seats": 3}}).encode()
    done = subprocess.run([*JUDGE, "-", "--processes", "1"], cwd=ROOT, input=line, capture_output=True, check=True)
    assert json.loads(done.stdout)["id"] == 1
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--resume"], "--resume needs --out"),
        (["--out", "{file}"], "--out is the file of the requests"),
        (["--out", "/dev/full"], "No space left on device"),
        (["--out", "{file}.more", "--resume"], "has more answers than there are requests"),
        (["--dask", "tcp://127.0.0.1:9"], "distributed is missing: pip install"),
    ],
)
def test_an_impossible_command_ends_with_2_and_a_reason_and_leaves_the_requests_as_they_are(
    options: list[str], message: str, requests: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = requests.read_bytes()
    answers = [{"id": each["id"], "status": 200, "body": {}} for each in (*REQUESTS, REQUESTS[0])]
    more = "".join(json.dumps(each) + "\n" for each in answers)
    requests.with_suffix(".jsonl.more").write_text(more, "utf-8")
    assert main(["judge", str(requests), *(each.format(file=requests) for each in options)]) == 2
    assert message in capfd.readouterr().err
    assert requests.read_bytes() == text


@pytest.mark.parametrize("arguments", [["-"], ["-", "--resume"]], ids=["anew", "resumed"])
@pytest.mark.parametrize("link", [False, True], ids=["itself", "a link"])
def test_the_requests_on_standard_input_are_not_written_over(arguments: list[str], requests: Path, link: bool) -> None:
    text = requests.read_bytes()
    out = requests.with_name("link")
    out.hardlink_to(requests)
    command = [*JUDGE, *arguments, "--out", str(out if link else requests)]
    with requests.open("rb") as source:
        done = subprocess.run(command, cwd=ROOT, stdin=source, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith("Error: --out is the file of the requests\n")
    assert requests.read_bytes() == text


OTHER_FILES = {
    "notes": b"milk\nbread\n",
    "notes without a line end": b"milk",
    "an array": b"[1]\n",
    "other JSON": b'{"status": 200, "body": {}, "more": 1}\n',
    "answers to other requests": b'{"id":"another","status":200,"body":{}}\n',
    "answers without an id": b'{"status":200,"body":{}}\n',
}


@pytest.mark.parametrize("what", OTHER_FILES)
def test_a_file_that_has_other_lines_is_not_resumed(
    what: str, requests: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = requests.with_suffix(".out")
    out.write_bytes(OTHER_FILES[what])
    assert run_judge(requests, "--resume") == (2, OTHER_FILES[what])
    assert capfd.readouterr().err == (f"referee judge: line 1 of {out} is no answer to that line of the requests\n")


def test_a_line_of_more_than_8_mib_ends_the_command_with_2(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "endless.jsonl"
    with file.open("wb") as stream:
        stream.write(b"{}\n")
        stream.truncate(3 << 30)
    assert main(["judge", str(file), "--out", str(tmp_path / "out")]) == 2
    assert capfd.readouterr().err == "referee judge: line 2 of the requests has more than 8 MiB\n"


def test_a_file_of_requests_that_cannot_be_read_ends_the_command_with_2(tmp_path: Path) -> None:
    assert main(["judge", str(tmp_path / "nothing")]) == 2
    assert main(["judge", str(tmp_path)]) == 2


def test_a_process_that_is_killed_ends_the_command_with_2(requests: Path) -> None:
    requests.write_text(requests.read_text("utf-8") * 8, "utf-8")
    command = [*JUDGE, str(requests), "--out", f"{requests}.out"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as running:
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        child = until(lambda: children.read_text("ascii").split())[0]
        os.kill(int(child), signal.SIGKILL)
        message = running.communicate(timeout=60)[1]
    assert running.returncode == 2
    assert message.startswith("referee judge: ")
    assert message.count("\n") == 1


@pytest.mark.parametrize("cut", [0, 1, 5_000, 40_001])
def test_a_resumed_run_goes_on_after_the_last_whole_line_of_its_answers(requests: Path, cut: int) -> None:
    status, answers = run_judge(requests)
    requests.with_suffix(".out").write_bytes(answers[:cut])
    assert run_judge(requests, "--resume") == (status, answers)
    assert run_judge(requests, "--resume") == (status, answers)


def test_a_run_that_was_killed_and_resumed_gives_the_same_bytes(requests: Path) -> None:
    requests.write_text(requests.read_text("utf-8") * 8, "utf-8")
    status, answers = run_judge(requests)
    out = requests.with_suffix(".out")
    out.unlink()
    with subprocess.Popen([*JUDGE, str(requests), "--out", str(out)], cwd=ROOT, start_new_session=True) as running:
        while not (out.exists() and out.stat().st_size > len(answers) // 4) and running.poll() is None:
            time.sleep(0.005)
        running.kill()
    until(lambda: has_ended(running.pid))  # and so have the processes that it started
    assert 0 < out.stat().st_size <= len(answers)
    assert run_judge(requests, "--resume") == (status, answers)


def has_ended(group: int) -> bool:
    """Return whether no process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_line_on_which_the_referee_fails_speaks_of_no_header(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> object:
        raise AssertionError

    monkeypatch.setattr("service.judging.calls.judged", fails)
    answer = json.loads(bulk.answer(b'{"id": "a", "path": "/deal", "body": {}}', "en"))
    assert (answer["id"], answer["status"]) == ("a", 500)
    assert answer["body"]["detail"] == "The referee failed on this line. Please report it."
