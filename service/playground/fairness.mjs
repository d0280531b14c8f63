// Checks a session's transcript: whether the cards are those committed to, and the moves those logged. See docs/fairness.md.
//   node fairness.mjs transcript.json [COMMITMENT] [REFEREE]
// COMMITMENT: the 64 hex digits noted at the opening. REFEREE: the address of a service you trust, to replay the moves.
// The page at /play uses this file too.
import { hex, hmac, sha256, utf8 } from "./sha256.mjs";

/** Whether two pieces of JSON say the same. */
const same = (one, other) => one === other || (one !== null && other !== null && typeof one === "object" && typeof other === "object"
  && Array.isArray(one) === Array.isArray(other) && Object.keys(one).length === Object.keys(other).length
  && Object.keys(one).every((name) => Object.hasOwn(other, name) && same(one[name], other[name])));

const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);
const crossed = (some, others, name) => some.flatMap((one) => others.map((other) => name(one, other)));

export const commitment = (seed) => hex(sha256(utf8(seed)));
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
    if (["bought", "drew", "flipped"].includes(code) && params.from !== "discards")
      (drawn[hand][params.seat] ??= []).push(...cards.filter((card) => card != null));
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

/** The mistakes in each part, in sentences. */
export function findings(transcript = {}, noted = transcript.commitment) {
  const { server_seed: server, seeds, commitments, deals, deal, moves, entries, fair, state } = transcript;
  if (server === undefined || !games[transcript.game] || !deal || !Array.isArray(entries)) throw new Error("This is no transcript.");
  const [committed, dealt, logged] = [[], [], []];
  if (server === null) return { committed: ["The seed is not out yet."], dealt, logged };
  if (commitment(server) !== noted || noted !== transcript.commitment) committed.push("The seed is not the one committed to.");
  const seats = { joint: deal.seats, committed: 0 }[fair];
  if (seeds.length !== seats || !same(seeds.map(commitment), commitments)) committed.push("The seats' seeds are not those committed to.");
  if (entries.findIndex(({ moves: made }) => made.length) < 2 * seats) committed.push("The game began before all had committed and given seeds.");
  if (!deals.length) dealt.push("There is no deal.");
  for (const [at, { number, seed }] of deals.entries())
    if (number !== at + 1 || dealSeed(server, seeds, at + 1) !== seed) dealt.push(`Deal ${at + 1} was not made from the seeds.`);
  const played = [deal, ...moves.filter(({ type }) => type === "deal")];
  if (!same(played.map(({ seed }) => seed), deals.map(({ seed }) => seed)) || [deal, ...moves].some((each) => "deck" in each || "drawn" in each))
    dealt.push("The cards played with are not those of the deals.");
  const made = entries.flatMap((entry) => entry.moves);
  const bare = ({ type, seed, ...rest }) => (type === "deal" ? { type, ...rest } : { type, seed, ...rest });
  if (!same(made.map(bare), moves.map(bare))) logged.push("The moves are not those of the log.");
  if (transcript.next !== null || transcript.version !== entries.length || entries.some(({ version }, at) => version !== at + 1))
    logged.push("The log is not whole.");
  const end = entries.at(-1)?.events.at(-1);
  if (state?.phase !== "game-over" || !end) logged.push("The game is not over.");
  else if (transcript.result?.winners && !same(end.params.winners, transcript.result.winners)) logged.push("The log tells of other winners.");
  if (![committed, dealt, logged].some((part) => part.length)) dealt.push(...wrongCards(transcript));
  return { committed, dealt, logged };
}

export const check = (transcript, noted) => Object.values(findings(transcript, noted)).flat();

export async function replay(transcript, referee) {
  const ask = async (call, body) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(new URL(call, referee), { method: "POST", headers, body: JSON.stringify(body) });
    if (answer.status === 400 || answer.status === 422) return { state: null, events: [] };
    if (!answer.ok) throw new Error(`The referee answers ${answer.status}.`);
    return answer.json();
  };
  const { game, deal, moves, entries } = transcript;
  let [end, told] = [await ask("/deal", deal), []];
  for (let at = 0; at < moves.length && end.state; at += 500) {
    end = await ask("/resolve", { game, state: end.state, moves: moves.slice(at, at + 500) });
    told.push(...end.events.map(({ rule, code, params }) => [rule, code, params]));
  }
  const wrong = ["state", "to_act", "standings", "result", "ruleset"].filter((name) => !same(end[name], transcript[name]));
  if (!same(told, entries.flatMap(({ events }) => events.map(({ rule, code, params }) => [rule, code, params])))) wrong.push("events");
  return wrong.map((name) => `Replayed, the ${name} would be otherwise.`);
}

async function main(given) {
  const { readFileSync } = await import("node:fs");
  const noted = given.find((each) => /^[0-9a-f]{64}$/i.test(each));
  const [file, referee] = given.filter((each) => each !== noted);
  if (referee !== undefined && !/^https?:/.test(referee)) throw new Error(`Neither a commitment nor an address: ${referee}`);
  const transcript = JSON.parse(readFileSync(file, "utf8"));
  const wrong = check(transcript, noted?.toLowerCase());
  if (!wrong.length && referee) wrong.push(...(await replay(transcript, referee)));
  const to = noted ? "committed to." : "its own commitment has it. To be sure, give the one noted at the opening.";
  console.log(wrong.join("\n") || `${transcript.deals.length} deals, all as ${to}`);
  if (!wrong.length) console.log(referee ? "Replayed: events, table, standings and result are as told."
    : "Not replayed: that the moves come to this table, standings and result, a referee shows; give its address.");
  process.exitCode = wrong.length ? 1 : 0;
}

const [, script, ...asked] = globalThis.process?.argv ?? [];
if (script && import.meta.url === (await import("node:url")).pathToFileURL(script).href) {
  await main(asked).catch(({ message }) => {
    console.error(`${message}\nUsage: node fairness.mjs transcript.json [COMMITMENT, 64 hex digits] [REFEREE, an address]`);
    process.exitCode = 2;
  });
}
