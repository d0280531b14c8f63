"""Stores of sessions as a release wrote them: `python -m tests.baseline.sessions` writes those of this version.

A folder of `stores/` is a release. `sessions.sqlite3` and `redis.json` hold the same kinds of sessions in either store;
`sessions-of-….json` say what every bearer was answered, so that a later version can be held to it.
"""

import json
import random
import shutil
from base64 import b64decode, b64encode
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flask.testing import FlaskClient

from service.bounds import SHORTEST_WINDOW
from service.sessions.stores import open_store
from service.sessions.stores.sqlite import SqliteStore
from tests.faults.servers import RedisServer, one_redis
from tests.server import until
from tests.service.sessions.tables import GAMES, SessionClient, open_session, service_client

STORES = Path(__file__).with_name("stores")
RELEASES = sorted(each.name for each in STORES.iterdir())
KEY = "the key that signs the tokens of kept stores"
ALWAYS = {"token_keys": (KEY,), "session_hours": 1e6, "unplayed_hours": 1e6}
LAST = "the last move"
SEEDS = "one", "two"


def client(store_url: str) -> FlaskClient:
    """Return a client of a service on a baseline store."""
    return service_client(store_url, **ALWAYS)


def play_every_kind(store_url: str) -> list[dict[str, Any]]:
    """Open sessions of every kind, play them, and return what their bearers are answered."""
    service, dice = client(store_url), random.Random(5)
    tables = []
    for game in GAMES:
        table = (
            open_session(service, game, names=["Anna", "Bruno"], seats=2)
            if game == "gin-rummy"
            else open_session(service, game)
        )
        tables.append(table)
        for _ in range(5):
            table.move("host", table.choose(dice))
        table.move("host", {"type": "deal", "seat": 0}, Idempotency_Key="refused")
    invited = open_session(service, "gin-rummy", invite=True, host="blind")
    taken = service.post(f"{invited.path}/seats/0", json={"invite": invited.invites[0]}).get_json()
    invited.tokens["seat-0"] = taken["token"]
    joint = open_session(service, "gin-rummy", fair="joint")
    joint.commit(*SEEDS)
    renewed = open_session(service, "gin-rummy", public=True)
    renewed.tokens["host"] = renewed.post("host", "/tokens", {}).get_json()["token"]
    gathered = open_session(service, "twin-it", 3, gather_ms=SHORTEST_WINDOW)
    top = gathered.get("seat-0").get_json()["state"]["piles"][0][0]
    claim = {"type": "claim", "hands": [{"seat": 0, "card": top}]}
    assert gathered.move("seat-0", claim).status_code == 202
    until(lambda: gathered.get("host").get_json()["incident"] is None)
    return [
        {"id": table.id, "game": table.game, "tokens": table.tokens, "invites": table.invites}
        | {"last": move_under_key(table, None if table is gathered else table.choose(dice)), "answers": answers(table)}
        for table in (*tables, invited, joint, renewed, gathered)
    ]


def move_under_key(table: SessionClient, move: Any) -> Any:
    """Make a move under a key, and return the move and its answer; None if there is none."""
    return move and [move, table.move("host", move, Idempotency_Key=LAST).get_json()]


def answers(table: SessionClient) -> dict[str, list[Any]]:
    """Return each bearer's table and log."""
    return {bearer: [table.get(bearer, call).get_json() for call in ("", "/moves")] for bearer in table.tokens}


def sessions_of(release: str, kind: str) -> list[dict[str, Any]]:
    """Return the sessions of a baseline store, and what their bearers were answered."""
    sessions: list[dict[str, Any]] = json.loads((STORES / release / f"sessions-of-{kind}.json").read_text("utf-8"))
    return sessions


def restore_into(release: str, server: RedisServer) -> str:
    """Put a baseline store into an empty Redis server, and return its URL."""
    redis = server.client()
    for key, dump in json.loads((STORES / release / "redis.json").read_text("utf-8")).items():
        redis.restore(key, 0, b64decode(dump))
    return server.url


def write(folder: Path) -> None:
    """Write the stores of this version."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as temporary, one_redis() as server:
        file = Path(temporary, "sessions.sqlite3")
        for kind, url in (("sqlite", f"sqlite:///{file}"), ("redis", server.url)):
            open_store(url).ping()
            text = json.dumps(play_every_kind(url), ensure_ascii=False).replace('{"id"', '\n{"id"')
            (folder / f"sessions-of-{kind}.json").write_text(f"{text}\n", "utf-8")
        complete = SqliteStore(str(file))
        complete.ping()
        complete.close()
        shutil.copy(file, folder)
        redis: Any = server.client()
        dumps = {key.decode(): b64encode(redis.dump(key)).decode() for key in sorted(redis.scan_iter())}
        (folder / "redis.json").write_text(json.dumps(dumps, indent=0) + "\n", "utf-8")


if __name__ == "__main__":
    write(STORES / version("rules-referee"))
