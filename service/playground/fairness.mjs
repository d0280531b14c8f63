// Checks a session's transcript as strictly as `referee verify`: each member must be what a session would write, but for
// the sentences, which are no evidence.
//   node fairness.mjs transcript.json [COMMITMENT] [ID] REFEREE
// COMMITMENT, ID: the 64 hex digits noted at the opening, and the 32 of the session. REFEREE: the address of a service you
// trust; it knows the rules, and is given the moves and the decks, which are drawn here. The page at /play uses this file
// too. See docs/fairness.md.
import { hex, hmac, sha256, utf8 } from "./sha256.mjs";

/** Whether two pieces of JSON say the same. */
const same = (one, other) => one === other || (one !== null && other !== null && typeof one === "object" && typeof other === "object"
  && Array.isArray(one) === Array.isArray(other) && Object.keys(one).length === Object.keys(other).length
  && Object.keys(one).every((name) => Object.hasOwn(other, name) && same(one[name], other[name])));

const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);
const crossed = (some, others, name) => some.flatMap((one) => others.map((other) => name(one, other)));

export function commitment(seed) {
  if (typeof seed !== "string") throw new TypeError("A seed is a text.");
  encodeURIComponent(seed); // throws if a surrogate stands alone, which no UTF-8 can say
  return hex(sha256(utf8(seed)));
}
export const dealSeed = (key, seeds, number) => hex(hmac(key, utf8(JSON.stringify([...seeds, number]))));

function* words(seed) {
  for (let block = 0; ; block++) {
    const number = new DataView(new ArrayBuffer(8));
    number.setBigUint64(0, BigInt(block));
    const digest = new DataView(hmac(seed, new Uint8Array(number.buffer)).buffer);
    for (let at = 0; at < 32; at += 4) yield digest.getUint32(at);
  }
}

function below(bound, source) {
  const word = source.next().value;
  return word < 2 ** 32 - (2 ** 32 % bound) ? word % bound : below(bound, source);
}

