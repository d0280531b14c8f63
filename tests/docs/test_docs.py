"""What README and docs show is what the service answers: every call in them is made, every answer compared.

A `sh` block directly followed by a `json` block is a call and its answer. An answer in the docs may leave members out;
those that it shows must be right. Every block is run by a shell of its own, in the order of the page.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from service.cli.terminal import lines
from service.conformance import differences, parts, vectors_of
from service.judging.calls import judged
from service.problems import KINDS
from service.strict_json import plain
from tests.clients.compiled import node
from tests.docs import generated
from tests.docs.calls import CALL, calls
from tests.server import Server

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "seeds" / "README.md"]
ADDRESS_IN_PAGES = "http://127.0.0.1:8000"


def run_command(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command at the root of this repository. It may fail."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def blocks_of(page: str, pattern: str) -> Any:
    """Return what the groups of a pattern match, at each of its places in a page of docs/."""
    return re.findall(pattern, (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def write_file(folder: Path, name: str, text: str) -> Path:
    """Write a text into a file of a folder; return the file."""
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.skipif(shutil.which("curl") is None, reason="the docs call with curl")
@pytest.mark.parametrize("page", [page for page in PAGES if calls(page)], ids=lambda page: page.name)
def test_calls_give_the_answers_that_the_page_prints(page: Path, server: Server) -> None:
    for call, answer in calls(page):
        assert list(differences(json.loads(answer), output_of_block(call, server), wording=True)) == [], call


def output_of_block(call: str, server: Server) -> Any:
    """Run a block of the docs against this server, and return the JSON that it prints."""
    command = ["bash", "-euc", call.replace(ADDRESS_IN_PAGES, f"http://127.0.0.1:{server.port}")]
    return json.loads(subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the docs call with curl")
def test_the_first_twenty_lines_of_the_readme_have_a_call_and_its_whole_answer(server: Server) -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    (match,) = CALL.finditer("\n".join(lines[:20]))
    assert output_of_block(match["call"], server) == json.loads(match["answer"])


def test_the_image_of_the_readme_is_reached_from_this_machine_alone() -> None:
    (line,) = re.findall(r"^    docker .*", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    (exposed,) = re.findall(r"^EXPOSE (\d+)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert f" -p 127.0.0.1:{exposed}:{exposed} " in line


def test_the_terminal_prints_what_the_readme_shows() -> None:
    """`…` stands for lines that are left out."""
    tie = tie_of_the_readme()
    body = json.loads(tie.block.split("END'\n")[1].partition("END\n")[0])
    (request,) = (call for call, _ in calls(ROOT / "README.md") if '"compare": ["italian", "french"]' in call)
    assert body == {**json.loads(request.split("'")[1]), "names": ["Anna", "Bo", "Cy", "Di", "Eva"]}
    output = "\n".join(lines(plain(judged("resolve", None, body, "en")), body["names"], "en", 100))
    for piece in filter(None, re.split(r"^…$", tie.result, flags=re.MULTILINE)):
        assert piece.strip("\n") in output


class Tie(NamedTuple):
    """The block of README.md that judges `tie.json`, and the result that it shows."""

    block: str
    result: str


def tie_of_the_readme() -> Tie:
    """Read the block and its result from README.md."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    ((block, expected),) = re.findall(r"```sh\n(cat > tie.json[^`]*)```\n\n```text\n(.*?)\n```", page, re.DOTALL)
    return Tie(block, expected)


def run_with_commands(block: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a block in a folder, by a shell that finds the commands where `make serve` installs them."""
    installed = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{installed}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-euc", block], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_file_of_the_readme_is_judged_by_its_command(tmp_path: Path) -> None:
    result = run_with_commands(tie_of_the_readme().block, tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert [each["ruleset"] for each in json.loads(result.stdout)["comparison"]] == ["italian", "french"]


def test_the_lines_of_the_page_on_bulk_are_answered_as_printed(tmp_path: Path) -> None:
    """One of them is refused, so the command ends with 1."""
    ((block, text),) = blocks_of("bulk.md", r"^```sh\n(cat [^`]*)```\n\n```json\n(.*?)^```$")
    assert run_with_commands(block, tmp_path).returncode == 1
    answers = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    expected = [json.loads(line) for line in text.splitlines()]
    assert list(differences(expected, answers)) == []


def test_the_generated_pages_are_up_to_date() -> None:
    expected = generated.pages()
    stale = [page for page, text in expected.items() if page.read_text(encoding="utf-8") != text]
    assert stale + [page for page in generated.RULES.rglob("*.md") if page not in expected] == [], (
        "make openapi writes them"
    )


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_every_link_leads_to_a_file_and_its_heading(text: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text.read_text(encoding="utf-8"))
    assert [link for link in links if not link_exists(text, *link)] == []


def link_exists(text: Path, path: str, anchor: str) -> bool:
    """Whether the file that a link in `text` names exists, and has the heading of its anchor."""
    target = text.parent / path if path else text
    if not anchor:
        return target.exists()
    headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
    return anchor in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
def test_files_named_in_the_text_exist(text: Path) -> None:
    paths = re.findall(
        r"`((?:engines|service|tests|seeds|docs|deploy|bench)/[\w./-]+\.\w+)`", text.read_text(encoding="utf-8")
    )
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_package_has_the_licence() -> None:
    licence = (ROOT / "LICENSE").read_bytes()
    assert licence.startswith(b"MIT License")
    for package in ("clients/python", "clients/typescript", "clients/table", "distributions/engines"):
        assert (ROOT / package / "LICENSE").read_bytes() == licence


@pytest.fixture
def runner(tmp_path: Path) -> list[str]:
    """The command that is printed in docs/vectors.md."""
    if shutil.which("node") is None:
        pytest.skip("the example is JavaScript")
    (code,) = blocks_of("vectors.md", r"^```js\n(.*?)^```$")
    return ["node", str(write_file(tmp_path, "vectors.mjs", code))]


def test_the_runner_in_another_language_finds_that_every_vector_agrees(runner: list[str], server: Server) -> None:
    result = run_command(*runner, f"http://127.0.0.1:{server.port}/", f"{ROOT / 'seeds'}/")
    assert result.stdout == f"{sum(len(list(vectors_of(part))) for part in parts())} passed, 0 failed\n", result.stderr


def test_the_runner_in_another_language_states_its_usage(runner: list[str]) -> None:
    result = run_command(*runner)
    assert (result.returncode, result.stderr) == (2, "Usage: node vectors.mjs URL SEEDS\n")


def test_the_runner_in_a_few_lines_finds_that_every_vector_agrees(tmp_path: Path, server: Server) -> None:
    (code,) = blocks_of("testing.md", r"^```py\n(import json.*?)^```$")
    script = write_file(tmp_path, "runner.py", code)
    seeds: Path = shutil.copytree(ROOT / "seeds", tmp_path / "seeds")
    command: list[str | Path] = [sys.executable, script, f"127.0.0.1:{server.port}", seeds]
    right = run_command(*command)
    assert (right.returncode, right.stderr) == (0, "")
    games = seeds / "http/vectors/games.json"
    games.write_text(games.read_text(encoding="utf-8").replace("[3, 4, 5, 6]", "[2]"), "utf-8")
    wrong = run_command(*command)
    assert (wrong.returncode, wrong.stderr) == (1, "1 failed: http-game\n")


@pytest.fixture
def server_for_tests() -> Iterator[Server]:
    """A service with REFEREE_TESTING, for tests of clients."""
    with Server(settings={"REFEREE_TESTING": "1"}) as running:
        yield running


@pytest.mark.parametrize(("number", "tests"), [(0, len(KINDS) + 1), (1, 3)], ids=["every problem", "three states"])
def test_the_tests_of_a_client_pass_as_printed(
    tmp_path: Path, server_for_tests: Server, number: int, tests: int
) -> None:
    code = blocks_of("testing.md", r"^```js\n(.*?)^```$")[number]
    package = (ROOT / "clients/typescript/src/index.ts").as_uri()
    script = write_file(tmp_path, "states.test.mjs", code.replace('"rules-referee"', f'"{package}"'))
    output = node("--test", "--test-reporter=tap", script, REFEREE=f"http://127.0.0.1:{server_for_tests.port}")
    assert re.findall(r"^# (pass|fail) (\d+)$", output, re.MULTILINE) == [("pass", str(tests)), ("fail", "0")]


@pytest.mark.skipif(shutil.which("node") is None, reason="the program is JavaScript")
def test_three_phones_play_a_game_of_speed_as_printed(tmp_path: Path, server: Server) -> None:
    ((code, expected),) = blocks_of("sessions.md", r"^```js\n(const api.*?)^```\n\n```text\n(.*?)^```$")
    result = run_command("node", write_file(tmp_path, "phones.mjs", code), f"http://127.0.0.1:{server.port}")
    assert (result.returncode, result.stdout) == (0, expected), result.stderr


def test_the_engines_play_a_game_without_the_service_as_printed(tmp_path: Path) -> None:
    (program, expected), *_ = blocks_of("embedding.md", r"^```py\n(.*?)^```\n+```text\n(.*?)^```$")
    program += "import sys\nassert not {name for name in sys.modules if name.partition('.')[0] == 'service'}\n"
    result = run_command(sys.executable, "-c", program)
    assert (result.returncode, result.stdout) == (0, expected), result.stderr
    file = write_file(tmp_path, "program.py", program)
    checked = run_command(sys.executable, "-m", "mypy", "--strict", "--config-file=", file)
    assert checked.stdout == "Success: no issues found in 1 source file\n"


@pytest.mark.parametrize(
    "file", [ROOT / "Dockerfile", ROOT / "Makefile", *PAGES, *(ROOT / "deploy").glob("*.*")], ids=lambda file: file.name
)
def test_every_setting_that_a_file_names_exists(file: Path) -> None:
    settings = set(re.findall(r"REFEREE_([A-Z_]+)\b", file.read_text(encoding="utf-8")))
    assert settings - {name.upper() for group in generated.GROUPS for name in group.readers()} == set()
