// What a client may write wrong: each line that is marked must not compile, and the state of an answer can be posted.

import { Referee } from "../../../clients/typescript/src/index.ts";
import type { models } from "../../../clients/typescript/src/index.ts";

const { twins, ginRummy, takeThat, twinIt } = new Referee("http://127.0.0.1:8000");
const table: models.TwinsState = { phase: "trick", trick: 1, chips: [12, 12, 12], pot: 0 };
const row: models.TakeThatState = { phase: "play", turn: 0, row: [], hands: [[12]] };
const hand: models.GinRummyState = { phase: "draw", turn: 0, hands: [["AS", null], [null]] };

// @ts-expect-error: a phase
await twins.resolve({ state: { phase: "tric", chips: [12, 12, 12], pot: 0 }, moves: [] });
// @ts-expect-error: a phase of another game
await ginRummy.audit({ state: { phase: "trick", turn: 0, hands: [[], []] } });
// @ts-expect-error: a card of one suit too few
await twins.validate({ state: table, move: { type: "play", seat: 0, cards: ["blu-9", "blue-7"] } });
// @ts-expect-error: a card of no value
await twins.validate({ state: table, move: { type: "play", seat: 0, cards: ["blue-11", "blue-7"] } });
// @ts-expect-error: a card with its suit first
await ginRummy.validate({ state: hand, move: { type: "discard", seat: 0, card: "SA" } });
// @ts-expect-error: ten as a number
await ginRummy.validate({ state: hand, move: { type: "discard", seat: 0, card: "10S" } });
// @ts-expect-error: a card that the deck has not
await takeThat.validate({ state: row, move: { type: "lay", seat: 0, card: 11 } });
// @ts-expect-error: a number as a text
await takeThat.validate({ state: row, move: { type: "lay", seat: 0, card: "12" } });
// @ts-expect-error: a ruleset
await twins.deal({ seats: 3, ruleset: { name: "standrad" } });
// @ts-expect-error: a ruleset of another game
await twins.deal({ seats: 3, ruleset: { name: "pagat" } });
// @ts-expect-error: a ruleset as a text
await twins.deal({ seats: 3, ruleset: "standard" });
// @ts-expect-error: an option
await twins.deal({ seats: 3, ruleset: { options: { second_trick_tie: "tied-unpaid" } } });
// @ts-expect-error: a value of an option
await twins.deal({ seats: 3, ruleset: { options: { second_trick_ties: "unpaid" } } });
// @ts-expect-error: a type of move
await twins.validate({ state: table, move: { type: "paly", seat: 0, cards: ["blue-9", "blue-7"] } });
// @ts-expect-error: a move of another game
await twins.validate({ state: table, move: { type: "knock", seat: 0, discard: "KC" } });
// @ts-expect-error: a member of a move
await twins.validate({ state: table, move: { type: "buy", seat: 0, cuont: 2 } });
// @ts-expect-error: a member of a state
await twins.audit({ state: { phase: "buying", chips: [12, 12, 12], pot: 0, delaer: 1 } });
// @ts-expect-error: a member of a body
await twins.resolve({ state: table, move: [] });
// @ts-expect-error: a member that is missing
await twins.audit({ state: { phase: "buying", chips: [12, 12, 12] } });
// @ts-expect-error: a pile that is null
await ginRummy.audit({ state: { phase: "draw", turn: 0, hands: [[], []], stock: null } });
// @ts-expect-error: what is compared with
await twins.resolve({ state: table, moves: [], compare: "standard" });
// @ts-expect-error: a member of an opening that only another game has
await twins.open({ game: "twins", seats: 3, gather_ms: 500 });
// @ts-expect-error: how a session deals
await twinIt.open({ game: "twin-it", seats: 3, fair: "jiont" });

const answer = await twins.resolve({ state: table, moves: [] });
const { state, ruleset } = answer;
for (const { move } of (await twins.legalMoves({ state })).moves) await twins.resolve({ state, moves: [move] });
await twins.deal({ seats: 3, ruleset });
await twins.resolve({ state: { ...state, ruleset }, moves: [] });
