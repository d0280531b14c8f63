"""The shipped nginx site, unchanged except for TLS, its port and its rates, in front of servers."""

import http.client
import json
import os
import re
import shutil
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from time import monotonic
from typing import NamedTuple
from urllib.parse import unquote

import pytest

from distributions.worker.tests.raw_http import asking, wait_for_more
from service.app import create_app
from service.config import Settings
from tests.deploy.conftest import SUBJECT
from tests.deploy.gated_app import GATE
from tests.server import ROOT, Server, free_port, nginx, until

pytestmark = pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")

CONFIGURATION = """
daemon off;
pid {folder}/pid;
error_log {folder}/log;
events {{}}
http {{
    access_log off;
    client_body_buffer_size 9m;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {site}
}}
"""


@contextmanager
def run_site(folder: Path, *behind: int, rate: str = "10000r/s") -> Iterator[int]:
    """Run nginx with the site before servers at the ports `behind`; yield its port."""
    port = free_port()
    text = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
    text = text.replace("/var/log/nginx", str(folder))
    text = re.sub(r"    ssl_.*\n", "", text).replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    text = re.sub(r"server 127.0.0.1:8000 (.*)", lambda line: upstream_lines(behind, line[1]), text)
    text = text.replace("rate=50r/s", f"rate={rate}")
    with nginx(folder, CONFIGURATION.format(folder=folder, site=text), port):
        yield port


def upstream_lines(ports: Iterable[int], options: str) -> str:
    """The lines of nginx's `upstream` block for servers at these ports."""
    return " ".join(f"server 127.0.0.1:{port} {options}" for port in ports)


class Answer(NamedTuple):
    """An answer. `headers`: by their names in small letters."""

    status: int
    headers: dict[str, str]
    body: bytes


