"""A server holds as many connections as its limit of descriptors allows."""

import resource
import shutil

import pytest

from distributions.worker.tests.raw_http import ask, ask_anew, get, post, several
from tests.deploy.conftest import SUBJECT
from tests.server import Server


@pytest.mark.skipif(not shutil.which("prlimit"), reason="prlimit is not installed")
def test_the_soft_limit_of_descriptors_is_raised_to_the_hard_one() -> None:
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Server(SUBJECT, before=("prlimit", f"--nofile=256:{hard}")) as server, several(server, 400) as silent:
        assert all(ask(client, get("/livez")).body == b"alive" for client in silent)
        assert server.err.read_text("utf-8") == ""


@pytest.mark.skipif(not shutil.which("prlimit"), reason="prlimit is not installed")
def test_with_256_descriptors_the_server_works_and_one_line_states_its_connections() -> None:
    with Server(before=("prlimit", "--nofile=256:256")) as server, several(server, 70) as silent:
        assert ask_anew(server, post("/sessions", b'{"game": "gin-rummy", "seats": 2}')).status == 201
        assert all(ask(client, get("/livez")).status == 200 for client in silent)
        line = "REFEREE_CONNECTIONS: a worker holds 85, for it may have 256 descriptors (ulimit -Hn)\n"
        assert server.err.read_text("utf-8") == line
