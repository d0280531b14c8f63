"""What the types of generated TypeScript and Python clients refuse, and what redocly and
pyright say: for `make foreign-clients`.

`misspelt.ts` has two dozen mistakes and, beside them, what is right: posting back the state, the ruleset and the moves
of an answer. `answers.py` reads the recorded answers of the contract.
"""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from service.contract.openapi import as_yaml, document
from service.contract.openapi.examples import exchanges
from service.contract.shapes import title
from service.judging.calls import CALLS, NAMED
from tests.clients.compiled import NODE
from tests.clients.foreign.running import BUILD, GENERATOR, PROBES, RUNTIME, TOOLS, Failed, run
from tests.server import ROOT

NPM = TOOLS / "npm/node_modules"
CONTRACT = BUILD / "openapi.yaml"
UNUSED_MARK = "TS2578"  #: The error of a line that compiles though it is marked.
COMPILING_MISTAKES: dict[str, set[str]] = {"typescript-fetch": {"what is compared with"}}
"""The mistakes that compile with the types of a generator."""
ACCEPTED_MISTAKES: dict[str, list[str]] = {
    "pydantic": [],
    "openapi-python-client": ["member"],
    "python": ["card", "member"],
}
"""What is wrong and taken by the models of a generator, of `answers.WRONG`."""
SCHEMAS = {call.name: call.gives.__name__.removeprefix("Encoded") for call in CALLS}
SCHEMAS_OF_SESSIONS = {
    "openSession": "SessionOpened", "readSession": "Session", "makeMoves": "Moved", "sessionLog": "Log",
    "transcript": "Transcript", "sessionLegalMoves": "LegalMoves",
}  # fmt: skip
"""The schemas of the answers to some operations, after the name of the game."""


def openapi_typescript(folder: Path) -> str:
    """Generate types with openapi-typescript, and compile `misspelt.ts` with them."""
    flags = ("--root-types", "--root-types-no-schema-prefix")
    run(NODE, NPM / "openapi-typescript/bin/cli.js", CONTRACT, "--output", folder / "models.ts", *flags)
    return compile_misspelt("openapi-typescript", folder, "./models")


def orval(folder: Path) -> str:
    """Generate types with orval, and compile `misspelt.ts` with them."""
    output = {"target": str(folder / "client.ts"), "schemas": str(folder / "models"), "client": "fetch"}
    config = folder / "orval.config.json"
    config.write_text(json.dumps({"referee": {"input": {"target": str(CONTRACT)}, "output": output}}), "utf-8")
    run(NODE, NPM / "orval/dist/bin/orval.mjs", "--config", config)
    return compile_misspelt("orval", folder, "./models")


def hey_api(folder: Path) -> str:
    """Generate types with hey-api, and compile `misspelt.ts` with them."""
    run(NODE, NPM / "@hey-api/openapi-ts/bin/run.js", "-i", CONTRACT, "-o", folder / "client")
    return compile_misspelt("hey-api", folder, "./client/types.gen")


def typescript_fetch(folder: Path) -> str:
    """Generate types with openapi-generator, and compile `misspelt.ts` with them."""
    _openapi_generator("typescript-fetch", CONTRACT, folder, "--additional-properties=modelPropertyNaming=original")
    return compile_misspelt("typescript-fetch", folder, "./models/index")


def compile_misspelt(name: str, folder: Path, models: str) -> str:
    """Compile `misspelt.ts` with the models of a generator: exactly what is marked there must not compile."""
    lines = (PROBES / "misspelt.ts").read_text("utf-8").replace("./models.js", models).splitlines()
    (folder / "misspelt.ts").write_text("\n".join(lines), "utf-8")
    flags = "--noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler --pretty false"
    output = run(NODE, NPM / "typescript/bin/tsc", *flags.split(), "misspelt.ts", cwd=folder, may_fail=True)
    errors = re.findall(r"^misspelt\.ts\((\d+),\d+\): error (\w+)", output, re.MULTILINE)
    if lines_of_other_errors := [line for line, code in errors if code != UNUSED_MARK]:
        raise Failed(f"what is right does not compile, in line {lines_of_other_errors[0]}:\n{output[:600]}")
    compiled = {lines[int(line) - 1].partition(": ")[2] for line, _ in errors}
    if compiled != COMPILING_MISTAKES.get(name, set()):
        raise Failed(f"these compile: {sorted(compiled)}")
    marked = sum("@ts-expect-error" in line for line in lines)
    return f"{marked - len(compiled)} of {marked} mistakes do not compile; an answer is posted back"