def answer_of(port: int, path: str, body: bytes | None = None, /, **headers: str) -> Answer:
    """Post a body, or get a path if there is none."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("GET" if body is None else "POST", path, body, headers)
        answer = connection.getresponse()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())


def test_a_server_that_cannot_be_reached_gives_a_problem_document(tmp_path: Path) -> None:
    with run_site(tmp_path, free_port()) as port:
        status, headers, body = answer_of(port, "/livez")
    assert (status, json.loads(body)["status"], headers["content-type"]) == (502, 502, "application/problem+json")
    assert (headers["retry-after"], len(headers["x-request-id"])) == ("1", 32)


def test_the_log_of_the_proxy_has_the_method_of_the_client(tmp_path: Path) -> None:
    with run_site(tmp_path, free_port()) as port:
        assert answer_of(port, "/resolve", b"{}").status == 502
        lines = until(lambda: (tmp_path / "referee.log").read_text("utf-8").splitlines())
    assert [(json.loads(line)["method"], json.loads(line)["status"]) for line in lines] == [("POST", 502)]


def test_a_body_that_is_too_large_for_the_proxy_is_refused_in_a_problem_document(tmp_path: Path) -> None:
    with run_site(tmp_path, free_port()) as port:
        status, headers, body = answer_of(port, "/resolve", bytes(8 * 1024 * 1024 + 1))
    assert (status, json.loads(body)["type"]) == (413, "/problems/payload-too-large")
    assert "retry-after" not in headers


def test_a_client_that_asks_too_fast_is_refused_in_a_problem_document(server: Server, tmp_path: Path) -> None:
    """The site lets a burst of 100 requests through."""
    log = tmp_path / "referee.log"
    with run_site(tmp_path, server.port, rate="1r/s") as port:
        answers = [answer_of(port, "/livez?ticket=secret") for _ in range(110)]
        refused = until(lambda: [line for line in log.read_text("utf-8").splitlines() if '"status":429' in line])
    last = answers[-1]
    assert (last.status, json.loads(last.body)["type"]) == (429, "/problems/too-many-requests")
    assert last.headers["retry-after"] == "1"
    assert {(json.loads(line)["path"], json.loads(line)["upstream"]) for line in refused} == {("/livez", "")}


@pytest.fixture(scope="module")
def service() -> Iterator[Server]:
    """A running service, whose log no other module fills."""
    with Server() as started:
        yield started


@pytest.mark.parametrize(
    ("path", "request_id", "is_kept"),
    [("/games", "of-the-client-1", True), ("/games/twins", "with spaces", False), ("/games/take-that", None, False)],
)
def test_the_answer_and_the_logs_of_proxy_and_service_have_one_request_id(
    service: Server, tmp_path: Path, path: str, request_id: str | None, is_kept: bool
) -> None:
    with run_site(tmp_path, service.port) as port:
        headers = {} if request_id is None else {"X-Request-ID": request_id}
        name = answer_of(port, f"{path}?ticket=secret", None, **headers).headers["x-request-id"]
        (line,) = until(lambda: [each for each in service.requests() if each["path"] == path])
        lines = until(lambda: (tmp_path / "referee.log").read_text("utf-8")).splitlines()
        (proxied,) = [each for each in map(json.loads, lines) if each["path"] == path]
    assert (line["request_id"], proxied["request_id"], name == request_id) == (name, name, is_kept)
    assert (proxied["status"], proxied["upstream"], proxied["seconds"] >= 0) == (200, f"127.0.0.1:{service.port}", True)
    assert "secret" not in "".join(lines)


def test_a_refusal_of_the_service_is_passed_on_unchanged(service: Server, tmp_path: Path) -> None:
    with run_site(tmp_path, service.port) as port:
        status, headers, body = answer_of(port, "/nowhere")
        untyped = answer_of(port, "/resolve", b"{}")
    assert (status, json.loads(body)["instance"], "x-request-id" in headers) == (404, "/nowhere", True)
    assert (untyped.status, json.loads(untyped.body)["instance"]) == (415, "/resolve")


def test_a_rolling_restart_fails_no_request(tmp_path: Path) -> None:
    """Stop and start one server, slowly, then the other at once, while four clients send requests."""
    gate = tmp_path / "gate"
    with Server(SUBJECT) as second:
        first = Server(SUBJECT)
        with first, run_site(tmp_path, first.port, second.port) as port, asking(port, clients=4) as statuses:
            wait_for_more(statuses)
            first.process.terminate()
            assert first.process.wait(20) == 0
            gate.touch()
            with Server(SUBJECT, settings={GATE: str(gate)}, port=first.port, patient=False) as restarted:
                until(restarted.workers)
                wait_for_more(statuses)
                gate.unlink()
                until(lambda: "http://" in restarted.out.read_text("utf-8"))
                wait_for_more(statuses)
                second.process.terminate()
                assert second.process.wait(20) == 0
                with Server(SUBJECT, port=second.port):
                    wait_for_more(statuses)
                    different = set(statuses)
                    refusals = (tmp_path / "log").read_text("utf-8").splitlines()
    assert different == {200}
    assert len(refusals) < 100  # a server that is down is tried once in five seconds, not for each call


def test_a_frozen_server_gets_no_calls_after_two_that_it_did_not_answer(service: Server, tmp_path: Path) -> None:
    """The servers take turns, so that four calls find out the frozen one, which takes ten seconds."""
    with Server() as frozen, run_site(tmp_path, frozen.port, service.port) as port:
        processes = [frozen.process.pid, *frozen.workers()]
        send_signal(processes, signal.SIGSTOP)
        try:
            with ThreadPoolExecutor(4) as clients:
                assert {*clients.map(lambda _: timed_get(port)[0], range(4))} == {200}
            statuses, seconds = zip(*(timed_get(port) for _ in range(100)), strict=True)
        finally:
            send_signal(processes, signal.SIGCONT)
    assert {*statuses} == {200}
    assert max(seconds) < 8  # one that waits for the frozen server takes ten


def send_signal(processes: Iterable[int], sign: signal.Signals) -> None:
    """Send a signal to each process."""
    for each in processes:
        os.kill(each, sign)


def timed_get(port: int) -> tuple[int, float]:
    """Get the list of games; return the status and the seconds until the answer was read."""
    began = monotonic()
    return answer_of(port, "/games").status, monotonic() - began


SPELLINGS = [
    *("{}/", "{}//", "/{}", "/.{}", "/x/..{}", "{}/.", "{}/x/..", "{}%2F", "{}/%2e", "/%2F{}", "/%2e{}", "/x/%2e%2e{}"),
    *("{}?", "{}?a=b", "{}/?a", "{}%3F", "{}%3Fa=b", "{}#a", "{}%23", "{};a=b", "{}%3B", "{}.", "{}\\", "{}%5C"),
    *("{}%20", "{}%09", "{}%0A", "{}%0D%0A", "{}%00", "{}%C2%A0", "{}/..;/", "http://localhost{}"),
]


def spellings(path: str) -> list[str]:
    """Return other spellings of a path, and paths that a proxy or a service might mistake for it."""
    letters = [f"{path[:at]}%{ord(path[at]):02x}{path[at + 1 :]}" for at in (1, len(path) // 2, len(path) - 1)]
    return [*(each.format(path) for each in SPELLINGS), *letters, path.upper(), path.replace("/", "%2f")]


def is_same_path(spelling: str, path: str) -> bool:
    """Return whether RFC 3986 makes the spelling the same path."""
    return unquote(spelling.removeprefix("http://localhost").partition("?")[0].partition("#")[0]) == path


def paths_of_the_site(session: str) -> list[str]:
    """Return a path of each GET route; not of streams, which never end, and not `/`."""
    filled = {"<game>": "twins", "<session_id>": session, "<slug>": "not-found", "<name>": "sessions", "<seat>": "0"}
    names = {"/docs/<path:name>": "/docs/start.js", "/playground/<path:name>": "/playground/play.js"}
    rules = [rule for rule in create_app(Settings()).url_map.iter_rules() if "GET" in (rule.methods or ())]
    paths = {names.get(rule.rule) or re.sub("<.*?>", lambda each: filled[each[0]], rule.rule) for rule in rules}
    return sorted(paths - {"/", f"/sessions/{session}/events"})


def test_no_spelling_of_a_path_gives_more_than_the_path_to_a_client_from_outside(
    server: Server, tmp_path: Path
) -> None:
    """nginx refuses the spelling, or the service knows no such path or session, or it is the same path."""
    with run_site(tmp_path, server.port) as port:
        session = open_public_session(port)
        paths = paths_of_the_site(session)
        by_path = {path: answer_from(port, path) for path in paths}
        answers = {
            spelling: answer
            for path in paths
            for spelling in spellings(path)
            if (answer := answer_from(port, spelling)) != (by_path[path] if is_same_path(spelling, path) else None)
        }
    assert len(paths) > 20
    assert by_path["/metrics"][0] == 403
    assert {status for status, _ in answers.values()} == {400, 401, 403, 404}
    assert {spelling for spelling, (status, _) in answers.items() if status == 401} <= {
        *spellings(f"/sessions/{session}")
    }
    assert {spelling for spelling, (status, _) in answers.items() if status == 403} <= {*spellings("/metrics")}


def open_public_session(port: int) -> str:
    """Open a session that everybody may read; return its id."""
    opening = json.dumps({"game": "twins", "seats": 3, "public": True}).encode()
    session: str = json.loads(answer_of(port, "/sessions", opening, **{"Content-Type": "application/json"}).body)["id"]
    return session


OUTSIDE = ("127.0.0.2", 0)


def answer_from(port: int, path: str, address: tuple[str, int] = OUTSIDE) -> tuple[int, bytes]:
    """Get this path, as it is written, from this address; return the status and the body."""
    with response_from(port, path, address) as response:
        return response.status, response.read()


@contextmanager
def response_from(port: int, path: str, address: tuple[str, int] = OUTSIDE) -> Iterator[http.client.HTTPResponse]:
    """Get this path, as it is written, from this address; yield the answer before its body is read."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10, source_address=address)) as connection:
        connection.putrequest("GET", path, skip_accept_encoding=True)
        connection.endheaders()
        yield connection.getresponse()


