// What this browser keeps of the tables that it opened or sits at. Tokens and invitations stay here, and in no address.

const KEPT = 25 * 3_600_000; // milliseconds, a little longer than the service keeps a table after its last move
const key = (id) => `table ${id}`;

export const noted = (id) => JSON.parse(localStorage.getItem(key(id)) ?? "{}");

/** Notes more of a table: its game, names, the seat here, its invitations. */
export const note = (id, more) =>
  localStorage.setItem(key(id), JSON.stringify({ ...noted(id), ...more, at: Date.now() }));

/** Forgets all of a table. */
export function forget(id) {
  for (const name of Object.keys(localStorage)) if (name.split(" ")[1] === id) localStorage.removeItem(name);
}

/** Forgets the seat taken here; invitations of a table that was opened here stay. */
export function leave(id, seat) {
  for (const name of Object.keys(localStorage))
    if (name.startsWith(`seat ${id} ${seat}`)) localStorage.removeItem(name);
  const { seat: _, invite, before, ...others } = noted(id);
  if (others.invites) localStorage.setItem(key(id), JSON.stringify(others));
  else forget(id);
}

/** The tables noted here, the latest first; those that the service has long forgotten are dropped. */
export function tables() {
  const found = Object.keys(localStorage)
    .filter((name) => name.startsWith("table "))
    .map((name) => ({ id: name.split(" ")[1], ...noted(name.split(" ")[1]) }));
  for (const { id } of found.filter(({ at }) => Date.now() - at > KEPT)) forget(id);
  return found.filter(({ at }) => Date.now() - at <= KEPT).sort((one, other) => other.at - one.at);
}
