"""The cache of encoded entries stays within its limit on memory."""

import secrets
import tracemalloc

from service.sessions.events import AROUND, EventCache
from service.sessions.tokens import Bearer

MIB = 1024 * 1024


def test_the_least_recently_used_entry_goes_first() -> None:
    cache = EventCache(3 * (AROUND + 10))
    for name in "abc":
        cache.put(name, bytes(10))
    assert cache.get("a") is not None
    cache.put("b", bytes(10))
    cache.put("d", bytes(10))
    assert {name for name in "abcd" if cache.get(name) is not None} == {"a", "b", "d"}


def test_many_small_entries_take_no_more_memory_than_the_bound() -> None:
    cache = EventCache(MIB)
    tracemalloc.start()
    try:
        for _ in range(300):
            name, generation, bearer = secrets.token_hex(16), secrets.token_hex(8), Bearer("host", None)
            for version in range(20):
                cache.put((name, generation, version, bearer, "en"), secrets.token_bytes(100))
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert 0.7 * MIB < held < 1.1 * MIB
