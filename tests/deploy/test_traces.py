"""OpenTelemetry traces: they go where its variables say, join the client's trace and contain no secrets."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from distributions.worker.tests.raw_http import ask, get, post
from tests.server import Server, until

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"traceparent: 00-{TRACE}-b7ad6b7169203331-01"
RESOLVE_OF_NO_MOVE = (
    b'{"game": "twins", "state": {"phase": "trick", "trick": 1, "chips": [12, 12, 12], "pot": 0}, "moves": []}'
)


@contextmanager
def run_collector() -> Iterator[tuple[int, list[bytes]]]:
    """Start a collector of spans over HTTP. Yield its port and the bodies that it receives."""
    received: list[bytes] = []

    class SpanHandler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), SpanHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, received
        server.shutdown()


def spans(received: list[bytes]) -> list[Any]:
    """Return all spans in the bodies that a collector received."""
    result = []
    for each in list(received):
        for resource in ExportTraceServiceRequest.FromString(each).resource_spans:
            result += [span for scope in resource.scope_spans for span in scope.spans]
    return result


@pytest.fixture(scope="module")
def traced_server() -> Iterator[tuple[Server, list[bytes]]]:
    """A service that sends its traces, and what its collector receives."""
    with run_collector() as (port, received):
        settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}", "OTEL_BSP_SCHEDULE_DELAY": "100"}
        with Server(settings=settings) as server:
            yield server, received


def test_a_request_is_a_span_of_its_callers_trace(traced_server: tuple[Server, list[bytes]]) -> None:
    server, received = traced_server
    with server.connect() as client:
        assert ask(client, post("/resolve", RESOLVE_OF_NO_MOVE, PARENT)).status == 200
    (span,) = until(lambda: [each for each in spans(received) if each.name == "POST /resolve"])
    assert span.trace_id.hex() == TRACE
    assert span.parent_span_id.hex() == "b7ad6b7169203331"
    until(lambda: [line for line in server.requests() if line.get("trace_id") == TRACE])


def test_the_store_is_a_child_span_and_no_ticket_is_traced(traced_server: tuple[Server, list[bytes]]) -> None:
    server, received = traced_server
    with server.connect() as client:
        opening = json.dumps({"game": "twins", "seats": 3}).encode()
        session = json.loads(ask(client, post("/sessions", opening, PARENT)).body)["id"]
        assert ask(client, get(f"/sessions/{session}/events?ticket=secret-ticket")).status == 401
    names = {"POST /sessions", "store write", "GET /sessions/<session_id>/events"}
    until(lambda: names <= {each.name for each in spans(received)})
    by_name = {each.name: each for each in spans(received)}
    assert by_name["store write"].parent_span_id == by_name["POST /sessions"].span_id
    assert b"secret-ticket" not in b"".join(received)


VERBOSE = {
    "OTEL_SEMCONV_STABILITY_OPT_IN": "http/dup",  # the old names of attributes beside the new ones
    "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_SERVER_REQUEST": ".*",
}


@pytest.mark.parametrize("variables", [{}, VERBOSE], ids=["stable names", "all that OpenTelemetry can tell"])
def test_no_setting_puts_a_ticket_a_token_or_a_key_into_a_span(variables: dict[str, str]) -> None:
    with run_collector() as (port, received):
        settings = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}", "OTEL_BSP_SCHEDULE_DELAY": "100"}
        with Server(settings=settings | variables) as server, server.connect() as client:
            secrets = ["Authorization: Bearer hush-token", "Referer: http://a.example/?ticket=hush-ticket"]
            opening = json.dumps({"game": "twins", "seats": 3}).encode()
            assert ask(client, post("/sessions", opening, "Idempotency-Key: hush-key-of-a-session")).status == 201
            assert ask(client, get("/sessions/x/events?ticket=hush-ticket", *secrets)).status == 401
            until(lambda: len({each.name for each in spans(received)} & {"POST /sessions", EVENTS}) == 2)
    assert b"hush" not in b"".join(received)
    if variables:
        assert b"http.method" in b"".join(received)  # the setting works


EVENTS = "GET /sessions/<session_id>/events"
