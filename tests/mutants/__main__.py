"""Exchange two neighbours in a constant of a game, run its tests and vectors, and list the exchanges they missed.

    python -m tests.mutants twins               every pair
    python -m tests.mutants twins --sample 5    some pairs, of as many constants as there are

Exits with 1 where a pair was exchanged and no test failed, and with 2 where one fails with nothing exchanged.
"""

import argparse
import os
import random
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from tests.mutants.constants import Swap, swaps

ROOT = Path(__file__).resolve().parents[2]
SHARED_TESTS = ("tests/engines/test_laws.py", "tests/engines/test_secrecy.py")
OF_OTHERS = ("flask", "hypothesis", "jsonschema", "marshmallow", "orjson", "prometheus_client", "yaml")
"""What the tests import: loaded once, before any fork."""
NOT_RUN = (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED)
SECONDS = 60  #: A test that takes longer has noticed.


def tests_of(game: str) -> list[str]:
    """The tests of a game, as arguments of pytest; of a game without tests of its own, the shared ones."""
    own = f"tests/engines/{game}"
    if (ROOT / own).is_dir():
        return [own]
    return [*SHARED_TESTS, "-k", f"{game} or {game.replace('_', '-')}"]


def is_noticed(swap: Swap | None, game: str) -> bool:
    """Whether a vector or a test of a game fails with two neighbours exchanged, or with nothing exchanged if `None`.

    They run in a child process, because a process imports a module only once: this one never imports ours.
    """
    child = os.fork()
    if not child:
        status = int(pytest.ExitCode.USAGE_ERROR)
        try:
            status = _run(swap, game)
        finally:
            os._exit(status)
    _, waited = os.waitpid(child, 0)
    status = os.waitstatus_to_exitcode(waited)
    assert status not in NOT_RUN, f"pytest {' '.join(tests_of(game))}: no tests were run"
    return status != pytest.ExitCode.OK


def _run(swap: Swap | None, game: str) -> int:
    """Run a game's vectors and tests in this process with an exchange made, and return the exit status of pytest.

    No file is changed: Python's loader is, so that it reads the module's source with the exchange in it.
    """
    get_data = SourceFileLoader.get_data

    def get_data_exchanged(loader: SourceFileLoader, path: str) -> bytes:
        if swap is None or Path(path).name.partition(".")[0] != swap.file.stem:
            return get_data(loader, path)
        if path.endswith(".pyc"):
            raise OSError("what was compiled before has nothing exchanged")
        source = get_data(loader, path)
        return swap.applied(source) if Path(path) == ROOT / swap.file else source

    sys.dont_write_bytecode = True
    SourceFileLoader.get_data = get_data_exchanged  # type: ignore[method-assign, assignment]
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        if not _vectors_hold(game):
            return int(pytest.ExitCode.TESTS_FAILED)
        quiet = ("-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", f"timeout={SECONDS}")
        return int(pytest.main([*quiet, *tests_of(game)]))


def _vectors_hold(game: str) -> bool:
    """Whether every vector of a game holds. Tried without pytest, which is three times as fast."""
    try:
        from service.app import create_app
        from service.config import Settings
        from service.conformance import SEEDS, disagreements
        from service.seeds import vectors_in
        from tests.conformance.complete import sender_of_vectors

        ask = sender_of_vectors(create_app(Settings()).test_client())
        return not any(disagreements(vector, *ask(vector)) for vector in vectors_in(SEEDS / game))
    except Exception:  # noqa: BLE001 — what cannot even be imported has been noticed
        return False


def sample_of_swaps(all_: Sequence[Swap], count: int) -> list[Swap]:
    """Return `count` swaps, always the same ones: at first one of each constant, then a second of each, and so on."""
    dice = random.Random(count)
    waiting: dict[tuple[Path, str], list[Swap]] = {}
    for swap in dice.sample(all_, len(all_)):
        waiting.setdefault((swap.file, swap.constant), []).append(swap)
    chosen: list[Swap] = []
    while waiting and len(chosen) < count:
        for key in list(waiting):
            chosen.append(waiting[key].pop())
            if not waiting[key]:
                del waiting[key]
    return chosen[:count]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the exchanges that were missed, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=(__doc__ or "").partition("\n")[0])
    games = sorted(file.parent.name for file in (ROOT / "engines").glob("*/__init__.py") if file.parent.name != "core")
    parser.add_argument("game", choices=games, help="its folder under engines/")
    parser.add_argument("--sample", type=int, metavar="N", help="only so many pairs")
    options = parser.parse_args(arguments)
    chosen = tests_of(options.game)
    if SHARED_TESTS[0] in chosen:
        print(f"There is no tests/engines/{options.game}/: its vectors and the shared tests are run.", file=sys.stderr)
    files = sorted((ROOT / "engines" / options.game).glob("*.py"))
    sources = {file.relative_to(ROOT): file.read_bytes() for file in files}
    pairs = [swap for file, source in sources.items() for swap in swaps(file, source)]
    pairs = pairs if options.sample is None else sample_of_swaps(pairs, options.sample)
    for name in OF_OTHERS:
        import_module(name)
    os.chdir(ROOT)
    if options.sample is None and is_noticed(None, options.game):
        print(f"{options.game}: a vector or a test fails with nothing exchanged: pytest {' '.join(chosen)}")
        return 2
    survivors = 0
    for swap in pairs:
        if not is_noticed(swap, options.game):
            survivors += 1
            print(f"No test noticed {swap.described(sources[swap.file])}.", flush=True)
    if survivors:
        print(f"{options.game}: add a case. The order of the pack shows in what a seed deals: `...dealt` is that.")
    print(f"{options.game}: {len(pairs) - survivors} of {len(pairs)} exchanged pairs were noticed.")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
