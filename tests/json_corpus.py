"""Mutate the vectors' bodies for the two JSON readers of `service/strict_json.py`: `python -m tests.json_corpus`.

Both readers, the fast one and the plain one, must give the same value or the same refusal. tests/service/test_json.py
checks a few thousand bodies.
"""

import argparse
import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from service import strict_json
from service.bounds import VALUES
from tests.conformance import vectors
from tests.mutation import places

NUMBERS = (
    *("1.0", "-0", "-0.0", "0.0", "5.0", "1e0", "1E+0", "10e-1", "1e400", "-1e400", "1e-400"),
    *("01", "+1", "1.", ".5", "-"),
    *("0.99999999999999999999", "1.00000000000000000001", "9007199254740993.0", "2.0000000000000000", "12.000"),
    *("99999999999999999999", "18446744073709551615", "18446744073709551616", "-9223372036854775809", "0e99999999999"),
    *("9" * 400, "1" + "0" * 5000, "1." + "0" * 400, "0." + "0" * 400 + "1", "1000000000000000000000e-21"),
)
STRINGS = (
    *(r'"\ud800"', r'"\udc00x"', r'"\ud800\u0041"', r'"\ud83d\ude00"', r'"\u00e9"', '"é"', r'"a\u003ab"', '"a:b"'),
    *(r'"\u0061"', r'"a\/b"', r'"a\"b"', r'"\"]\""', r'"\x"', r'"\u12"', '"a\nb"', '"a\tb"', '"\x01"', '"\x7f"'),
    *('"][', '"]["', '"[,{}"', '""', '"\\', "'a'", '"' + "x" * 41 + '"', '"' + "[" * 40 + '"'),
)
OTHERS = (
    *("NaN", "Infinity", "-Infinity", "null", "true", "nul"),
    *("[]", "{}", "[,]", "[1,]", "{,}", '{"a"}', '{"a":1,}', "]"),
    *('{"a":1,"a":2}', r'{"a":1,"\u0061":2}', r'{"a":1,"a":"\u003a"}', '{"a":1, "a" :2}', '{"\\ud800":1}', "1 2"),
    *("[" * 40 + "]" * 40, "[" * 32, '{"a":' * 40 + "1" + "}" * 40, r'["\x",' + "[" * 40 + "]" * 40 + "]", "/**/1"),
    *("[" * 300 + "]" * 300, '{"a":' * 1_000 + "1" + "}" * 1_000),
    *("\xa01", "\ufeff1", "\x0c1", "1\t\n\r ", "[" + "0," * 5_000 + "0]", "[" + "[]," * 5_000 + "0]"),
)
WRITTEN = (*NUMBERS, *STRINGS, *OTHERS)  #: Texts that replace a value, JSON or not.
SIGNS = [bytes([each]) for each in range(256)] + [*map(str.encode, '"\\[]{}:,'), b"\xef\xbb\xbf"] * 20
"""Bytes that are inserted into a text."""
MARK = "@@%d@@"
Read = Callable[[bytes], Any]


def bodies() -> list[Any]:
    """Return the bodies of the vectors."""
    return [each.request["body"] for each in vectors() if "body" in each.request]


def mutated_bodies(seed: str, count: int) -> Iterator[bytes]:
    """Yield `count` mutants of the vectors' bodies."""
    rng, posted = random.Random(seed), bodies()
    for _ in range(count):
        yield with_bytes_changed(with_values_changed(rng.choice(posted), rng), rng)


def with_values_changed(body: Any, rng: random.Random) -> bytes:
    """Return a body with one to three values or keys changed, in one of the notations that clients use.

    Texts that are no JSON cannot be put into a value. So a mark is put there, and replaced in the written body.
    """
    body = copy.deepcopy(body)
    marked: list[str] = []

    def mark(text: str) -> str:
        marked.append(text)
        return MARK % (len(marked) - 1)

    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        holder, key = rng.choice(list(places(body)))
        change = rng.random()
        if change < 0.5:
            holder[key] = mark(rng.choice(WRITTEN))
        elif isinstance(holder, list):
            holder[:] = holder * rng.choice((0, 2, 3, 20))
        elif change < 0.7:
            holder[mark(json.dumps(key))] = mark(rng.choice(WRITTEN))
        elif change < 0.8:
            escaped = "".join(f"\\u{ord(each):04x}" for each in str(key))
            holder[mark(f'"{escaped}"')] = copy.deepcopy(holder[key])
        elif change < 0.9:
            del holder[key]
        else:
            holder[key] = rng.choice(("é", "a:b", 'a"b', "\U0001f600", 1.5, -1e-7, 10**17))
        if not body:
            break
    separators, indent = rng.choice(((None, None), ((",", ":"), None), (None, 1)))
    text = json.dumps(body, separators=separators, indent=indent, ensure_ascii=rng.random() < 0.5)
    for number, each in enumerate(marked):
        text = text.replace(f'"{MARK % number}"', each)
    return text.encode("utf-8", "surrogatepass")


def with_bytes_changed(text: bytes, rng: random.Random) -> bytes:
    """Return the same text in about half of the cases, otherwise with bytes added, replaced, left out or cut off."""
    place, sign = rng.randrange(len(text) + 1), rng.choice(SIGNS)
    before, after = text[:place], text[place:]
    changed = [before + sign + after, before + sign + after[1:], before + after[1:], before, sign + text]
    return rng.choice([text] * 6 + changed)


def plain(body: bytes) -> Any:
    """Read a body as `strict_json.loads` does, with the plain reader alone."""
    strict_json._check_bounds(body, VALUES)
    return strict_json._read_plainly(strict_json._text(body))


def outcome(read: Read, body: bytes) -> str:
    """Return the result of reading a body: the value in Python's notation, or the refusal."""
    try:
        return f"read {read(body)!r}"
    except Exception as error:  # noqa: BLE001 - any other exception is a difference, too
        return f"{type(error).__name__} {error}"


def differences(read: Read, other: Read, seed: str, count: int) -> Iterator[tuple[bytes, str, str]]:
    """Yield each text that the two readers read differently, with both results."""
    for body in mutated_bodies(seed, count):
        one, two = outcome(read, body), outcome(other, body)
        if one != two:
            yield body, one, two


def main() -> int:
    """Return the exit status: 0 if the readers agree, otherwise 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.json_corpus", description=__doc__)
    parser.add_argument("--count", type=int, default=200_000, help="how many bodies")
    parser.add_argument("--seed", default="corpus")
    options = parser.parse_args()
    kinds: Counter[tuple[str, str]] = Counter()
    for body, one, two in differences(strict_json.loads, plain, options.seed, options.count):
        kinds[one[:40], two[:40]] += 1
        if kinds[one[:40], two[:40]] <= 3:
            sys.stdout.write(f"{body[:300]!r}\n   {one[:200]}\n   {two[:200]}\n")
    sys.stdout.write(f"{options.count} bodies, {kinds.total()} of which the two readers read differently\n")
    return int(bool(kinds))


if __name__ == "__main__":
    sys.exit(main())
