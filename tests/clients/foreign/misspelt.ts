// What a client may write wrong, in the types that a generator makes: what is marked must not compile, all else must.

import type * as m from "./models.js";

declare const answer: m.TwinsResolution;
declare const listed: m.TwinsLegalMoves;
const state: m.TwinsState = { phase: "trick", trick: 1, chips: [12, 12, 12], pot: 0 };
const play: m.TwinsPlay = { type: "play", seat: 0, cards: ["blue-9", "blue-7"] };
export const right: m.TwinsResolveBody = { state, moves: [play, { type: "deal" }], compare: ["italian"] };
export const listing: m.TwinsResolveBody = { state, moves: [], legal_moves: true, names: null };
export const again: m.TwinsResolveBody = { state: answer.state, moves: listed.moves.map((each) => each.move) };
export const ruled: m.TwinsState = { ...answer.state, ruleset: answer.ruleset };
export const dealt: m.TwinsDealBody = { seats: 3, ruleset: answer.ruleset };
export const opened: m.TwinsSessionRequest = { game: "twins", seats: 3, ruleset: answer.ruleset, fair: "joint" };
export const moved: m.TwinsMoves = { moves: [play] };

// @ts-expect-error: a phase
export const wrong1: m.TwinsState = { phase: "tric", chips: [12, 12, 12], pot: 0 };
// @ts-expect-error: a phase of another game
export const wrong2: m.GinRummyState = { phase: "trick", turn: 0, hands: [[], []] };
// @ts-expect-error: a card
export const wrong3: m.TwinsPlay = { type: "play", seat: 0, cards: ["blu-9", "blue-7"] };
// @ts-expect-error: a card of no value
export const wrong4: m.TwinsPlay = { type: "play", seat: 0, cards: ["blue-11", "blue-7"] };
// @ts-expect-error: a card with its suit first
export const wrong5: m.GinRummyDiscard = { type: "discard", seat: 0, card: "SA" };
// @ts-expect-error: ten as a number
export const wrong6: m.GinRummyDiscard = { type: "discard", seat: 0, card: "10S" };
// @ts-expect-error: a card that the deck has not
export const wrong7: m.TakeThatLay = { type: "lay", seat: 0, card: 11 };
// @ts-expect-error: a number as a text
export const wrong8: m.TakeThatLay = { type: "lay", seat: 0, card: "12" };
// @ts-expect-error: a ruleset
export const wrong9: m.TwinsRuleset = { name: "standrad" };
// @ts-expect-error: a ruleset of another game
export const wrong10: m.TwinsRuleset = { name: "pagat" };
// @ts-expect-error: a ruleset as a text
export const wrong11: m.TwinsDealBody = { seats: 3, ruleset: "standard" };
// @ts-expect-error: an option
export const wrong12: m.TwinsRuleset = { options: { second_trick_tie: "tied-unpaid" } };
// @ts-expect-error: a value of an option
export const wrong13: m.TwinsRuleset = { options: { second_trick_ties: "unpaid" } };
// @ts-expect-error: a type of move
export const wrong14: m.TwinsMove = { type: "paly", seat: 0, cards: ["blue-9", "blue-7"] };
// @ts-expect-error: a move of another game
export const wrong15: m.TwinsMove = { type: "knock", seat: 0, discard: "KC" };
// @ts-expect-error: a member of a move
export const wrong16: m.TwinsBuy = { type: "buy", seat: 0, cuont: 2 };
// @ts-expect-error: a member of a table
export const wrong17: m.TwinsState = { phase: "buying", chips: [12, 12, 12], pot: 0, delaer: 1 };
// @ts-expect-error: a member of a body
export const wrong18: m.TwinsResolveBody = { state, move: [] };
// @ts-expect-error: a member that is missing
export const wrong19: m.TwinsState = { phase: "buying", chips: [12, 12, 12] };
// @ts-expect-error: what is compared with
export const wrong20: m.TwinsResolveBody = { state, moves: [], compare: "standard" };
// @ts-expect-error: a member that another game has
export const wrong21: m.TwinsSessionRequest = { game: "twins", seats: 3, gather_ms: 500 };
// @ts-expect-error: how a session deals
export const wrong22: m.TwinItSessionRequest = { game: "twin-it", seats: 3, fair: "jiont" };
// @ts-expect-error: a seat that is null
export const wrong23: m.TwinsLegalMovesBody = { state, seat: null };
// @ts-expect-error: a seat as a text
export const wrong24: m.TwinsResolution["to_act"] = ["0"];
