// Requests to the referee. Of several requests of one kind only the answer to the latest counts.
import { language } from "./speech.js";

const turns = new Map();
const brought = new Map();

export const ask = (method, path, body, headers = {}) =>
  fetch(path, {
    method,
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    headers: {
      "Accept-Language": language(),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
  });

/** The status and the JSON of an answer. */
export async function postJson(path, body) {
  const response = await ask("POST", path, body);
  return [response.status, await response.json()];
}

export const MOST_MOVES = 125; // in one request, which also asks for a view and two listings: together they may be 500

/** Two answers as one; `at`: how many moves came before those of the second. */
function joined(before, answer, at) {
  const counted = (pointer) => pointer?.replace(/^\/moves\/(\d+)/, (_place, number) => `/moves/${Number(number) + at}`);
  const shifted = (each) => ({
    ...each,
    ...(each.pointer && { pointer: counted(each.pointer) }),
    ...(each.pointers && { pointers: each.pointers.map(counted) }),
  });
  const later = (events, next) => [...(events ?? []), ...next.map((event) => ({ ...event, move: event.move + at }))];
  return {
    ...answer,
    applied: at + answer.applied,
    events: later(before?.events, answer.events),
    violations: answer.violations.map(shifted),
    contested: [...(before?.contested ?? []), ...answer.contested],
    unverified: [...new Set([...(before?.unverified ?? []), ...answer.unverified])],
    ...(answer.views && {
      views: answer.views.map((view, number) => ({
        ...view,
        events: later(before?.views[number].events, view.events),
      })),
    }),
  };
}

/** The answer of `/resolve` to any number of moves, asked for in parts. */
export async function resolveInParts(path, asked) {
  if (!(asked.moves?.length > MOST_MOVES)) return postJson(path, asked);
  let whole = null;
  for (let at = 0; at < asked.moves.length && (!whole || whole.applied === at); at += MOST_MOVES) {
    const part = { ...asked, state: whole?.state ?? asked.state, moves: asked.moves.slice(at, at + MOST_MOVES) };
    const [status, answer] = await postJson(path, part);
    if (status !== 200) return [status, answer];
    whole = joined(whole, answer, at);
  }
  return [200, whole];
}

/** The JSON at a path; throws if it cannot be had. */
export async function getJson(path) {
  const response = await ask("GET", path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** The JSON at a path in the language of the page, fetched once; null if it cannot be had now. */
export function cached(path) {
  const key = `${path} ${language()}`;
  if (!brought.has(key)) {
    brought.set(
      key,
      getJson(path).catch(() => {
        brought.delete(key);
        return null;
      }),
    );
  }
  return brought.get(key);
}

/** Begins a request of some kind; the function tells whether it is still the latest of its kind. */
export function newTurn(kind) {
  const turn = {};
  turns.set(kind, turn);
  return () => turns.get(kind) === turn;
}

let works = 0;

/** The same function; while any such function runs, the page says that it is busy. */
export const busy =
  (work) =>
  async (...given) => {
    const main = document.querySelector("main");
    works++;
    main.setAttribute("aria-busy", "true");
    try {
      return await work(...given);
    } finally {
      if (--works === 0) main.removeAttribute("aria-busy");
    }
  };
