// The questions that an argument can be settled by: which cards are laid where, and what the referee is then asked. Each
// makes a state with what was laid, and moves; the rest of the table stays unknown.

const UNSEEN = (count) => Array(count).fill(null);
const shared = (chips, seats) =>
  Array.from({ length: seats }, (_, seat) => Math.floor(chips / seats) + (seat < chips % seats));

/** A hand of gin rummy and the knock that keeps the least deadwood, as the referee lists it. */
async function knock(hands, referee) {
  const state = { phase: "discard", turn: 0, hands };
  const { moves } = await referee("legal-moves", { state, seat: 0 });
  const least = (type) =>
    moves
      .filter(({ move }) => move.type === type)
      .sort((one, other) => (one.facts.deadwood ?? 0) - (other.facts.deadwood ?? 0))[0];
  const best = least("knock");
  const move = best?.move ?? { type: "knock", seat: 0, discard: least("discard").move.card };
  return { state, moves: [move], goesOn: best?.facts.deadwood > 0 };
}

const hand = (seat, most) => ({ word: "place-hand", seat, least: most, most });
const row = { word: "place-row", least: 0, most: 20 };
const inTurn = (laid, type) => ({
  state: { phase: "play", turn: 0, row: laid[0], hands: [[...laid[1], null], UNSEEN(2)] },
  moves: [{ type, seat: 0, card: laid[1][0] }],
});

/** The cards of the house deck that are offered: three of each of some designs. */
function threes(deck) {
  const found = new Map();
  for (const [card, sides] of deck.entries())
    for (const [at, design] of sides.entries()) found.set(design, [...(found.get(design) ?? []), `${card}${"AB"[at]}`]);
  const used = new Set();
  const chosen = [];
  for (const cards of found.values()) {
    const numbers = cards.map((card) => parseInt(card, 10));
    if (cards.length < 3 || numbers.some((number) => used.has(number))) continue;
    for (const number of numbers) used.add(number);
    chosen.push(cards);
  }
  return chosen.slice(0, 7).flat();
}

/** A pile for each seat, whose top is like no card that is offered and no other top. */
function piles(deck, seats) {
  const offered = threes(deck).map((card) => parseInt(card, 10));
  const seen = new Set(offered.flatMap((number) => deck[number]));
  const tops = deck.flatMap(([design], number) =>
    offered.includes(number) || seen.has(design) ? [] : seen.add(design) && [`${number}A`],
  );
  return Array.from({ length: seats }, (_, seat) => [tops[seat], null]);
}

/**
 * By game: the cards offered (`deck`, else all), their groups (`suit`), and the questions. `places`: where cards are laid;
 * one with `on` takes hands, put on cards that lie on the table. `ask` gives the body of a resolution, and `tells` the
 * codes of the events that answer the question.
 */
export const GAMES = {
  "gin-rummy": {
    suit: (card) => card[1],
    questions: {
      "may-knock": {
        may: true,
        tells: ["knocked"],
        places: () => [hand(0, 11)],
        ask: ({ laid }, referee) => knock([laid[0], UNSEEN(10)], referee),
      },
      "who-scores": {
        tells: ["knocked", "laid-off", "scored", "hand-over"],
        places: () => [hand(0, 11), hand(1, 10)],
        async ask({ laid }, referee) {
          const { state, moves, goesOn } = await knock(laid, referee);
          return { state, moves: goesOn ? [...moves, { type: "lay-off", seat: 1 }] : moves };
        },
      },
    },
  },
  twins: {
    suit: (card) => card.split("-")[0],
    questions: {
      "who-pays": {
        tells: ["paid", "won", "unpaid", "pot-kept", "bankrupted"],
        seats: [3, 4, 5, 6],
        numbers: { trick: { least: 1, most: 4, first: 1 }, pot: { least: 0, most: 36, first: 6 } },
        places: ({ seats }) =>
          Array.from({ length: seats }, (_, seat) => ({ word: "place-two", seat, least: 2, most: 2 })),
        ask: ({ laid, seats, trick, pot }) => ({
          state: { phase: "trick", trick, pot, chips: shared(12 * seats - pot, seats) },
          moves: laid.map((cards, seat) => ({ type: "play", seat, cards })),
        }),
      },
    },
  },
  "take-that": {
    suit: (card) => Math.floor(card / 10),
    questions: {
      "may-lay": {
        may: true,
        tells: ["laid"],
        places: () => [row, { word: "place-card", seat: 0, least: 1, most: 1 }],
        ask: ({ laid }) => inTurn(laid, "lay"),
      },
      "may-twist": {
        may: true,
        tells: ["twisted"],
        places: () => [
          { ...row, least: 1 },
          { word: "place-card", seat: 0, least: 1, most: 1 },
        ],
        ask: ({ laid }) => inTurn(laid, "twist"),
      },
    },
  },
  "twin-it": {
    deck: threes,
    suit: (card, about) => about.deck[parseInt(card, 10)]["AB".indexOf(card.at(-1))],
    questions: {
      "who-gets": {
        tells: ["set-won", "robbed", "tied", "mistake", "no-effect", "not-visible", "freed"],
        seats: [2, 3, 4],
        places: ({ seats }) => [
          { word: "place-table", least: 2, most: 8 },
          ...Array.from({ length: seats }, (_, seat) => ({ word: "place-hands", seat, least: 0, most: 2, on: 0 })),
        ],
        ask: ({ laid, seats, order, deck }) => ({
          state: { phase: "play", turn: 0, table: laid[0], piles: piles(deck, seats) },
          moves: [{ type: "claim", hands: order.map(([place, card]) => ({ seat: place - 1, card })) }],
        }),
      },
    },
  },
};