def test_a_stream_takes_a_place_of_its_address_however_its_path_is_spelled(server: Server, tmp_path: Path) -> None:
    with run_site(tmp_path, server.port) as port, ExitStack() as streams:
        path = f"/sessions/{open_public_session(port)}/events"
        statuses = {}
        for spelling in (path, *spellings(path)):
            with response_from(port, spelling) as response:
                statuses[spelling] = response.status
        opening = [spelling for spelling, status in statuses.items() if status == 200]
        assert len(opening) > 4  # with its letters encoded, with an empty query, in the absolute form
        statuses_of_twenty = [streams.enter_context(response_from(port, path)).status for _ in range(20)]
        statuses_of_further = [answer_from(port, spelling)[0] for spelling in opening]
        status_of_another_address = streams.enter_context(response_from(port, path, ("127.0.0.3", 0))).status
    assert statuses_of_twenty == [200] * 20
    assert {*statuses_of_further} == {429}
    assert status_of_another_address == 200


def test_requests_for_streams_are_limited_however_their_path_is_spelled(server: Server, tmp_path: Path) -> None:
    """The site lets a burst of 100 requests through, however slow the rate."""
    with run_site(tmp_path, server.port, rate="1r/m") as port:
        path = f"/sessions/{'0' * 32}/events"
        statuses = [answer_from(port, path)[0] for _ in range(110)]
        spelled = {spelling: answer_from(port, spelling)[0] for spelling in spellings(path)}
    assert (statuses[0], statuses[-1]) == (401, 429)
    assert {*spelled.values()} == {400, 429}
    assert (spelled[f"{path}/"], spelled[f"http://localhost{path}"]) == (429, 429)


