"""Which bodies are read as JSON, which are refused, and that the fast and the plain reader agree."""

import json as standard
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from service import bounds, strict_json
from service.problems import Problem
from service.scheduling import SCHEDULER
from service.strict_json import loads
from service.words.phrases import Phrase
from tests import json_corpus
from tests.json_corpus import mutated_bodies

REFUSED_BODIES = {
    "nothing": (b"", "not-json json-ends 1 1"),
    "half an object": (b"{", "not-json json-ends 1 2"),
    "an object without a value": (b'{"a": }', "not-json json-value 1 7"),
    "a key without quotes": (b"{a: 1}", "not-json json-key 1 2"),
    "a key in single quotes": (b"{'a': 1}", "not-json json-single-quote 1 2"),
    "a string in single quotes": (b"['a']", "not-json json-single-quote 1 2"),
    "a comment": (b"[1,\n// two\n2]", "not-json json-comment 2 1"),
    "values as Python writes them": (b'{"public": True}', "not-json json-literal 1 12"),
    "nothing as JavaScript has it": (b"[undefined]", "not-json json-literal 1 2"),
    "two values": (b"1 2", "not-json json-more 1 3"),
    "a control character": (b'["\x01"]', "not-json json-control 1 3"),
    "a byte order mark": (b"\xef\xbb\xbf1", "byte-order-mark 1 1"),
    "UTF-16": ("1".encode("utf-16"), "not-utf-8 0 1 1"),
    "Latin-1": ('["é"]'.encode("latin-1"), "not-utf-8 2 1 3"),
    "half an object, on two lines": (b'{\n  "a": 1,\n  "b" 2}', "not-json json-colon 3 7"),
    "a key twice, on two lines": (b'{"a":1,\r\n "a":1}', "key-twice 'a' 2 2"),
    "Latin-1 on the second line": (b'["\xe2\x82\xac",\n"\xe9"]', "not-utf-8 9 2 2"),
    "a key twice": (b'{"a":1,"a":1}', "key-twice 'a' 1 8"),
    "a key twice, once escaped": (b'{"a":1,"\\u0061" :1}', "key-twice 'a' 1 8"),
    "a key twice, beside an escaped colon": (b'{"\\u003a":1,"a":1,"a":1}', "key-twice 'a' 1 19"),
    "a key twice, deep": (b'[{"a:":"a:","b":{"a:":1,"c":["a:"],"a:":2}}]', "key-twice 'a:' 1 36"),
    "NaN": (b'["NaN",NaN]', "no-number NaN 1 8"),
    "Infinity": (b"-Infinity", "no-number -Infinity 1 1"),
    "more than a double": (b"1e400", "too-large-number 1e400 1 1"),
    "thousands of digits": (b"9" * 5_000, "too-large-number 99999999999999999999… 1 1"),
    "a long fraction and NaN": (b"[1." + b"9" * 400 + b",NaN]", "no-number NaN 1 405"),
    "half a surrogate pair": (b'["\\\\ud800","\\ud800"]', "half-a-pair 1 12"),
    "half a surrogate pair as a key": (b'{"\\udc00":1}', "half-a-pair 1 2"),
    **{
        f"{levels} levels": (b"[" * levels + b"]" * levels, "too-deep 32 1 33")
        for levels in (33, 254, 255, 1_024, 1_025, 100_000)  # around orjson's own bounds, too
    },
    "33 levels of objects": (b'{"a":' * 33 + b"1" + b"}" * 33, "too-deep 32 1 161"),
    "33 levels of objects and arrays by turns": (b'{"a":[' * 16 + b"[]" + b"]}" * 16, "too-deep 32 1 97"),
    "33 levels beside brackets in strings": (b'["]",' * 33 + b"1" + b',"["]' * 33, "too-deep 32 1 161"),
    **{
        f"33 levels around {sibling!r}": (b"[" * 33 + b'"' + sibling * 50 + b'"' + b"]" * 33, "too-deep 32 1 33")
        for sibling in (b"],[", b"], [", b"},{", b"}, {")
    },
}
"""Bodies, and the codes and parameters of the details of their refusals, line and column last."""

