"""Requests, good and bad, as bytes.

`ours`: the statuses of our worker's answers, in order; empty if it waits for more bytes. `stock`: the statuses of
gunicorn's own worker if they differ, and `why` they may differ.
"""

from typing import NamedTuple

HOST = b"Host: x\r\n"
END = b"\r\n"
GET = b"GET /livez HTTP/1.1\r\n"
POST = b"POST /length HTTP/1.1\r\n" + HOST
CODING, LENGTH = POST + b"Transfer-Encoding: ", POST + b"Content-Length: "
CHUNKED = CODING + b"chunked\r\n\r\n"
OLD = b"GET /livez HTTP/1.0\r\n"
UPGRADE = b"Connection: Upgrade\r\nUpgrade: h2c\r\n"
A_LIST = "RFC 9110, 7.6.1: a list"
NEXT_REQUEST = GET + HOST + END
SHORT = (200,), "it hands over what has come"
UNENDING = (), "it waits for the whole chunk, and ends with the client"
EITHER = (400,), "either is right"


class Case(NamedTuple):
    """Bytes that a client sends, and the statuses that they are answered with."""

    name: str
    sent: bytes
    ours: tuple[int, ...]
    stock: tuple[int, ...] | None = None
    why: str = ""

    def __str__(self) -> str:
        return self.name


def field(line: bytes) -> bytes:
    """A request with this line among its header fields."""
    return GET + HOST + line + END + END


def first(line: bytes) -> bytes:
    """A request with this first line."""
    return line + b"\r\n" + HOST + END


