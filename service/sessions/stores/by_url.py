"""The store that a URL names."""

from __future__ import annotations

from service.sessions.stores.protocol import Store


def open_store(url: str) -> Store:
    """The store that a URL names: `sqlite:///path`, or one of the forms that `redis_address.py` lists.

    Raises ValueError for any other; it repeats nothing of the URL, where a password may stand.
    """
    if url.startswith("sqlite:///"):
        from service.sessions.stores.sqlite import SqliteStore  # noqa: PLC0415

        return SqliteStore(url.removeprefix("sqlite:///"))
    from service.sessions.stores.redis import RedisStore  # noqa: PLC0415 - costs 48 ms and 8 MB: only where it is configured

    try:
        return RedisStore(url)
    except ValueError as error:
        raise ValueError(f"REFEREE_STORE_URL: {error}") from None