LATE_FAULTS = {
    "NaN": (b'["' + b" " * strict_json.SOUGHT + b'",NaN]', "no-number NaN"),
    "a key": (b'{%b,"0":1}' % b",".join(b'"%d":0' % key for key in range(strict_json.PARTS_SOUGHT)), "key-twice '0'"),
}
"""Bodies with a fault so late that its place is not sought."""

LISTS = [[number, {"a": []}] for number in range(60)]
VALID_BODIES: dict[str, tuple[bytes, Any]] = {
    f"32 levels of {name}": (text.encode(), standard.loads(text))
    for name, text in (
        ("objects and arrays by turns", '{"a":[' * 16 + "1" + "]}" * 16),
        ("arrays", "[" * 32 + "]" * 32),
        ("arrays around a value", "[" * 32 + "1" + "]" * 32),
    )
} | {
    "many lists in a row": (b" ,\n".join([b"[1", *map(strict_json.dumps, LISTS), b"1]"]), [1, *LISTS, 1]),
    "brackets in a string": (b'"' + b"[" * 99 + b'"', "[" * 99),
    "colons in strings": (b'{"a:":":","b":{":":2}}', {"a:": ":", "b": {":": 2}}),
    "colons beside escapes": (rb'{"a": "\u00f2!:", "b\u003a": ":", "\"": ":"}', {"a": "ò!:", "b:": ":", '"': ":"}),
    "escaped backslashes": (rb'["\\:", {"\n:": 1}]', ["\\:", {"\n:": 1}]),
    "a whole surrogate pair": (b'"\\ud83d\\ude00"', "\U0001f600"),
    "white space": (b" \n{\t}\r ", {}),
    "the largest of 64 bits": (b"18446744073709551615", 18446744073709551615),
    "more than 64 bits": (b"18446744073709551616", 18446744073709551616.0),
    "more than 64 bits, escaped": (b'["\\n",18446744073709551616]', ["\n", 18446744073709551616.0]),
    **{f"nothing as {zero}": (f"[{zero}]".encode(), [0.0]) for zero in ("0e99999999999999999999", "0E-400")},
    "nothing with a sign": (b"[-0.0e-99999999999999999999]", [-0.0]),
}


def text_of(detail: Phrase) -> str:
    """Return the codes and parameters of a phrase in order."""
    params = [text_of(each) if isinstance(each, Phrase) else str(each) for each in detail.params.values()]
    return " ".join([detail.code, *params])


@pytest.mark.parametrize("body", [b"[1,]", b'{"a": 1, }', b"[1,\n ]"])
def test_a_comma_before_the_end_is_named(body: bytes) -> None:
    with pytest.raises(Problem) as refused:
        loads(body)
    assert "leave the last comma out (line " in str(refused.value.detail)  # newer Pythons name the place of the comma


@pytest.mark.parametrize("read", [loads, json_corpus.plain])
@pytest.mark.parametrize(("body", "detail"), REFUSED_BODIES.values(), ids=REFUSED_BODIES)
def test_an_invalid_body_is_refused_at_its_place(body: bytes, detail: str, read: json_corpus.Read) -> None:
    with pytest.raises(Problem) as refused:
        read(body)
    assert (refused.value.kind.slug, text_of(refused.value.detail)) == ("malformed-json", f"at-place {detail}")


@pytest.mark.parametrize(("body", "detail"), LATE_FAULTS.values(), ids=LATE_FAULTS)
def test_a_late_fault_is_named_without_its_place(body: bytes, detail: str) -> None:
    with pytest.raises(Problem) as refused:
        loads(body)
    assert text_of(refused.value.detail) == detail


@pytest.mark.parametrize(("body", "value"), VALID_BODIES.values(), ids=VALID_BODIES)
def test_a_valid_body_is_read(body: bytes, value: Any) -> None:
    # repr tells 1 from 1.0 and True, and 0.0 from -0.0
    assert repr(loads(body)) == repr(value)