export function shuffled(cards, seed) {
  const [source, order] = [words(seed), [...cards]];
  for (let i = order.length - 1; i > 0; i--) {
    const j = below(i + 1, source);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order.map((card) => (Array.isArray(card) ? card[source.next().value & 1] : card));
}

// The deck of each game, and its zones. They stand here, because a verifier must not take them from what it verifies.
const COLOURS = ["brown", "green", "pink", "blue", "yellow", "purple"];
export const games = {
  twins: { pack: () => crossed(COLOURS, range(1, 11), (c, n) => `${c}-${n}`), zones: ["hands", "stock", "discards"] },
  "take-that": { pack: () => range(12, 99).filter((n) => n % 10), zones: ["hands", "pile", "row", "face_up", "face_down"] },
  "gin-rummy": { pack: () => crossed([..."SHDC"], [..."A23456789TJQK"], (s, r) => r + s), zones: ["hands", "stock", "discards"] },
  "twin-it": {
    pack: ({ designs, forbidden }) => {
      const out = (forbidden ?? []).flat().map((card) => parseInt(card, 10));
      return range(0, designs?.length ?? 135).filter((n) => !out.includes(n)).map((n) => [`${n}A`, `${n}B`]);
    },
    zones: ["piles", "table", "sets"],
  },
};

// Whether cards were drawn from a deck in its order.
const inOrder = (some, deck) => some.reduce((at, card) => (at < 0 ? at : deck.indexOf(card, at) + 1 || -1), 0) >= 0;
const names = (cards) => cards.map((card) => parseInt(card, 10) >= 0 && /[AB]$/.test(card) ? parseInt(card, 10) : card).sort();

function wrongCards({ game, deal, deals, entries, state }) {
  const [{ pack, zones }, wrong, decks] = [games[game], [], []];
  for (const { seed } of deals) decks.push(shuffled(pack(deal), seed));
  const drawn = deals.map(() => ({}));
  let hand = 0;
  for (const { code, params } of entries.flatMap(({ events }) => events)) {
    if (code === "dealt") hand++;
    const cards = game === "twin-it" ? [params.uncovered] : params.cards ?? [params.card];
    if (["bought", "drew", "flipped"].includes(code) && params.from !== "discards") {
      drawn[hand][params.seat] ??= [];
      drawn[hand][params.seat].push(...cards.filter((card) => card != null));
    }
  }
  if (hand + 1 !== deals.length) wrong.push("The log tells of another number of deals.");
  for (const [at, seats] of drawn.entries()) for (const [seat, cards] of Object.entries(seats))
    if (!inOrder(cards, decks[at])) wrong.push(`Seat ${seat} drew other cards than those of deal ${at + 1}.`);
  const last = decks.at(-1);
  const lying = zones.map((zone) => state[zone] ?? []).flat(3);
  if (game !== "twin-it" ? !same([...lying].sort(), [...last].sort()) : new Set(names(lying)).size !== lying.length)
    wrong.push("The table at the end is not of this pack.");
  for (const stock of [state.stock, state.pile, ...(state.piles ?? [])].filter(Boolean))
    if (!inOrder(stock, last)) wrong.push("What is left of the stock is not of the last deal.");
  return wrong;
}

/** What is wrong with the seeds, and with the cards that they give, in sentences. */
function secrets(transcript, noted = transcript.commitment) {
  const { game, server_seed: server, seeds, commitments, deals, deal, moves, entries, fair } = transcript;
  const [committed, dealt] = [[], []];
  if (server === null) return { committed: ["The seed is not out yet."], dealt };
  if (commitment(server) !== noted || noted !== transcript.commitment) committed.push("The seed is not the one committed to.");
  const seats = new Map([["joint", deal.seats], ["committed", 0]]).get(fair);
  if (seeds.length !== seats || !same(seeds.map(commitment), commitments)) committed.push("The seats' seeds are not those committed to.");
  if (entries.findIndex(({ moves: made }) => made.length) < 2 * seats) committed.push("The game began before all had committed and given seeds.");
  if (!deals.length) dealt.push("There is no deal.");
  for (const [at, { number, seed }] of deals.entries())
    if (number !== at + 1 || dealSeed(server, seeds, at + 1) !== seed) dealt.push(`Deal ${at + 1} was not made from the seeds.`);
  const played = [deal, ...moves.filter(({ type }) => type === "deal")];
  if (!same(played.map(({ seed }) => seed), deals.map(({ seed }) => seed)) || played.some((each) => "deck" in each))
    dealt.push("The cards played with are not those of the deals.");
  if (games[game] && !committed.length && !dealt.length) dealt.push(...wrongCards(transcript));
  return { committed, dealt };
}

const MOST = 200; // moves in one request
const DRAWN = ["seed", "deck", "drawn", "uncovered", "shown"]; // a session takes them in no move: it draws the cards
const hasNull = (value) => value === null || (typeof value === "object" && Object.values(value).some(hasNull));
const strange = (move) => hasNull(move) || DRAWN.some((name) => name in move) || (move.type === "buy" && "cards" in move);

class Refused extends Error {}
class OtherVersion extends Error {}

/** The transcript of a session with these seeds, this setup and these moves. `ask` asks a referee. */
async function remade({ id, names, fair, server_seed: server, seeds, deal: { seed: _, deck: __, names: ___, ...setup }, entries, ruleset: judgedBy }, ask) {
  const deals = [];
  const seeded = (deal) => {
    deals.push({ number: deals.length + 1, seed: dealSeed(server, seeds, deals.length + 1) });
    return { ...deal, seed: deals.at(-1).seed };
  };
  /** A deal with the deck that its seed gives. */
  const drawn = ({ seed, ...deal }) => ({ ...deal, ...(games[setup.game] ? { deck: shuffled(games[setup.game].pack(setup), seed) } : { seed }) });
  const deal = seeded(setup);
  const moves = entries.flatMap((entry) => entry.moves).map((move) => (move.type === "deal" ? seeded(move) : move));
  const places = entries.flatMap((entry, at) => entry.moves.map((_, move) => [at, move]));
  const told = entries.map((entry, at) => ({ version: at + 1, moves: entry.moves, events: [] }));
  const { state: dealt } = await ask("/deal", drawn(deal));
  let end = await ask("/resolve", { game: setup.game, state: dealt, ...(names && { names }), moves: [] });
  if (Number.isInteger(judgedBy.version) && judgedBy.version !== end.ruleset.version)
    throw new OtherVersion(`It was judged by version ${judgedBy.version} of these rules. This referee judges by version ${end.ruleset.version}, so it cannot replay it.`);
  for (let from = 0; from < moves.length; from += MOST) {
    const some = moves.slice(from, from + MOST);
    end = await ask("/resolve", { game: setup.game, state: end.state, ...(names && { names }), moves: some.map((move) => (move.type === "deal" ? drawn(move) : move)) });
    if (!end.legal) throw new Refused(end.violations[0].text);
    for (const { rule, code, move: made, params, text } of end.events) {
      const [at, move] = places[from + made];
      told[at].events.push({ rule, code, move, params, text });
    }
  }
  const { game, ruleset, state, to_act, standings, result } = end;
  return { id, game, ruleset, version: entries.length, commitment: commitment(server), commitments: seeds.map(commitment), names, state, to_act,
    standings, result, fair, server_seed: result && server, seeds, deals, deal, moves, entries: told, next: null };
}

/** A transcript without the sentences of its events. */
const facts = (transcript) => ({
  ...transcript,
  entries: transcript.entries.map((entry) => ({ ...entry, events: entry.events.map(({ text: _, ...event }) => event) })),
});

/** What a referee contradicts, in sentences. */
async function replayed(transcript, referee) {
  if (transcript.entries.some(({ moves }) => moves.some(strange))) return ["A move is not as a session writes it."];
  const headers = { "content-type": "application/json" };
  const ask = async (call, body) => {
    const answer = await fetch(new URL(call, referee), { method: "POST", headers, body: JSON.stringify(body) }).catch(({ message }) => {
      throw new Error(`The referee cannot be reached: ${message}`);
    });
    const said = await answer.json();
    if (answer.status === 400 || answer.status === 422) throw new Refused(said.detail);
    if (!answer.ok) throw new Error(`The referee answers ${answer.status}.`);
    return said;
  };
  const [actual, due] = [facts(transcript), facts(await remade(transcript, ask))];
  const house = due.state.designs && !actual.state.designs && (await ask("/deal", { game: due.game, seats: 2 })).state.designs;
  if (same(due.state.designs, house)) delete due.state.designs; // a session leaves the house deck out
  return Object.keys({ ...due, ...actual })
    .filter((name) => !same(due[name], actual[name]))
    .map((name) => `Replayed, ${name} would be otherwise.`);
}

/** What is wrong with the id: no session has such a one, or it is not the one noted. */
function wrongId(id, session = id) {
  if (typeof id !== "string" || !/^[0-9a-f]{32}$/.test(id)) return ["No session has such an id."];
  return id === session ? [] : ["It is of another session than the one whose id was noted."];
}

/**
 * What is wrong with each part of a transcript, in sentences. `noted`: the commitment noted at the opening; `session`: the
 * id of the session. Without a referee `replayed` is left out.
 */
export async function findings(transcript, noted, referee, session) {
  if (transcript?.testing) return { testing: ["This is the game of a test: its table or its seed was chosen, so it proves nothing."] };
  if (!transcript?.deal || !Array.isArray(transcript.entries)) throw new Error("This is no transcript.");
  try {
    const [parts, wrong] = [secrets(transcript, noted), wrongId(transcript.id, session)];
    if (wrong.length) return { ...parts, replayed: wrong };
    return referee && transcript.server_seed !== null ? { ...parts, replayed: await replayed(transcript, referee) } : parts;
  } catch (error) {
    if (error instanceof OtherVersion) return { ...secrets(transcript, noted), version: [error.message] };
    const reason = error instanceof Refused ? `A referee refuses it: ${error.message}` : "No session wrote this.";
    if (error instanceof Refused || error instanceof TypeError || error instanceof URIError) return { committed: [], dealt: [], replayed: [reason] };
    throw error;
  }
}

async function main(given) {
  const { readFileSync } = await import("node:fs");
  const noted = given.find((each) => /^[0-9a-f]{64}$/i.test(each));
  const session = given.find((each) => /^[0-9a-f]{32}$/i.test(each));
  const [file, referee] = given.filter((each) => each !== noted && each !== session);
  if (referee !== undefined && !/^https?:/.test(referee)) throw new Error(`Neither a commitment nor an address: ${referee}`);
  const transcript = JSON.parse(readFileSync(file, "utf8"));
  const wrong = Object.values(await findings(transcript, noted?.toLowerCase(), referee, session?.toLowerCase())).flat();
  const to = noted ? "committed to." : "its own commitment has it. To be sure, give the one noted at the opening.";
  console.log(wrong.join("\n") || `${transcript.deals.length} deals, all as ${to}`);
  if (!wrong.length) console.log(referee ? "Replayed: every move was legal, and all is as told."
    : "NOT verified: only the cards are right. Whether the moves were legal and all is as told, a referee shows: give its address.");
  process.exitCode = wrong.length ? 1 : referee ? 0 : 3;
}

const [, script, ...asked] = globalThis.process?.argv ?? [];
if (script && import.meta.url === (await import("node:url")).pathToFileURL(script).href) {
  await main(asked).catch(({ message }) => {
    console.error(`${message}\nUsage: node fairness.mjs transcript.json [COMMITMENT, 64 hex digits] [ID, 32] REFEREE, an address`);
    process.exitCode = 2;
  });
}
