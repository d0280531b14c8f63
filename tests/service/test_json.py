"""Which bodies are read as JSON, which are refused, and that the fast and the plain reader agree."""

import json as standard
from dataclasses import dataclass
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st

from service import bounds
from service.web import strict_json
from service.web.problems import Problem
from service.web.strict_json import loads
from tests import json_corpus
from tests.json_corpus import texts

REFUSED = {
    "nothing": (b"", "The body is not JSON: expecting a value (line 1, column 1)"),
    "half an object": (
        b"{",
        "The body is not JSON: expecting a key in double quotes (line 1, column 2)",
    ),
    "two values": (b"1 2", "The body is not JSON: something follows the value (line 1, column 3)"),
    "a control character": (b'["\x01"]', "The body is not JSON: a control character in a string (line 1, column 3)"),
    "a byte order mark": (
        b"\xef\xbb\xbf1",
        "The body begins with a byte order mark; send UTF-8 without one (line 1, column 1)",
    ),
    "UTF-16": ("1".encode("utf-16"), "The body is not UTF-8: byte 0 cannot be read (line 1, column 1)"),
    "Latin-1": ('["é"]'.encode("latin-1"), "The body is not UTF-8: byte 2 cannot be read (line 1, column 3)"),
    "half an object, on two lines": (
        b'{\n  "a": 1,\n  "b" 2}',
        "The body is not JSON: expecting a colon (line 3, column 7)",
    ),
    "a key twice, on two lines": (
        b'{"a":1,\r\n "a":1}',
        "An object has the key 'a' twice; leave one of them out (line 2, column 2)",
    ),
    "Latin-1 on the second line": (
        '["€",\n"é"]'.encode().replace("é".encode(), b"\xe9"),
        "The body is not UTF-8: byte 9 cannot be read (line 2, column 2)",
    ),
    "a key twice": (b'{"a":1,"a":1}', "An object has the key 'a' twice; leave one of them out (line 1, column 8)"),
    "a key twice, once escaped": (
        b'{"a":1,"\\u0061" :1}',
        "An object has the key 'a' twice; leave one of them out (line 1, column 8)",
    ),
    "a key twice, deep": (
        b'[{"a:":"a:","b":{"a:":1,"c":["a:"],"a:":2}}]',
        "An object has the key 'a:' twice; leave one of them out (line 1, column 36)",
    ),
    "NaN": (b'["NaN",NaN]', "NaN is not a JSON number; write null, or a number (line 1, column 8)"),
    "Infinity": (b"-Infinity", "-Infinity is not a JSON number; write null, or a number (line 1, column 1)"),
    "more than a double": (b"1e400", "The number 1e400 is too large for any reader (line 1, column 1)"),
    "thousands of digits": (
        b"9" * 5_000,
        "The number 99999999999999999999… is too large for any reader (line 1, column 1)",
    ),
    "a long fraction and NaN": (
        b"[1." + b"9" * 400 + b",NaN]",
        "NaN is not a JSON number; write null, or a number (line 1, column 405)",
    ),
    "half a surrogate pair": (
        b'["\\\\ud800","\\ud800"]',
        "A string holds half of a surrogate pair; write both halves or neither (line 1, column 12)",
    ),
    "half a surrogate pair as a key": (
        b'{"\\udc00":1}',
        "A string holds half of a surrogate pair; write both halves or neither (line 1, column 2)",
    ),
    "33 levels": (
        b"[" * 33 + b"]" * 33,
        "The body is nested too deeply; at most 32 levels of objects and arrays are read (line 1, column 33)",
    ),
    "33 levels of objects": (
        b'{"a":' * 33 + b"1" + b"}" * 33,
        "The body is nested too deeply; at most 32 levels of objects and arrays are read (line 1, column 161)",
    ),
    "33 levels of objects and arrays by turns": (
        b'{"a":[' * 16 + b"[]" + b"]}" * 16,
        "The body is nested too deeply; at most 32 levels of objects and arrays are read (line 1, column 97)",
    ),
    "a hundred thousand levels": (
        b"[" * 100_000 + b"]" * 100_000,
        "The body is nested too deeply; at most 32 levels of objects and arrays are read (line 1, column 33)",
    ),
}

