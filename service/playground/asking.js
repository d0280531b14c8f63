// Asking the referee. Of several questions of one kind only the last one's answer counts.
import { language } from "./speech.js";

const turns = new Map();
const brought = new Map();

export const ask = (method, path, body, headers = {}) => fetch(path, {
  method,
  body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
  headers: { "Accept-Language": language(), ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
});

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
