"""One more stateless call, `POST /ranking`: what somebody who adds a call writes, namely its row and its texts.

`add` puts it beside the others. Call it before any other module of the service is imported: routes, commands and tools
are made from the rows as they are then.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic

from service import seeds
from service.contract import prose
from service.contract.answers import Standing
from service.contract.placeholders import GameName, PlayerNames, S, TakesNull
from service.contract.rows import Call, routes
from service.judging import calls
from service.judging.referee import Referee


@dataclass(frozen=True)
class RankingBody(TakesNull, Generic[S]):
    """A table whose players are to be ranked."""

    state: S  #: The table as it stands.
    names: PlayerNames | None = None


@dataclass
class Ranked:
    """How the players of a table stand."""

    game: GameName
    standings: Sequence[Standing]  #: The ranking as the table stands, in the order of the seats or teams.


def judge(referee: Referee[S], body: RankingBody[S]) -> Ranked:
    standings, _result = referee.ranking(referee.table(body.state))
    return Ranked(referee.engine.game, standings)


RANKING = Call("ranking", takes=RankingBody, gives=Ranked, judge=judge)
OPERATION = {"summary": "Rank the players", "description": "Says who is ahead. Nobody moves."}
TOOL = "Who is ahead at a table."
QUESTIONS = {"en": "Who is ahead?", "it": "Chi è in testa?", "fr": "Qui mène\u00a0?", "de": "Wer führt?"}
STATE = {"phase": "trick", "trick": 1, "chips": [13, 12, 11], "pot": 0}
STANDINGS = [{"seat": seat, "score": 13 - seat, "rank": seat + 1} for seat in range(3)]
VECTOR = seeds.Vector(
    id="twins-ranking",
    clauses=["TW-8.1"],
    why="Who has more chips is ahead.",
    request={"method": "POST", "path": "/ranking", "body": {"game": "twins", "state": STATE}},
    response={"status": 200, "body": {"standings": STANDINGS}},
    file=Path("twins/vectors/ranking.json"),
)


def add() -> None:
    """Add the row to the rows, and each text and the vector to those of its kind."""
    calls.CALLS = (*calls.CALLS, RANKING)
    calls.NAMED = {**calls.NAMED, RANKING.name: RANKING}
    calls.ROUTES = {**calls.ROUTES, **routes((RANKING,))}
    prose.PROSE[RANKING.name] = OPERATION
    prose.TEXTS["tools"][RANKING.name] = TOOL
    recorded = seeds.vectors_in

    def vectors_in(home: Path) -> Iterator[seeds.Vector]:
        yield from recorded(home)
        if home.name == "twins":
            yield VECTOR

    seeds.vectors_in = vectors_in