def test_an_address_that_a_client_invents_gives_it_no_further_share(tmp_path: Path) -> None:
    """What the proxy adds to `X-Forwarded-For` counts, and nothing that stood there before."""
    settings = {"REFEREE_CLIENT_OPENINGS": "3", "REFEREE_PROXIES": "127.0.0.1"}
    with Server(settings=settings) as server, run_site(tmp_path, server.port) as port:
        invented = [status_of_opening(port, "127.0.0.2", f"203.0.113.{number}") for number in range(5)]
        beside_the_proxy = [status_of_opening(server.port, "127.0.0.3", f"203.0.113.{number}") for number in range(5)]
        in_the_name_of_another = status_of_opening(port, "127.0.0.4", "127.0.0.2")
    assert invented == beside_the_proxy == [201, 201, 201, 429, 429]
    assert in_the_name_of_another == 201


def status_of_opening(port: int, address: str, forwarded: str) -> int:
    """Open a session from this address, with an `X-Forwarded-For` of the client's own; return the status."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10, source_address=(address, 0))) as connection:
        headers = {"Content-Type": "application/json", "X-Forwarded-For": forwarded}
        connection.request("POST", "/sessions", b'{"game": "twins", "seats": 3}', headers)
        return connection.getresponse().status


COMPRESSING = "gzip on; gzip_types application/json; gzip_min_length 1; gzip_proxied any;"
LOG_FORMAT = "log_format answered escape=none '$request_method $sent_http_content_encoding $sent_http_etag';"


@contextmanager
def run_compressing_site(folder: Path, behind: int) -> Iterator[int]:
    """Run an nginx that compresses JSON, as ours does not, before the server at the port `behind`; yield its port.

    `folder / "answers"` gets a line for each answer: the method, and the encoding and the tag with which it left nginx.
    """
    port = free_port()
    proxied = f"location / {{ proxy_pass http://127.0.0.1:{behind}; proxy_http_version 1.1; }}"
    site = f"server {{ listen 127.0.0.1:{port}; access_log {folder}/answers answered; {proxied} }}"
    with nginx(folder, CONFIGURATION.format(folder=folder, site=f"{LOG_FORMAT} {COMPRESSING} {site}"), port):
        yield port


def test_a_session_is_played_through_a_proxy_that_compresses(server: Server, tmp_path: Path) -> None:
    """nginx makes a tag weak where it compresses."""
    with run_compressing_site(tmp_path, server.port) as port:
        opening = json.dumps({"game": "gin-rummy", "seats": 2}).encode()
        json_type, zipped = {"Content-Type": "application/json"}, {"Accept-Encoding": "gzip"}
        table = json.loads(answer_of(port, "/sessions", opening, **json_type).body)
        bearer = {"Authorization": f"Bearer {table['tokens']['seats'][0]}"}
        headers = answer_of(port, f"/sessions/{table['id']}", **bearer, **zipped).headers
        assert (headers["etag"][:3], headers["content-encoding"]) == ('W/"', "gzip")
        if_none_match = {"If-None-Match": headers["etag"]}
        assert answer_of(port, f"/sessions/{table['id']}", **bearer, **zipped, **if_none_match).status == 304
        move = json.dumps({"moves": [{"type": "pass", "seat": 0}]}).encode()
        path, if_match = f"/sessions/{table['id']}/moves", {"If-Match": headers["etag"]}
        assert [answer_of(port, path, move, **json_type, **bearer, **if_match).status for _ in range(2)] == [201, 412]


def test_the_shipped_site_compresses_no_session_even_where_nginx_compresses_by_default(
    server: Server, tmp_path: Path
) -> None:
    with run_site(tmp_path, server.port) as port:
        configuration = (tmp_path / "conf").read_text("utf-8")
    with nginx(tmp_path, configuration.replace("access_log off;", f"access_log off; {COMPRESSING}"), port):
        headers = {"Content-Type": "application/json", "Accept-Encoding": "gzip"}
        opening = answer_of(port, "/sessions", b'{"game": "gin-rummy", "seats": 2}', **headers)
        page = answer_of(port, "/", **{"Accept-Encoding": "gzip"})
    assert page.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in opening.headers
    assert opening.headers["etag"].startswith('"0-host')


def test_no_ticket_reaches_the_error_log_however_the_path_is_spelled(tmp_path: Path) -> None:
    """nginx logs the whole address where no server answers, and where a client asks too fast."""
    path = f"/sessions/{'0' * 32}/events"
    with run_site(tmp_path, free_port(), rate="1r/m") as port:
        assert answer_from(port, "/livez?of=another")[0] == 502
        paths = [f"{each}{'&' if '?' in each else '?'}ticket=secret" for each in spellings(path)]
        statuses = {answer_from(port, each)[0] for each in [f"{path}?ticket=secret", *paths] * 4}
    log = (tmp_path / "log").read_text("utf-8")
    assert statuses == {400, 502, 429}
    assert "/livez?of=another" in log
    assert [line for line in log.splitlines() if "secret" in line] == []
