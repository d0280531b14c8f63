// The questions that an argument can be settled by: which cards are laid where, and what the referee is then asked. Each
// makes a state with what was laid, and moves; the rest of the table stays unknown.

const UNSEEN = (count) => Array(count).fill(null);
const shared = (chips, seats) =>
  Array.from({ length: seats }, (_, seat) => Math.floor(chips / seats) + (seat < chips % seats));

/** A hand of gin rummy and its knock with a discard. `goesOn`: whether the other side then lays off. */
async function knock(hands, discard, referee) {
  const state = { phase: "discard", turn: 0, hands };
  const { moves } = await referee("legal-moves", { state, seat: 0 });
  const legal = moves.find(({ move }) => move.type === "knock" && move.discard === discard);
  return { state, moves: [{ type: "knock", seat: 0, discard }], goesOn: legal?.facts.deadwood > 0 };
}

const hand = (seat, most) => ({ word: "place-hand", seat, least: most, most });
const discard = { word: "place-discard", seat: 0, least: 1, most: 1, on: 0, tag: "settle-discard" };
const row = { word: "place-row", least: 0, most: 20 };
const inTurn = (laid, type) => ({
  state: { phase: "play", turn: 0, row: laid[0], hands: [[...laid[1], null], UNSEEN(2)] },
  moves: [{ type, seat: 0, card: laid[1][0] }],
});
const cards = (text) => text.split(" ");

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
 * By game: the cards offered (`deck`, else all), their groups (`suit`), the `rulesets` to choose from (else all), and the
 * questions. `places`: where cards are laid; one with `on` takes hands, or a choice (`tag`), put on cards of that place.
 * `ask` gives the body of a resolution, and `tells` the codes of the events that answer the question. `unsaid`: members of
 * the table that nobody has told and that are not drawn; `assumed`: the phrase that says what is assumed. `example`: the
 * cards of each place.
 */
export const GAMES = {
  "gin-rummy": {
    suit: (card) => card[1],
    questions: {
      "may-knock": {
        may: true,
        tells: ["knocked"],
        unsaid: ["scores", "hands_won"],
        places: () => [hand(0, 11), discard],
        ask: ({ laid }, referee) => knock([laid[0], UNSEEN(10)], laid[1][0], referee),
        example: () => ({ laid: [cards("3S 4S 5S 5H 5D 9C TC JC 2H 2D AS"), ["2H"]] }),
      },
      "who-scores": {
        tells: ["knocked", "laid-off", "scored", "hand-over"],
        unsaid: ["scores", "hands_won"],
        assumed: "points",
        places: () => [hand(0, 11), discard, hand(1, 10)],
        async ask({ laid }, referee) {
          const { state, moves, goesOn } = await knock([laid[0], laid[2]], laid[1][0], referee);
          return { state, moves: goesOn ? [...moves, { type: "lay-off", seat: 1 }] : moves };
        },
        example: () => ({
          laid: [cards("4S 5S 6S 9H 9D 9C AH 2D 3C AD KC"), ["KC"], cards("QS QH QD 7S 9S KH 5D 2C 8C JD")],
        }),
      },
    },
  },
  twins: {
    suit: (card) => card.split("-")[0],
    questions: {
      "who-pays": {
        tells: ["paid", "won", "unpaid", "pot-kept", "bankrupted"],
        unsaid: ["chips"],
        assumed: "chips",
        seats: [3, 4, 5, 6],
        numbers: { trick: { least: 1, most: 4, first: 1 }, pot: { least: 0, most: 36, first: 6 } },
        places: ({ seats }) =>
          Array.from({ length: seats }, (_, seat) => ({ word: "place-two", seat, least: 2, most: 2 })),
        ask: ({ laid, seats, trick, pot }) => ({
          state: { phase: "trick", trick, pot, chips: shared(12 * seats - pot, seats) },
          moves: laid.map((cards, seat) => ({ type: "play", seat, cards })),
        }),
        example: () => ({
          seats: 3,
          trick: 2,
          pot: 12,
          laid: [cards("blue-9 yellow-9"), cards("brown-3 blue-3"), cards("green-4 yellow-7")],
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
        unsaid: ["scores"],
        assumed: "hands",
        ask: ({ laid }) => inTurn(laid, "lay"),
        example: () => ({ laid: [[23, 34], [51]] }),
      },
      "may-twist": {
        may: true,
        tells: ["twisted"],
        places: () => [
          { ...row, least: 1 },
          { word: "place-card", seat: 0, least: 1, most: 1 },
        ],
        unsaid: ["scores"],
        assumed: "hands",
        ask: ({ laid }) => inTurn(laid, "twist"),
        example: () => ({ laid: [[23, 34], [32]] }),
      },
    },
  },
  "twin-it": {
    deck: threes,
    rulesets: ["competitive"], // in which each hand falls for its own player
    suit: (card, about) => about.deck[parseInt(card, 10)]["AB".indexOf(card.at(-1))],
    questions: {
      "who-gets": {
        tells: ["set-won", "robbed", "tied", "mistake", "no-effect", "not-visible", "freed"],
        assumed: "sets",
        seats: [2, 3, 4],
        places: ({ seats }) => [
          { word: "place-table", least: 2, most: 8 },
          ...Array.from({ length: seats }, (_, seat) => ({ word: "place-hands", seat, least: 0, most: 2, on: 0 })),
        ],
        ask: ({ laid, seats, order, deck }) => ({
          state: { phase: "play", turn: 0, table: laid[0], piles: piles(deck, seats) },
          moves: [{ type: "claim", hands: order.map(([place, card]) => ({ seat: place - 1, card })) }],
        }),
        example: (deck) => ({ laid: [threes(deck).slice(0, 2), threes(deck).slice(0, 2)] }),
      },
    },
  },
};
