"""The two commands around the vectors say what they cannot do, and how it is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import complete, run
from tests.server import Server


@pytest.mark.parametrize("game", ["take-that", "take_that"])
def test_a_game_is_run_by_its_name_or_its_folders(
    server: Server, game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main(["--url", f"http://127.0.0.1:{server.port}/", "--game", game]) == 0
    assert capsys.readouterr().out.endswith(" passed, 0 failed\n")


def test_where_no_game_has_the_name_the_known_ones_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run.main(["--url", "http://127.0.0.1", "--game", "whist"])
    assert "'take-that', 'twin-it', 'twins')" in capsys.readouterr().err


@pytest.mark.parametrize("text", [None, "["], ids=["missing", "not JSON"])
def test_a_file_that_cannot_be_completed_is_named(
    tmp_path: Path, text: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ties.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit, match="2"):
        complete.main([str(file)])
    assert f"error: {file}: " in capsys.readouterr().err