def pydantic(folder: Path) -> str:
    """Generate models with datamodel-codegen, which read the recorded answers."""
    flags = "--input-file-type openapi --output-model-type pydantic_v2.BaseModel --target-python-version 3.11"
    tool = TOOLS / "bin/datamodel-codegen"
    run(tool, "--input", CONTRACT, "--output", folder / "models.py", *flags.split())
    return read_answers("pydantic", folder, "pydantic", "models")


def openapi_python_client(folder: Path) -> str:
    """Generate a client with openapi-python-client, whose models read the recorded answers."""
    tool = TOOLS / "bin/openapi-python-client"
    output = run(tool, "generate", "--path", CONTRACT, "--output-path", folder / "client", "--meta", "none")
    if "WARNING" in output:
        raise Failed(output)
    return read_answers("openapi-python-client", folder, "plain", "client.models")


def python(folder: Path) -> str:
    """Generate a client with openapi-generator, whose models read the recorded answers.

    In its contract a card is any text: of a list of lists of enumerations it makes code that cannot read.
    """
    plain = re.sub(
        r"^(    \w+Card: \{type: \w+),enum: \[[^]]*\]", r"\1", CONTRACT.read_text("utf-8"), flags=re.MULTILINE
    )
    contract = folder.with_suffix(".yaml")
    contract.write_text(plain, "utf-8")
    _openapi_generator("python", contract, folder)
    return read_answers("python", folder, "plain", "openapi_client.models")


def read_answers(name: str, folder: Path, form: str, module: str) -> str:
    """Let models read the recorded answers. Each must be read, and its state be the same when it is written again.

    `form`: the kind of models, of `answers.FORMS`; `module`: where they are.
    """
    file = BUILD / "answers.json"
    answers = recorded_answers()
    file.write_text(json.dumps(answers), "utf-8")
    result = json.loads(run(TOOLS / "bin/python", PROBES / "answers.py", form, module, file, cwd=folder))
    if result["unread"] or result["other states"] or result["taken"] != ACCEPTED_MISTAKES[name]:
        raise Failed(json.dumps(result, indent=1))
    return (
        f"{len(answers)} answers are read, states posted back; taken of what is wrong: {result['taken'] or 'nothing'}"
    )


def recorded_answers() -> list[dict[str, object]]:
    """The recorded answers and problems, each with its schema."""
    answers: list[dict[str, object]] = []
    for each in exchanges():
        name = SCHEMAS.get(each.operation.removeprefix("/")) or SCHEMAS_OF_SESSIONS.get(each.operation)
        if each.status in (200, 201) and name and each.game:
            answers.append({"schema": title(each.game) + name, "answer": each.answer})
        elif each.status >= 400:
            answers.append({"schema": "Problem", "answer": each.answer})
    assert len(answers) > 10 * len(NAMED)
    return answers


def redocly(folder: Path) -> str:
    """Lint the contract."""
    shutil.copy(PROBES.parents[2] / "redocly.yaml", folder)
    output = run(NODE, NPM / "@redocly/cli/bin/cli.js", "lint", CONTRACT, "--format", "json", cwd=folder)
    if problems := json.loads(output[output.index("{") :])["problems"]:
        raise Failed("\n".join(each["message"] for each in problems))
    return "nothing is wrong by its recommended rules"


def pyright(folder: Path) -> str:
    """The programs of our Python client's README, by the type checker that is stricter about absent members."""
    readme = ROOT / "clients/python/README.md"
    programs = re.findall(r"```py\n(.*?)```", readme.read_text("utf-8"), re.DOTALL)
    for number, program in enumerate(programs):
        (folder / f"program_{number}.py").write_text(program, "utf-8")
    settings = {
        "typeCheckingMode": "strict",
        "extraPaths": [str(readme.parent)],
        "venvPath": str(ROOT),
        "venv": ".venv",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    run(NODE, NPM / "pyright/index.js", "--warnings", cwd=folder)
    return f"{len(programs)} programs of clients/python have no error"


def _openapi_generator(generator: str, contract: Path, folder: Path, *flags: str) -> None:
    run(RUNTIME, "-jar", GENERATOR, "generate", "-g", generator, "-i", contract, "-o", folder, *flags)


TYPED: dict[str, Callable[[Path], str]] = {
    "openapi-typescript": openapi_typescript,
    "orval": orval,
    "hey-api": hey_api,
    "typescript-fetch": typescript_fetch,
    "pydantic": pydantic,
    "openapi-python-client": openapi_python_client,
    "python": python,
    "redocly": redocly,
    "pyright": pyright,
}


def output_of_typed(name: str) -> str:
    """Run a generator or checker of `TYPED` in an empty folder. Return what it came to; raise `Failed` if it fails."""
    folder = BUILD / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    CONTRACT.write_text(as_yaml(document(CALLS)), "utf-8")
    return TYPED[name](folder)
