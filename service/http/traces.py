"""Spans for OpenTelemetry, sent where its own environment variables say. Needs the package's extra `traces`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from service.build import VERSION
from service.http.middleware import rule_of
from service.sessions.stores import Tracing

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""Without one of these, OpenTelemetry is not loaded and tracing costs nothing."""
NAME = "rules-referee"


def traced(app: WSGIApplication) -> WSGIApplication:
    """The application, with a span for each request under its `traceparent`. Raises RuntimeError without the extra."""
    if not any(os.environ.get(each) for each in ENDPOINTS):
        return app
    os.environ.setdefault("OTEL_SEMCONV_STABILITY_OPT_IN", "http")  # the stable names of attributes
    try:
        from opentelemetry import trace  # noqa: PLC0415
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.instrumentation.wsgi import OpenTelemetryMiddleware  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as error:
        raise RuntimeError(f"{ENDPOINTS[0]} is set: install rules-referee[traces] ({error.name} is missing)") from None

    def begun_with(begun: trace.Span, environ: WSGIEnvironment) -> None:
        begun.set_attribute("referee.request_id", environ.get("HTTP_X_REQUEST_ID", ""))

    def ended_with(begun: trace.Span, environ: WSGIEnvironment, _status: str, _headers: list[tuple[str, str]]) -> None:
        rule = rule_of(environ)
        begun.update_name(f"{environ['REQUEST_METHOD']} {rule}")
        begun.set_attribute("http.route", rule)

    about = {"service.name": os.environ.get("OTEL_SERVICE_NAME", NAME), "service.version": VERSION}
    provider = TracerProvider(resource=Resource.create(about))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    Tracing.begin = provider.get_tracer(NAME).start_as_current_span
    seen = OpenTelemetryMiddleware(
        _restored(app), request_hook=begun_with, response_hook=ended_with, tracer_provider=provider
    )
    return _without_secrets(seen)


SECRET = ("QUERY_STRING", "RAW_URI", "REQUEST_URI", "HTTP_AUTHORIZATION", "HTTP_IDEMPOTENCY_KEY", "HTTP_REFERER")
"""What may hold a ticket, a token or a key. Which of them a span has depends on OpenTelemetry's own settings."""
HIDDEN = "referee.hidden"


def _without_secrets(app: WSGIApplication) -> WSGIApplication:
    """The application that sees nothing secret of a request."""

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ[HIDDEN] = {name: environ.pop(name) for name in SECRET if name in environ}
        return app(environ, start_response)

    return call


def _restored(app: WSGIApplication) -> WSGIApplication:
    """The application that sees the whole request again."""

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ.update(environ.pop(HIDDEN))
        return app(environ, start_response)

    return call