NUMBERS_OF_VALUES = {
    "a scalar": (b"1", 1),
    "nothing in it": (b" [ ] ", 1),
    "an empty object": (b"{}", 1),
    "members": (b'{"a":1,"b":[2,{}]}', 5),
    "signs in strings": (b'["[,{}[]","a,b",",",""]', 5),
    "escaped quotes": (b'["\\",[","\\\\","\\u005b,"]', 4),
    "an empty string": (b'[""]', 2),
    "white space": (b"[ 1 ,\n[\t]\r, { } ]", 4),
}


@pytest.mark.parametrize(("body", "values"), NUMBERS_OF_VALUES.values(), ids=NUMBERS_OF_VALUES)
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


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(-1e15, 1e15) | st.text(),
    lambda below: st.lists(below, max_size=5) | st.dictionaries(st.text(), below, max_size=5),
    max_leaves=20,
)


@given(value=VALUES, ascii_only=st.booleans(), indent=st.sampled_from([None, 1]))
def test_the_output_of_any_json_writer_is_read(value: Any, ascii_only: bool, indent: int | None) -> None:
    body = standard.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert repr(loads(body)) == repr(value)


SIGNS = ("{", "}", "[", "]", ",", ":", '"a"', '"b"', '"[:"', "1", " ", "null", "[" * 33, *json_corpus.WRITTEN)


@given(pieces=st.lists(st.sampled_from(SIGNS)), wrapped=st.booleans())
def test_both_readers_agree_on_any_sequence_of_tokens(pieces: list[str], wrapped: bool) -> None:
    text = "{" + ",".join(f'"{piece[1:2]}":1' for piece in pieces) + "}" if wrapped else "".join(pieces)
    body = text.encode()
    assert json_corpus.outcome(loads, body) == json_corpus.outcome(json_corpus.plain, body)


def test_both_readers_agree_on_mutated_bodies() -> None:
    assert list(json_corpus.differences(loads, json_corpus.plain, "checked", 3_000)) == []


@pytest.mark.parametrize("path", ["/resolve", "/batch", "/games/twins/view"])
def test_no_mutated_body_makes_the_service_fail(client: FlaskClient, path: str) -> None:
    sent = [
        (body, client.post(path, data=body, content_type="application/json"))
        for body in mutated_bodies(seed=path, count=300)
    ]
    assert [body for body, answer in sent if answer.status_code >= 500] == []


def test_a_bad_escape_is_reported_before_too_many_levels(client: FlaskClient) -> None:
    body = rb'["\x",' + b"[" * 40 + b"]" * 40 + b"]"
    answer = client.post("/resolve", data=body, content_type="application/json")
    detail = "The body is not JSON: an escape that JSON does not know (line 1, column 3)"
    assert (answer.status_code, answer.get_json()["detail"]) == (400, detail)


SOUND_BODIES = (
    "1.0000000000000000001",
    "1e-400",
    "10000000000000000001e-19",
    "-1e-400",
    "1e-99999999999999999999",
    "0.1E-9999999999",
)


@pytest.mark.parametrize("digits", SOUND_BODIES)
def test_a_fraction_too_fine_for_a_double_does_not_pass_for_an_integer(digits: str) -> None:
    assert not loads(digits.encode()).is_integer()


def test_a_large_body_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"requests": [{"path": "/deal", "body": {"seats": 4, "x": [1.5, "é", None]}}] * 20_000}
    body = standard.dumps(value).encode()
    yields: list[None] = []
    monkeypatch.setattr(SCHEDULER, "yield_if_due", lambda: yields.append(None))
    assert len(body) > strict_json.LARGE_TEXT
    assert loads(body, bounds.VALUES_IN_BATCH) == value
    assert len(yields) > 40_000
    with pytest.raises(Problem, match="too deeply"):
        loads(b"[" * 33 + b"1," * strict_json.LARGE_TEXT + b"1" + b"]" * 33, 10**7)
