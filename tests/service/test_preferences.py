"""`Accept`, `Accept-Language` and `Accept-Encoding` as HTTP clients of the last twenty years write them."""

from dataclasses import dataclass

import pytest
from flask.testing import FlaskClient

from service.http.preferences import HTML, JSON, MARKDOWN, languages_for, preferred, takes_gzip
from tests.service.test_http import FOUR_HANDS


@dataclass(frozen=True)
class Defaults:
    """The three headers that a client sends by itself. None: it sends no such header."""

    accept: str | None = None
    language: str | None = None
    encoding: str | None = None
    answered: str = "en"  #: The language of the answer.
    compressed: bool = False


CALLERS = {
    "JDK 8 to 17.0.3, HttpURLConnection": Defaults("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"),
    "JDK 17.0.4 to 25, HttpURLConnection": Defaults("text/html, image/gif, image/jpeg, */*; q=0.2"),
    "JDK 11 to 25, java.net.http": Defaults(),
    "Apache HttpClient 5": Defaults(encoding="gzip, x-gzip, deflate", compressed=True),
    "Spring RestTemplate": Defaults("application/json, application/*+json"),
    "OkHttp": Defaults(encoding="gzip", compressed=True),
    "curl": Defaults("*/*"),
    "wget": Defaults("*/*", encoding="identity"),
    ".NET HttpClient": Defaults(),
    "PowerShell 5, Invoke-RestMethod": Defaults(),
    "Go net/http": Defaults(encoding="gzip", compressed=True),
    "Alamofire": Defaults(
        "*/*", "it-IT;q=1.0, en-IT;q=0.9", "br;q=1.0, gzip;q=0.9, deflate;q=0.8", "it", compressed=True
    ),
    "URLSession": Defaults("*/*", "fr-FR,fr;q=0.9", "gzip, deflate, br", "fr", compressed=True),
    "Dart HttpClient": Defaults(encoding="gzip", compressed=True),
    "PHP streams": Defaults(),
    "Perl LWP": Defaults(),
    "Ruby Net::HTTP": Defaults("*/*", encoding="gzip;q=1.0,deflate;q=0.6,identity;q=0.3", compressed=True),
    "Python requests": Defaults("*/*", encoding="gzip, deflate, br, zstd", compressed=True),
    "Python urllib": Defaults(encoding="identity"),
    "Node fetch": Defaults("*/*", "*", "br, gzip, deflate", compressed=True),
    "axios": Defaults("application/json, text/plain, */*", encoding="gzip, compress, deflate, br", compressed=True),
    "jQuery": Defaults("application/json, text/javascript, */*; q=0.01", "nl,fr;q=.7", "gzip", "fr", compressed=True),
    "Chromium": Defaults(
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,"
        "application/signed-exchange;v=b3;q=0.7",
        "it-IT,it;q=0.9,en-US;q=0.8,en;q=0.7",
        "gzip, deflate, br, zstd",
        "it",
        compressed=True,
    ),
    "Firefox": Defaults(
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "fr,fr-FR;q=0.8,en-US;q=0.5,en;q=0.3",
        "gzip, deflate, br, zstd",
        "fr",
        compressed=True,
    ),
    "Internet Explorer 8": Defaults(
        "image/jpeg, application/x-ms-application, image/gif, application/xaml+xml, */*", "it", "gzip, deflate", "it",
        compressed=True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("defaults", CALLERS.values(), ids=CALLERS)
def test_the_default_headers_of_a_client_get_json_in_its_language_compressed_if_it_accepts_gzip(
    client: FlaskClient, defaults: Defaults
) -> None:
    sent = {
        "Accept": defaults.accept,
        "Accept-Language": defaults.language,
        "Accept-Encoding": defaults.encoding,
    }
    headers = {name: value for name, value in sent.items() if value is not None}
    answer = client.post("/legal-moves", json=FOUR_HANDS, headers=headers)
    assert (answer.status_code, answer.headers["Content-Language"]) == (200, defaults.answered)
    assert ("Content-Encoding" in answer.headers) is defaults.compressed


LISTENERS = {
    "EventSource": "text/event-stream",
    "fetch-event-source": "text/event-stream",
    "sseclient": "text/event-stream",
    "okhttp-eventsource": "text/event-stream",
    "curl -N": "*/*",
    "Go r3labs/sse": "text/event-stream",
    "an axios stream": "application/json, text/plain, */*",
    "JDK 8, HttpURLConnection": "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
}


@pytest.mark.parametrize("accept", LISTENERS.values(), ids=LISTENERS)
def test_the_default_accept_header_of_a_listener_gets_an_event_stream(accept: str) -> None:
    assert preferred(accept, ("text/event-stream",)) == "text/event-stream"


MEDIA_TYPES = {
    "application/json;q=1.": JSON,
    "application/json;q=5, text/html;q=0.9": JSON,
    "application/json;q=.2, text/html;q=.1": JSON,
    "application/json;q=.1, text/html;q=.2": HTML,
    "application/json;q=-1": JSON,
    "application/json;q=high": JSON,
    "application/json;q=": JSON,
    "application/json;q=0.0001": JSON,
    "application/json; Q = 0.5; q=0, text/html;q=0.4": JSON,
    'application/json;q="0.5", text/html;q=0.4': JSON,
    "application/json;version=1": JSON,
    "APPLICATION/JSON": JSON,
    "application/json;q=high, text/html;q=0.002": HTML,
    "application/json;q=-1, text/html;q=0.002": HTML,
    "application/json;q=0": None,
    "application/json;q=0.000": None,
    "application/json;q=0., */*": HTML,
    "application/json;q=0.1, */*": HTML,
    "application/*;q=0.3, */*;q=0.4, text/html;q=0.2": MARKDOWN,
    "text/*;q=0, */*": JSON,
    "*": JSON,
    "*;q=0": None,
    "text/plain": None,
    "": JSON,
    ", ,": JSON,
}


@pytest.mark.parametrize(("accept", "expected"), MEDIA_TYPES.items())
def test_the_media_type_with_the_greatest_weight_is_preferred(accept: str, expected: str | None) -> None:
    """A weight that is negative or no number still accepts its media type, and weighs less than any other."""
    assert preferred(accept, (JSON, HTML, MARKDOWN)) == expected


LANGUAGES = {
    "it;q=.9": ("it",),
    "it-CH;q=0, it": ("it",),
    "it;q=0, it-CH": ("it",),
    "it;q=0, *": ("en", "fr", "de"),
    "it-CH;q=0, *": ("en", "fr", "de"),
    "en;q=0.1, *": ("it", "fr", "de", "en"),
    "fr;q=2, it;q=1": ("fr", "it"),
    "it;q=-1, fr;q=.5": ("fr", "it"),
    "nl, it;q=no": ("it",),
    "de-AT": ("de",),
    "fr-CH;q=0.8, de-CH": ("de", "fr"),
    "fr-CA, it;q=0.9, fr;q=0.1": ("fr", "it"),
    "it_IT": ("it",),
    "*;q=0, it": ("it",),
    "en;q=0": (),
}


@pytest.mark.parametrize(("accept_language", "expected"), LANGUAGES.items())
def test_the_languages_of_a_header_are_in_order_of_their_weights(
    accept_language: str, expected: tuple[str, ...]
) -> None:
    assert languages_for(accept_language) == expected


ENCODINGS = {
    "gzip;q=.9": True,
    "x-gzip": True,
    "*": True,
    "br, *;q=.1": True,
    "gzip;q=1.0, identity;q=0.5": True,
    "identity, gzip;q=0.5": False,
    "gzip;q=0, *": False,
    "br": False,
    "": False,
}


@pytest.mark.parametrize(("accept_encoding", "expected"), ENCODINGS.items())
def test_gzip_is_used_if_it_is_accepted_and_identity_is_not_preferred_to_it(
    accept_encoding: str, *, expected: bool
) -> None:
    assert takes_gzip(accept_encoding) is expected