CASES = (
    Case("a request", NEXT_REQUEST, (200,)),
    Case("two requests", 2 * NEXT_REQUEST, (200, 200)),
    Case("a body and a request", LENGTH + b"3\r\n\r\nabc" + NEXT_REQUEST, (200, 200)),
    Case("chunks and a request", CHUNKED + b"3\r\nabc\r\n4;a=b\r\ndefg\r\n0\r\n\r\n" + NEXT_REQUEST, (200, 200)),
    Case("chunks with trailers", CHUNKED + b"3\r\nabc\r\n0\r\nX: y\r\nZ: a\r\n\r\n" + NEXT_REQUEST, (200, 200)),
    Case("chunks that hold line ends", CHUNKED + b"8\r\n\r\n0\r\n\r\n\r\r\n0\r\n\r\n" + NEXT_REQUEST, (200, 200)),
    Case("sizes with zeros, in both cases", CHUNKED + b"00a\r\n0123456789\r\n0A\r\n0123456789\r\n000\r\n\r\n", (200,)),
    Case("an empty line before a request", b"\r\n" + NEXT_REQUEST, (200,)),
    Case("two empty lines before a request", b"\r\n\r\n" + NEXT_REQUEST, (400,)),
    Case("a method that nobody knows", first(b"BREW /livez HTTP/1.1"), (501,), (405,), "501 is what RFC 9110 asks for"),
    Case("a method in small letters", first(b"get /livez HTTP/1.1"), (400,)),
    Case("two spaces before the target", first(b"GET  /livez HTTP/1.1"), (400,)),
    Case("two spaces before the version", first(b"GET /livez  HTTP/1.1"), (400,)),
    Case("a tab before the version", first(b"GET /livez\tHTTP/1.1"), (400,)),
    Case("a space behind the version", first(b"GET /livez HTTP/1.1 "), (400,)),
    Case("a space before the method", first(b" GET /livez HTTP/1.1"), (400,)),
    Case("no target", first(b"GET HTTP/1.1"), (400,)),
    Case("no version", first(b"GET /livez"), (400,)),
    Case("HTTP/1.9", first(b"GET /livez HTTP/1.9"), (200,)),
    Case("HTTP/1.10", first(b"GET /livez HTTP/1.10"), (400,)),
    Case("HTTP/0.9", first(b"GET /livez HTTP/0.9"), (400,)),
    Case("HTTP/2.0", first(b"PRI * HTTP/2.0"), (400,)),
    Case("http in small letters", first(b"GET /livez http/1.1"), (400,)),
    Case("another protocol", first(b"GET /livez ICE/1.0"), (400,)),
    Case("bytes of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", (400,)),
    Case("a target that is no ASCII", first(b"GET /livez\xe9 HTTP/1.1"), (400,)),
    Case("a NUL in the target", first(b"GET /livez\x00 HTTP/1.1"), (400,)),
    Case("a whole address", first(b"GET http://x/livez HTTP/1.1"), (200,)),
    Case("a place", first(b"GET x:80 HTTP/1.1"), (400,)),
    Case("a star", first(b"GET * HTTP/1.1"), (400,)),
    Case("a path that begins with no slash", first(b"GET livez HTTP/1.1"), (400,)),
    Case("a fragment", first(b"GET /livez#there HTTP/1.1"), (200,)),
    Case("a line of 4,094 bytes", first(b"GET /livez?" + 4_074 * b"x" + b" HTTP/1.1"), (200,)),
    Case("a line of 4,095 bytes", first(b"GET /livez?" + 4_075 * b"x" + b" HTTP/1.1"), (414,)),
    Case("lines that end without CR", (GET + HOST + END).replace(b"\r", b""), (400,)),
    Case("one line that ends without CR", GET + b"Host: x\n\r\n", (400,)),
    Case("a CR within a line", field(b"X: a\rb"), (400,)),
    Case("no host", GET + END, (400,), (200,), "RFC 9112, 3.2"),
    Case("no host in HTTP/1.0", OLD + END, (200,)),
    Case("two hosts", field(b"Host: y"), (400,)),
    Case("the same host twice", field(b"Host: x"), (400,)),
    Case("two media types", POST + b"Content-Type: a/b\r\nContent-Type: a/b\r\nContent-Length: 0\r\n\r\n", (400,)),
    Case("no colon", field(b"X y"), (400,)),
    Case("a space before the colon", field(b"X : y"), (400,)),
    Case("no name", field(b": y"), (400,)),
    Case("a name that is no ASCII", field(b"X\xe9: y"), (400,)),
    Case("a name in parentheses", field(b"(X): y"), (400,)),
    Case("a name with an underscore", field(b"X_Y: y"), (200,)),
    Case(
        "a length with an underscore",
        POST + b"Content_Length: 5\r\nContent-Length: 0\r\n\r\n" + NEXT_REQUEST,
        (200, 200),
    ),
    Case("a folded field", field(b"X: a\r\n b"), (400,)),
    Case("a first field that is folded", GET + b" X: a\r\n" + HOST + END, (400,)),
    Case("a NUL in a value", field(b"X: a\x00b"), (400,)),
    Case("a control character in a value", field(b"X: a\x01b"), (400,)),
    Case("DEL in a value", field(b"X: a\x7fb"), (400,)),
    Case("a tab in a value", field(b"X:\ta\tb\t"), (200,)),
    Case("a value that is no ASCII", field(b"X: \xe9"), (200,)),
    Case("an empty value", field(b"X:"), (200,)),
    Case("a field of 8,190 bytes", field(b"X: " + 8_185 * b"x"), (200,)),
    Case("a field of 8,191 bytes", field(b"X: " + 8_186 * b"x"), (431,)),
    Case("64 fields", field(b"\r\n".join([b"X: y"] * 63)), (200,)),
    Case("65 fields", field(b"\r\n".join([b"X: y"] * 64)), (431,)),
    Case("two lengths", LENGTH + b"1\r\nContent-Length: 2\r\n\r\nab", (400,)),
    Case("the same length twice", LENGTH + b"1\r\nContent-Length: 1\r\n\r\na", (400,)),
    Case("a list of lengths", LENGTH + b"1, 1\r\n\r\na", (400,)),
    Case("a length with a sign", LENGTH + b"+1\r\n\r\na", (400,)),
    Case("a length below nothing", LENGTH + b"-1\r\n\r\na", (400,)),
    Case("a length in hexadecimal", LENGTH + b"0x1\r\n\r\na", (400,)),
    Case("an empty length", POST + b"Content-Length:\r\n\r\n", (400,)),
    Case("a length with a space in it", LENGTH + b"1 1\r\n\r\na", (400,)),
    Case("a length with white space around", LENGTH + b"\t1 \r\n\r\na", (200,)),
    Case("a length with zeros before it", LENGTH + b"001\r\n\r\na", (200,)),
    Case("a length that is too large", LENGTH + b"99999999\r\n\r\n", (413,), *SHORT),
    Case("a length that no computer has", LENGTH + b"999999999999999999999999\r\n\r\n", (400,), *SHORT),
    Case("a length and chunks", LENGTH + b"3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", (400,)),
    Case("chunks and a length", CODING + b"chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", (400,)),
    Case("chunks twice", CODING + b"chunked, chunked\r\n\r\n0\r\n\r\n", (400,)),
    Case("chunks in two fields", CODING + b"chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", (400,)),
    Case("chunks in capitals", CODING + b"CHUNKED\r\n\r\n0\r\n\r\n", (200,)),
    Case("chunks behind a tab", POST + b"Transfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n", (200,)),
    Case("chunks in quotes", POST + b'Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n', (501,)),
    Case("almost chunks", CODING + b"xchunked\r\n\r\n0\r\n\r\n", (501,)),
    Case("chunks in a coding", CODING + b"gzip, chunked\r\n\r\n0\r\n\r\n", (501,), (200,), "nobody unpacks them"),
    Case("chunks under a coding", CODING + b"chunked, gzip\r\n\r\n0\r\n\r\n", (501,), (400,), "either is right"),
    Case("a coding alone", CODING + b"gzip\r\n\r\n", (501,), *EITHER),
    Case("the coding identity", CODING + b"identity\r\n\r\n", (501,), *EITHER),
    Case("an empty coding", POST + b"Transfer-Encoding:\r\n\r\n", (501,)),
    Case("chunks in HTTP/1.0", CHUNKED.replace(b"1.1", b"1.0") + b"0\r\n\r\n", (400,)),
    Case("a size in decimal with a letter", CHUNKED + b"3g\r\nabc\r\n0\r\n\r\n", (400,)),
    Case("a size with a prefix", CHUNKED + b"0x3\r\nabc\r\n0\r\n\r\n", (400,)),
    Case("a size with a sign", CHUNKED + b"+3\r\nabc\r\n0\r\n\r\n", (400,)),
    Case("a size with an underscore", CHUNKED + b"0_3\r\nabc\r\n0\r\n\r\n", (400,)),
    Case("a size behind a space", CHUNKED + b" 3\r\nabc\r\n0\r\n\r\n", (400,)),
    Case("a size before a space", CHUNKED + b"3 \r\nabc\r\n0\r\n\r\n", (400,)),
    Case("no size", CHUNKED + b"\r\nabc\r\n0\r\n\r\n", (400,)),
    Case("a size of twenty digits", CHUNKED + b"fffffffffffffffffff\r\nabc", (400,), *UNENDING),
    Case("a chunk that is too large", CHUNKED + b"fffffff\r\nabc", (413,), *UNENDING),
    Case("a chunk that is longer than it says", CHUNKED + b"3\r\nabcd\r\n0\r\n\r\n", (400,)),
    Case("a chunk that is shorter than it says", CHUNKED + b"5\r\nabc\r\n0\r\n\r\n", (400,)),
    Case("a size that ends without CR", CHUNKED + b"3\nabc\r\n0\r\n\r\n", (400,)),
    Case("a chunk that ends without CR", CHUNKED + b"3\r\nabc\n0\r\n\r\n", (400,)),
    Case("an extension without a name", CHUNKED + b"3;\r\nabc\r\n0\r\n\r\n", (400,)),
    Case("an extension without its name", CHUNKED + b"3;=a\r\nabc\r\n0\r\n\r\n", (400,)),
    Case("an extension without its value", CHUNKED + b"3;a=\r\nabc\r\n0\r\n\r\n", (400,)),
    Case("extensions of all kinds", CHUNKED + b'3;a;b=c;d="e\\"f"\r\nabc\r\n0\r\n\r\n', (200,)),
    Case("an extension in quotes", CHUNKED + b'3;a="b;c"\r\nabc\r\n0\r\n\r\n', (200,)),
    Case("a NUL in an extension in quotes", CHUNKED + b'3;a="b\0c"\r\nabc\r\n0\r\n\r\n', (400,)),
    Case("a backslash before a control character", CHUNKED + b'3;a="\\\x01"\r\nabc\r\n0\r\n\r\n', (400,)),
    Case("a line end in an extension in quotes", CHUNKED + b'3;a="b\r\nc"\r\nabc\r\n0\r\n\r\n', (400,)),
    Case("a CR in an extension", CHUNKED + b"3;a\rb\r\nabc\r\n0\r\n\r\n", (400,)),
    Case("a host after the chunks", CHUNKED + b"0\r\nHost: y\r\n\r\n", (400,)),
    Case("a length after the chunks", CHUNKED + b"0\r\nContent-Length: 3\r\n\r\nabc", (400,)),
    Case("a coding after the chunks", CHUNKED + b"0\r\nTransfer-Encoding: chunked\r\n\r\n", (400,)),
    Case("a folded field after the chunks", CHUNKED + b"0\r\nX: a\r\n b\r\n\r\n", (400,)),
    Case("a line after the chunks that ends without CR", CHUNKED + b"0\r\nX: a\n\r\n", (400,)),
    Case("an expectation", LENGTH + b"1\r\nExpect: 100-Continue\r\n\r\na", (100, 200)),
    Case(
        "an expectation of nothing", LENGTH + b"0\r\nExpect: 100-continue\r\n\r\n", (200,), (100, 200), "nothing comes"
    ),
    Case("an empty expectation", LENGTH + b"1\r\nExpect:\r\n\r\na", (200,), (417,), "RFC 9110, 5.6.1: an empty list"),
    Case("an expectation in a list", LENGTH + b"1\r\nExpect: , 100-continue\r\n\r\na", (100, 200), (417,), "a list"),
    Case("another expectation in a list", LENGTH + b"1\r\nExpect: 100-continue, x\r\n\r\na", (417,)),
    Case("another expectation", LENGTH + b"1\r\nExpect: wonders\r\n\r\na", (417,)),
    Case("an upgrade and a body", POST + UPGRADE + b"Content-Length: 3\r\n\r\nabc" + NEXT_REQUEST, (200, 200)),
    Case(
        "an upgrade and chunks",
        POST + UPGRADE + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + NEXT_REQUEST,
        (200, 200),
    ),
    Case("the last request", GET + HOST + b"Connection: close\r\n\r\n" + NEXT_REQUEST, (200,)),
    Case(
        "the last request, among options",
        GET + HOST + b"Connection: te, close\r\n\r\n" + NEXT_REQUEST,
        (200,),
        (200, 200),
        A_LIST,
    ),
    Case("a request in HTTP/1.0 and another", OLD + END + NEXT_REQUEST, (200,)),
    Case("a kept request in HTTP/1.0 and another", OLD + b"Connection: keep-alive\r\n\r\n" + NEXT_REQUEST, (200, 200)),
    Case(
        "a kept request in HTTP/1.0, among options",
        OLD + b"Connection: te, keep-alive\r\n\r\n" + NEXT_REQUEST,
        (200, 200),
        (200,),
        A_LIST,
    ),
    Case(
        "the last request in HTTP/1.0, among options",
        OLD + b"Connection: keep-alive, close\r\n\r\n" + NEXT_REQUEST,
        (200,),
    ),
    Case("CONNECT", b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n" + NEXT_REQUEST, (404,)),
    Case("OPTIONS of the server", first(b"OPTIONS * HTTP/1.1"), (404,)),
    Case("HEAD", first(b"HEAD /livez HTTP/1.1") + NEXT_REQUEST, (200, 200)),
    Case("half a head", GET + HOST, ()),
    Case("half a body", LENGTH + b"9\r\n\r\nabc", (), *SHORT),
    Case("half a chunk", CHUNKED + b"9\r\nabc", ()),
    Case("chunks without an end", CHUNKED + b"3\r\nabc\r\n0\r\n", (), (400,), "it hands over what has come"),
)