READ: dict[str, tuple[bytes, Any]] = {
    "32 levels of objects and arrays by turns": (
        b'{"a":[' * 16 + b"1" + b"]}" * 16,
        standard.loads('{"a":[' * 16 + "1" + "]}" * 16),
    ),
    "32 levels": (b"[" * 32 + b"]" * 32, standard.loads("[" * 32 + "]" * 32)),
    "32 levels around a value": (b"[" * 32 + b"1" + b"]" * 32, standard.loads("[" * 32 + "1" + "]" * 32)),
    "brackets in a string": (b'"' + b"[" * 99 + b'"', "[" * 99),
    "colons in strings": (b'{"a:":":","b":{":":2}}', {"a:": ":", "b": {":": 2}}),
    "a whole surrogate pair": (b'"\\ud83d\\ude00"', "\U0001f600"),
    "an escaped quote": (b'{"\\"":1}', {'"': 1}),
    "white space": (b" \n{\t}\r ", {}),
    "the largest of 64 bits": (b"18446744073709551615", 18446744073709551615),
    "more than 64 bits, escaped": (b'["\\n",18446744073709551616]', ["\n", 18446744073709551616.0]),
}


@pytest.mark.parametrize(("body", "detail"), REFUSED.values(), ids=REFUSED)
def test_an_invalid_body_is_refused(body: bytes, detail: str) -> None:
    with pytest.raises(Problem) as refused:
        loads(body)
    assert (refused.value.kind.slug, str(refused.value)) == ("malformed-json", detail)


@pytest.mark.parametrize(("body", "value"), READ.values(), ids=READ)
def test_a_valid_body_is_read(body: bytes, value: Any) -> None:
    assert loads(body) == value


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b'["' + b" " * strict_json.SOUGHT + b'",NaN]', "NaN is not a JSON number; write null, or a number"),
        (
            b'{%b,"0":1}' % b",".join(b'"%d":0' % key for key in range(strict_json.PARTS_SOUGHT)),
            "An object has the key '0' twice; leave one of them out",
        ),
    ],
    ids=["a constant", "a key twice"],
)
def test_a_late_fault_is_named_without_its_place(body: bytes, detail: str) -> None:
    with pytest.raises(Problem) as refused:
        loads(body)
    assert str(refused.value) == detail


BRACKETS_IN_STRINGS = b'["]",' * 33 + b"1" + b',"["]' * 33


@pytest.mark.parametrize("padding", [0, 1 << 14])
def test_brackets_in_strings_do_not_hide_how_deep_a_body_is(padding: int) -> None:
    with pytest.raises(Problem, match="too deeply"):
        loads(BRACKETS_IN_STRINGS + b" " * padding)


@pytest.mark.parametrize("sibling", [b"],[", b"], [", b"},{", b"}, {"])
def test_strings_like_separators_do_not_hide_how_deep_a_body_is(sibling: bytes) -> None:
    deep = b"[" * (bounds.DEPTH + 1) + b'"' + sibling * 50 + b'"' + b"]" * (bounds.DEPTH + 1)
    with pytest.raises(Problem, match="too deeply"):
        loads(deep)


@pytest.mark.parametrize("between", [b",", b", ", b" ,\n"])
def test_many_lists_in_a_row_are_not_deep(between: bytes) -> None:
    lists = [[number, {"a": []}] for number in range(60)]
    assert loads(b"[" + between.join(map(strict_json.dumps, lists)) + b"]") == lists


COUNTED = {
    "a scalar": (b"1", 1),
    "nothing in it": (b" [ ] ", 1),
    "an empty object": (b"{}", 1),
    "members": (b'{"a":1,"b":[2,{}]}', 5),
    "signs in strings": (b'["[,{}[]","a,b",",",""]', 5),
    "escaped quotes": (b'["\\",[","\\\\","\\u005b,"]', 4),
    "an empty string": (b'[""]', 2),
    "white space": (b"[ 1 ,\n[\t]\r, { } ]", 4),
}


@pytest.mark.parametrize(("body", "values"), COUNTED.values(), ids=COUNTED)
def test_values_are_counted_before_they_are_read(body: bytes, values: int) -> None:
    padded = body + b" " * (1 << 14)
    assert loads(padded, values) == standard.loads(body)
    with pytest.raises(Problem) as refused:
        loads(padded, values - 1)
    assert refused.value.kind.slug == "too-much-asked"
    assert refused.value.detail.params == {"count": values, "most": values - 1}


def test_strings_are_recognised_across_the_pieces_in_which_a_body_is_counted() -> None:
    for shift in range(6):
        body = b"[" + b" " * shift + b'"' + b"," * strict_json.PIECE + b'","[",[]]'
        assert len(loads(body, 4)) == 3


