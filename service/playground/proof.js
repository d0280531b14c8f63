// What a transcript proves, checked here in the browser: docs/fairness.md says how, docs/fairness.mjs checks more.
import { ask } from "./asking.js";

const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytes = (text) => new TextEncoder().encode(text);
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

async function sha256(text) {
  return hex(await crypto.subtle.digest("SHA-256", bytes(text)));
}

async function hmac(key, text) {
  const imported = await crypto.subtle.importKey("raw", bytes(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return hex(await crypto.subtle.sign("HMAC", imported, bytes(text)));
}

const asked = async (path, body) => ask("POST", path, body).then((response) => (response.ok ? response.json() : null));

/** The first table, and each thing that is proved with whether it holds. */
export async function proved({ game, fair, server_seed: server, commitment, seeds, commitments, deals, deal, moves, state }) {
  const committed = server !== null && (await sha256(server)) === commitment && same(await Promise.all(seeds.map(sha256)), commitments) && (fair === "joint") === seeds.length > 0;
  const drawn = await Promise.all(deals.map(({ number }) => hmac(server ?? "", JSON.stringify([...seeds, number]))));
  const dealt = deals.length > 0 && same(drawn, deals.map(({ seed }) => seed)) && same([deal, ...moves.filter(({ type }) => type === "deal")].map(({ seed }) => seed), drawn);
  const first = await asked("/deal", deal);
  let end = first;
  for (let at = 0; at < moves.length && end; at += 500) end = await asked("/resolve", { game, state: end.state, moves: moves.slice(at, at + 500) });
  return { first: first?.state, wrong: [["committed", committed], ["dealt", dealt], ["replayed", same(end?.state, state)]] };
}
