// Asking the referee. Of several questions of one kind only the last one's answer counts.
import { language } from "./speech.js";

const turns = new Map();
const brought = new Map();

export const ask = (method, path, body, headers = {}) => fetch(path, {
  method,
  body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
  headers: { "Accept-Language": language(), ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
});

/** Status and answer of a question. */
export async function judged(path, body) {
  const response = await ask("POST", path, body);
  return [response.status, await response.json()];
}

export const MOST_MOVES = 250; // that one request may hold, with what a seat sees of them

/** What came of some moves, told as part of a longer game that had come so far. */
function joined(before, answer, at) {
  const counted = (pointer) => pointer?.replace(/^\/moves\/(\d+)/, (place, number) => `/moves/${Number(number) + at}`);
  const shifted = (each) => ({ ...each, ...(each.pointer && { pointer: counted(each.pointer) }), ...(each.pointers && { pointers: each.pointers.map(counted) }) });
  const later = (events, next) => [...(events ?? []), ...next.map((event) => ({ ...event, move: event.move + at }))];
  return {
    ...answer,
    applied: at + answer.applied,
    events: later(before?.events, answer.events),
    violations: answer.violations.map(shifted),
    contested: [...(before?.contested ?? []), ...answer.contested],
    unverified: [...new Set([...(before?.unverified ?? []), ...answer.unverified])],
    ...(answer.views && { views: answer.views.map((view, number) => ({ ...view, events: later(before?.views[number].events, view.events) })) }),
  };
}

/** What moves come to, however many: they are asked about part by part. */
export async function resolved(path, asked) {
  if (!(asked.moves?.length > MOST_MOVES)) return judged(path, asked);
  let whole = null;
  for (let at = 0; at < asked.moves.length && (!whole || whole.applied === at); at += MOST_MOVES) {
    const part = { ...asked, state: whole?.state ?? asked.state, moves: asked.moves.slice(at, at + MOST_MOVES) };
    const [status, answer] = await judged(path, part);
    if (status !== 200) return [status, answer];
    whole = joined(whole, answer, at);
  }
  return [200, whole];
}

/** What a path has; an error where it does not come. */
export async function bring(path) {
  const response = await ask("GET", path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** What a path has in the visitor's language, asked once; null where it cannot be had now. */
export function kept(path) {
  const key = `${path} ${language()}`;
  if (!brought.has(key)) {
    brought.set(key, bring(path).catch(() => {
      brought.delete(key);
      return null;
    }));
  }
  return brought.get(key);
}

/** A new turn of a kind ends the earlier ones; true while it lasts. */
export function begun(kind) {
  const turn = {};
  turns.set(kind, turn);
  return () => turns.get(kind) === turn;
}

let works = 0;

/** The same function; until all that was begun so is done, the page says that it is busy. */
export const busy = (work) => async (...given) => {
  const main = document.querySelector("main");
  works++;
  main.setAttribute("aria-busy", "true");
  try {
    return await work(...given);
  } finally {
    if (--works === 0) main.removeAttribute("aria-busy");
  }
};