@pytest.mark.parametrize("digits", ["0e99999999999999999999", "-0.0e-99999999999999999999", "0E-400"])
def test_zero_is_zero_whatever_its_exponent(digits: str) -> None:
    assert loads(f"[{digits}]".encode()) == [0]


def test_both_readers_read_a_number_beyond_64_bits_as_a_float() -> None:
    assert [type(each) for each in (loads(b"18446744073709551616"), loads(b'[18446744073709551616,"\\n"]')[0])] == [
        float
    ] * 2


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(-1e15, 1e15) | st.text(),
    lambda below: st.lists(below, max_size=5) | st.dictionaries(st.text(), below, max_size=5),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(value=VALUES, ascii_only=st.booleans(), indent=st.sampled_from([None, 1]))
def test_the_output_of_any_json_writer_is_read(value: Any, ascii_only: bool, indent: int | None) -> None:
    body = standard.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert repr(loads(body)) == repr(value)


SIGNS = ("{", "}", "[", "]", ",", ":", '"a"', '"b"', '"[:"', "1", " ", "null", "[" * 33, *json_corpus.WRITTEN)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(pieces=st.lists(st.sampled_from(SIGNS)), wrapped=st.booleans())
def test_both_readers_agree_on_any_sequence_of_tokens(pieces: list[str], wrapped: bool) -> None:
    text = "{" + ",".join(f'"{piece[1:2]}":1' for piece in pieces) + "}" if wrapped else "".join(pieces)
    body = text.encode()
    assert json_corpus.outcome(loads, body) == json_corpus.outcome(json_corpus.plain, body)


def test_both_readers_agree_on_mutated_bodies() -> None:
    assert list(json_corpus.differences(loads, json_corpus.plain, "checked", 3_000)) == []


@pytest.mark.parametrize("path", ["/resolve", "/batch", "/games/twins/view"])
def test_no_mutated_body_makes_the_service_fail(client: FlaskClient, path: str) -> None:
    sent = [(body, client.post(path, data=body, content_type="application/json")) for body in texts(path, 300)]
    assert [body for body, answer in sent if answer.status_code >= 500] == []


def test_a_bad_escape_is_reported_before_too_many_levels(client: FlaskClient) -> None:
    body = rb'["\x",' + b"[" * 40 + b"]" * 40 + b"]"
    answer = client.post("/resolve", data=body, content_type="application/json")
    said = "The body is not JSON: an escape that JSON does not know (line 1, column 3)"
    assert (answer.status_code, answer.get_json()["detail"]) == (400, said)


@dataclass(frozen=True)
class Pair:
    first: int
    second: tuple[str, ...]


def test_tuples_and_dataclasses_are_written() -> None:
    written = strict_json.dumps({"a": (1, None), "b": Pair(1, ("x", "é"))})
    assert written == '{"a":[1,null],"b":{"first":1,"second":["x","é"]}}'.encode()


@pytest.mark.parametrize(
    "digits",
    [
        "1.0000000000000000001",
        "1e-400",
        "10000000000000000001e-19",
        "-1e-400",
        "1e-99999999999999999999",
        "0.1E-99999999999999999999",
    ],
)
def test_a_fraction_too_fine_for_a_double_does_not_pass_for_an_integer(digits: str) -> None:
    (number,) = loads(f"[{digits}]".encode())
    assert not number.is_integer()


@pytest.mark.parametrize(
    "text", [r'{"a": "\u00f2!:", "b": 2.0}', r'{"a\u003a": ":", "\"": ":"}', r'["\\:", {"\n:": 1}]']
)
def test_colons_in_strings_beside_escapes_are_no_keys(text: str) -> None:
    assert loads(text.encode()) == standard.loads(text)


def test_a_large_body_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"requests": [{"path": "/deal", "body": {"seats": 4, "x": [1.5, "é", None]}}] * 20_000}
    body = standard.dumps(value).encode()
    yields: list[None] = []
    monkeypatch.setattr(strict_json, "yield_if_due", lambda: yields.append(None))
    assert len(body) > strict_json.LARGE
    assert loads(body, bounds.VALUES_IN_BATCH) == value
    assert len(yields) > 40_000
    with pytest.raises(Problem, match="too deeply"):
        loads(b"[" * 33 + b"1," * strict_json.LARGE + b"1" + b"]" * 33, 10**7)
