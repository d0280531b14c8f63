"""FastAPI with pydantic: reads a trick of Twins as strictly as its schema allows, and answers a constant."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import FastAPI, Response
from pydantic import BaseModel, ConfigDict, Field

from bench.rivals.flask_app import ANSWER

Card = Annotated[str, Field(pattern="^(?:brown|green|pink|blue|yellow|purple)-(?:[1-9]|10)$")]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class State(Strict):
    phase: Literal["buying", "trick", "hand-over", "game-over"]
    trick: Annotated[int, Field(ge=1, le=4)] | None = None
    chips: list[Annotated[int, Field(ge=0)]]
    pot: Annotated[int, Field(ge=0)]
    hands: list[list[Card | None]] | None = None


class Play(Strict):
    type: Literal["play"]
    seat: Annotated[int, Field(ge=0, le=5)]
    cards: Annotated[list[Card], Field(min_length=2, max_length=2)]


class Body(Strict):
    game: Literal["twins"]
    state: State
    moves: list[Play]


app = FastAPI()


@app.post("/resolve")
async def resolve(body: Body) -> Response:
    assert body.game == "twins"
    return Response(ANSWER, media_type="application/json")
