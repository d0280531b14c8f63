"""Token keys are changed step by step: servers one step apart accept each other's tokens."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.server import Server

OLD, NEW = "an old key of more than 32 characters", "a new key of more than 32 characters"
STEPS = (OLD, f"{OLD},{NEW}", f"{NEW},{OLD}", NEW)
"""The keys before the first step, and after each."""


def ask(server: Server, path: str, body: Any = None, token: str = "") -> tuple[int, Any]:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(f"http://127.0.0.1:{server.port}{path}", data, headers), timeout=10) as answer:
            return answer.status, json.load(answer)
    except HTTPError as refused:
        return refused.code, json.load(refused)


def test_half_way_through_a_step_each_server_accepts_the_others_tokens(tmp_path: Path) -> None:
    shared = {"REFEREE_STORE_URL": f"sqlite:///{tmp_path}/sessions.sqlite3"}
    with ExitStack() as stack:
        left = stack.enter_context(Server(settings=shared | {"REFEREE_TOKEN_KEYS": STEPS[0]}))
        for keys in STEPS[1:]:
            right = stack.enter_context(Server(settings=shared | {"REFEREE_TOKEN_KEYS": keys}))
            for one, other in ((left, right), (right, left)):
                status, opened = ask(one, "/sessions", {"game": "gin-rummy", "seats": 2})
                assert status == 201
                path, token = f"/sessions/{opened['id']}", opened["tokens"]["seats"][0]
                assert ask(other, path, token=token)[0] == 200
                passed = {"moves": [{"type": "pass", "seat": 0}]}
                assert ask(other, f"{path}/moves", passed, token)[0] == 201
            for each in (left, right):
                assert ask(each, "/readyz")[0] == 200
            left = right


def test_a_server_with_another_key_is_noticed_before_it_opens_a_session(tmp_path: Path) -> None:
    shared = {"REFEREE_STORE_URL": f"sqlite:///{tmp_path}/sessions.sqlite3"}
    with Server(settings=shared | {"REFEREE_TOKEN_KEYS": OLD}) as left:
        assert ask(left, "/sessions", {"game": "gin-rummy", "seats": 2})[0] == 201
        with Server(settings=shared | {"REFEREE_TOKEN_KEYS": NEW}) as right:
            status, body = ask(right, "/readyz")
            assert (status, body["checks"]["token_keys"]) == (503, "differ")
            assert ask(right, "/sessions", {"game": "gin-rummy", "seats": 2})[0] == 503
            logged = [each for each in right.errors() if "keys that made tokens" in each["message"]]
            assert len(logged) == 1
