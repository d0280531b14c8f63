"""Clients in languages of which this repository has no package: `make foreign-clients`.

openapi-generator makes each from the contract as it is published. Where there is a compiler the client is built, plays
a trick and a knock, makes an illegal move, and is refused with 400 and 422 by a server that runs; every language has to
print the same. What the types of TypeScript and Python clients refuse is compiled, or read (`typed.py`).
`python -m tests.clients.foreign go java` does these alone.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from service.contract.openapi import document
from service.contract.openapi.converter import ANY_TYPE
from service.judging.calls import CALLS
from tests.clients.foreign.running import BUILD, GENERATOR, PACKAGES, PROBES, RUNTIME, TOOLS, Failed, run
from tests.clients.foreign.typed import TYPED, output_of_typed
from tests.server import Server

KOTLIN = PACKAGES / "run_kotlin_kernel/jars"
OKHTTP = TOOLS / "jars/node_modules/allure-commandline/dist/plugins/jira-plugin/lib"
"""OkHttp, which Kotlin's client asks with, as a package of npm carries it."""
VALIDATOR = Path("/usr/share/gocode/src/gopkg.in/validator.v2")
"""Where Debian's golang-gopkg-validator.v2-dev puts the one package that Go clients need."""
EXPECTED = """\
trick paid 3 2 6
knock hand-over 28
illegal TW-2.3 cannot-pay /move/count
400 /problems/invalid-request /state/chips
422 /problems/invalid-state chips-astray
"""

Command = tuple[str | Path, ...]


@dataclass(frozen=True)
class Client:
    """What openapi-generator makes, with which options, and how it is built: the command that runs the probe."""

    generator: str
    options: Mapping[str, str] = field(default_factory=dict)
    library: str | None = None
    plain: bool = False  #: Made from the contract without `additionalProperties: true`, any value being an object.
    mapped: bool = False  #: Made with every union that holds a list as an Object: its class would not compile.
    build: Callable[[Path], Command | None] = lambda folder: None


def build_go(folder: Path) -> Command:
    """Compile the probe with the client; return the command that runs it."""
    place = folder / "cmd/probe/main.go"
    place.parent.mkdir(parents=True)
    shutil.copy(PROBES / "probe.go", place)
    tool = TOOLS / "bin/go"
    if VALIDATOR.is_dir():
        copied = shutil.copytree(VALIDATOR, folder / "validator")
        (copied / "go.mod").write_text("module gopkg.in/validator.v2\n", "ascii")
        run(tool, "mod", "edit", "-replace", "gopkg.in/validator.v2=./validator", cwd=folder)
    run(tool, "build", "-mod=mod", "-o", "probe", "./cmd/probe", cwd=folder)
    return (folder / "probe",)


def build_java(folder: Path) -> Command | None:
    """Compile the probe with the client; return the command that runs it, None if there is no compiler."""
    if shutil.which("javac") is None:
        return None
    # The JDK has no longer what the generated classes are marked with; the only other thing they need is Jackson.
    mark = folder / "Generated.java"
    mark.write_text(
        'package javax.annotation; public @interface Generated { String value(); String date() default "";'
        ' String comments() default ""; }',
        "ascii",
    )
    sources = [*(folder / "src/main/java").rglob("*.java"), mark, PROBES / "Probe.java"]
    run("javac", "-nowarn", "-proc:none", "-d", "classes", "-cp", GENERATOR, *sources, cwd=folder)
    return "java", "-cp", f"{folder / 'classes'}:{GENERATOR}", "Probe"


def build_kotlin(folder: Path) -> Command:
    """Compile the probe with the client; return the command that runs it."""
    # The kernel's jar has compiler and plugin in one; named as a plugin it would be there twice.
    services = folder / "plugin/META-INF/services/org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar"
    services.parent.mkdir(parents=True)
    services.write_text("org.jetbrains.kotlinx.serialization.compiler.extensions.SerializationComponentRegistrar\n")
    jars = [jar for name in ("kotlin-stdlib*", "kotlinx-*") for jar in KOTLIN.glob(f"{name}.jar")]
    libraries = ":".join(map(str, [*jars, *OKHTTP.glob("ok*.jar")]))
    run(
        *(RUNTIME, "-Xmx3g", "-cp", KOTLIN / "*", "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-nowarn"),
        *("-no-stdlib", "-no-reflect", f"-Xplugin={folder / 'plugin'}", "-cp", libraries, "-d", "classes"),
        *(folder / "src/main/kotlin", PROBES / "Probe.kt"),
        cwd=folder,
    )
    return RUNTIME, "-cp", f"{folder / 'classes'}:{libraries}", "ProbeKt"


CLIENTS = {
    "go": Client("go", build=build_go),
    "java": Client("java", {"openApiNullable": "false"}, library="native", mapped=True, build=build_java),
    "kotlin": Client(
        "kotlin",
        {"serializationLibrary": "kotlinx_serialization", "generateOneOfAnyOfWrappers": "true"},
        plain=True,
        build=build_kotlin,
    ),
    "swift": Client("swift6"),
    "dart": Client("dart-dio"),
    "csharp": Client("csharp"),
}


def generate_client(name: str, client: Client) -> Path:
    """Generate a client from the contract into a new folder; return the folder."""
    folder = BUILD / name
    shutil.rmtree(folder, ignore_errors=True)
    contract = document(CALLS)
    source = BUILD / f"{name}.json"
    text = json.dumps(contract)
    if client.plain:
        text = text.replace(', "additionalProperties": true', "").replace(json.dumps(ANY_TYPE), '"object"')
    source.write_text(text, "utf-8")
    options = ",".join(f"{option}={value}" for option, value in client.options.items())
    unions = {name: each.get("anyOf", ()) for name, each in contract["components"]["schemas"].items()}
    lists = [name for name, union in unions.items() if any(each.get("type") == "array" for each in union)]
    run(
        *(RUNTIME, "-jar", GENERATOR, "generate", "-g", client.generator, "-i", source, "-o", folder),
        *(("--library", client.library) if client.library else ()),
        *((f"--additional-properties={options}",) if options else ()),
        *((f"--schema-mappings={','.join(f'{name}=Object' for name in lists)}",) if client.mapped else ()),
    )
    return folder


def output_of(name: str, client: Client, address: str) -> str:
    """Generate and build a client, and run its probe. Return how far that came; raise `Failed` if it fails."""
    probe = client.build(generate_client(name, client))
    if probe is None:
        return "generated; there is no compiler here"
    if (output := run(*probe, address)) != EXPECTED:
        raise Failed(f"It printed:\n{output}")
    return "generated, built; plays, and is refused as it should be"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.clients.foreign")
    parser.add_argument("languages", nargs="*", help=f"these alone, of {', '.join([*CLIENTS, *TYPED])}")
    chosen = parser.parse_args().languages or [*CLIENTS, *TYPED]
    if unknown := set(chosen) - CLIENTS.keys() - TYPED.keys():
        parser.error(f"no such language: {', '.join(sorted(unknown))}")
    failures = 0
    with Server(settings={"REFEREE_WORKERS": "1"}) as server:
        for name in chosen:
            try:
                address = f"http://127.0.0.1:{server.port}"
                output = output_of_typed(name) if name in TYPED else output_of(name, CLIENTS[name], address)
            except Failed as failed:
                output = f"failed\n{failed}"
                failures += 1
            print(f"{name}: {output}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
