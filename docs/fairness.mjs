// Checks a session's transcript: were the cards dealt as committed to? See fairness.md.
//   node fairness.mjs transcript.json            checks commitment and deals
//   node fairness.mjs transcript.json deck.json  also prints the deck's order in every deal
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const hmac = (key, message) => createHmac("sha256", key).update(message).digest();

export const commitment = (seed) => createHash("sha256").update(seed).digest("hex");

export const dealSeed = (serverSeed, seeds, number) =>
  hmac(serverSeed, JSON.stringify([...seeds, number])).toString("hex");

function* words(seed) {
  for (let block = 0n; ; block++) {
    const message = Buffer.alloc(8);
    message.writeBigUInt64BE(block);
    const digest = hmac(seed, message);
    for (let at = 0; at < 32; at += 4) yield digest.readUInt32BE(at);
  }
}

function below(bound, stream) {
  const limit = 2 ** 32 - (2 ** 32 % bound);
  for (const word of stream) if (word < limit) return word % bound;
}

export function shuffled(cards, seed) {
  // `for … of` would end the stream on its first return: hand out its words one by one.
  const source = words(seed);
  const stream = { [Symbol.iterator]: () => ({ next: () => source.next() }) };
  const order = [...cards];
  for (let i = order.length - 1; i > 0; i--) {
    const j = below(i + 1, stream);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order.map((card) => (Array.isArray(card) ? card[source.next().value & 1] : card));
}

export function check(transcript) {
  const { server_seed: serverSeed, seeds, deals } = transcript;
  if (serverSeed === null) return ["The seed is not out yet."];
  const wrong = [];
  if (commitment(serverSeed) !== transcript.commitment) wrong.push("The seed is not the one committed to.");
  for (const { number, seed } of deals)
    if (dealSeed(serverSeed, seeds, number) !== seed) wrong.push(`Deal ${number} was not made from the seeds.`);
  return wrong;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [transcript, deck] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
  const wrong = check(transcript);
  console.log(wrong.length ? wrong.join("\n") : `${transcript.deals.length} deals, all as committed to.`);
  if (deck) for (const { seed } of transcript.deals) console.log(JSON.stringify(shuffled(deck, seed)));
  process.exitCode = wrong.length ? 1 : 0;
}
