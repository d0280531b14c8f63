// Checks a session's transcript: were the cards dealt as committed to? See fairness.md.
//   node fairness.mjs transcript.json [COMMITMENT] [deck.json]
// COMMITMENT: the 64 hex digits noted at the opening. A deck: its order in each deal is told.
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const hmac = (key, message) => createHmac("sha256", key).update(message).digest();

export const commitment = (seed) => createHash("sha256").update(seed).digest("hex");
export const dealSeed = (key, seeds, number) => hmac(key, JSON.stringify([...seeds, number])).toString("hex");

function* words(seed) {
  for (let block = 0; ; block++) {
    const digest = hmac(seed, Buffer.from(block.toString(16).padStart(16, "0"), "hex"));
    for (let at = 0; at < 32; at += 4) yield digest.readUInt32BE(at);
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

export function check(transcript = {}, noted = transcript.commitment) {
  const { server_seed: serverSeed, seeds, deals, deal, moves } = transcript;
  if (serverSeed === undefined) throw new Error("This is no transcript.");
  if (serverSeed === null) return ["The seed is not out yet."];
  const wrong = commitment(serverSeed) === noted ? [] : ["The seed is not the one committed to."];
  for (const { number, seed } of deals)
    if (dealSeed(serverSeed, seeds, number) !== seed) wrong.push(`Deal ${number} was not made from the seeds.`);
  const played = [deal, ...moves.filter(({ type }) => type === "deal")];
  if (JSON.stringify(played.map(({ seed }) => seed)) !== JSON.stringify(deals.map(({ seed }) => seed)))
    wrong.push("The cards played with are not those of the deals.");
  return wrong;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) try {
  const noted = process.argv.find((each) => /^[0-9a-f]{64}$/i.test(each));
  const files = process.argv.slice(2).filter((each) => each !== noted);
  const [transcript, deck] = files.map((path) => JSON.parse(readFileSync(path, "utf8")));
  const wrong = check(transcript, noted?.toLowerCase());
  const to = noted ? "committed to." : "its own commitment has it. To be sure, give the one noted at the opening.";
  console.log(wrong.join("\n") || `${transcript.deals.length} deals, all as ${to}`);
  if (deck) for (const { seed } of transcript.deals) console.log(JSON.stringify(shuffled(deck, seed)));
  process.exitCode = wrong.length ? 1 : 0;
} catch ({ message }) {
  console.error(`${message}\nUsage: node fairness.mjs transcript.json [COMMITMENT, 64 hex digits] [deck.json]`);
  process.exitCode = 2;
}
