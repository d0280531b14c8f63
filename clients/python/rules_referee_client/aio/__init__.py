"""Rules Referee from asyncio: `async with Referee(url) as referee: await referee.twins.validate(…)`; see the README.

Needs the extra `asyncio`. Problems are those of `rules_referee_client`.
"""

from rules_referee_client.aio.games import Referee

__all__ = ["Referee"]
