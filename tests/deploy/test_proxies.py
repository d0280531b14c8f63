"""The log says if a proxy is not trusted."""

import http.client
from contextlib import closing

from service.app import DISTRUSTED
from tests.server import Server


def test_the_log_says_once_that_a_header_came_from_a_proxy_that_is_not_trusted() -> None:
    with Server(settings={"REFEREE_PROXIES": "192.0.2.1"}) as server:
        for _ in range(2):
            with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)) as connection:
                headers = {"Content-Type": "application/json", "X-Forwarded-For": "198.51.100.7"}
                connection.request("POST", "/sessions", '{"game": "gin-rummy", "seats": 2}', headers)
                assert connection.getresponse().status == 201
        lines = [each["message"] for each in server.errors() if "REFEREE_PROXIES" in each["message"]]
    assert lines == [DISTRUSTED]
