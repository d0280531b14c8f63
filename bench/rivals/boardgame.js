// boardgame.io's reducer on a trick of six at Twins: each places two cards of a hand of eight, who has not yet; the last
// to place turns all up, and the greatest sum takes the pot. No combinations, purchases, bankruptcies: what any client
// of the framework would have to write. Argument: where it is installed. Prints the microseconds of a trick, the least of several rounds.
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";

const require = createRequire(process.argv[2]);
const { CreateGameReducer, InitializeGame } = require("boardgame.io/internal");
const { INVALID_MOVE } = require("boardgame.io/core");

const COLOURS = ["brown", "green", "pink", "blue", "yellow", "purple"];
const value = (card) => Number(card.split("-")[1]);

const game = {
  setup: () => ({
    hands: COLOURS.map((colour) => [1, 2, 3, 4, 5, 6, 7, 8].map((each) => `${colour}-${each}`)),
    chips: COLOURS.map(() => 12),
    plays: COLOURS.map(() => null),
    pot: 0,
  }),
  turn: { activePlayers: { all: "trick" } },
  moves: {
    play: ({ G, playerID }, ...cards) => {
      const seat = Number(playerID);
      if (G.plays[seat] || !cards.every((card) => G.hands[seat].includes(card))) return INVALID_MOVE;
      G.hands[seat] = G.hands[seat].filter((card) => !cards.includes(card));
      G.plays[seat] = cards;
      if (G.plays.some((play) => !play)) return undefined;
      const sums = G.plays.map((play) => play.reduce((sum, card) => sum + value(card), 0));
      const best = sums.indexOf(Math.max(...sums));
      sums.forEach((_, other) => {
        if (other !== best) {
          G.chips[other] -= 1;
          G.chips[best] += 1;
        }
      });
      G.plays = G.plays.map(() => null);
      return undefined;
    },
  },
};

const action = (seat, cards) => ({ type: "MAKE_MOVE", payload: { type: "play", args: cards, playerID: String(seat) } });
const moves = COLOURS.map((colour, seat) => action(seat, [`${colour}-${seat + 1}`, `${colour}-${seat + 2}`]));
const reducer = CreateGameReducer({ game });
const opening = InitializeGame({ game, numPlayers: 6 });

const rounds = [];
for (let round = 0; round < 12; round++) {
  const began = performance.now();
  for (let trick = 0; trick < 300; trick++) {
    const over = moves.reduce(reducer, opening);
    if (over.G.chips[5] !== 17) throw new Error("the trick was not taken");
  }
  rounds.push(((performance.now() - began) / 300) * 1000);
}
process.stdout.write(`${Math.min(...rounds)}\n`);
