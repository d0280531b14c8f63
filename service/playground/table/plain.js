// The drawing of any game without one of its own: its zones, in the middle or by seat as the game's description says, with
// the titles of the cards.
import { h, svg } from "./pieces.js";

const isPile = (value) => Array.isArray(value) && value.every((card) => card === null || typeof card !== "object");
/** The lists of cards in a zone or in a seat's part of it. */
const piles = (value) =>
  isPile(value)
    ? [value]
    : Array.isArray(value)
      ? value.flatMap(piles)
      : value === null || value === undefined
        ? []
        : [[value]];
const group = (t, zone, cards) => t.group(`${t.called("zones", zone)} ${cards.length}`, cards);

/** The cards in a move. */
function named(value, known) {
  if (Array.isArray(value)) return value.flatMap((each) => named(each, known));
  if (value !== null && typeof value === "object") return Object.values(value).flatMap((each) => named(each, known));
  return known.has(String(value)) && typeof value !== "boolean" ? [String(value)] : [];
}

export default {
  back: svg`<rect width="100" height="140" fill="#44505a"/><rect x="7" y="7" width="86" height="126" rx="6" fill="none" stroke="#e8ecee" stroke-width="2.5"/><path d="M20 20L80 120M80 20L20 120" stroke="#e8ecee" stroke-width="3"/>`,

  face: () => null,

  /** As many as have a list in some zone; if none is shown, as few as can play. */
  seats: (state, t) =>
    Math.max(0, ...t.zones().map(({ name, bySeat }) => (bySeat && state[name]?.length) || 0)) ||
    (t.about?.seats?.[0] ?? 0),

  middle(t) {
    return t
      .zones()
      .filter(({ bySeat }) => !bySeat)
      .flatMap(({ name }) =>
        piles(t.state[name]).map((cards) =>
          cards.every((card) => card === null)
            ? t.pile(cards, { label: t.called("zones", name) })
            : group(t, name, cards),
        ),
      );
  },

  seat: (t, i) =>
    t
      .zones()
      .filter(({ bySeat }) => bySeat)
      .flatMap(({ name }) => piles(t.state[name]?.[i]).map((cards) => group(t, name, cards))),

  badge(t, i) {
    const zones = t.zones().map(({ name }) => name);
    const listed = Object.entries(t.state).filter(
      ([name, value]) =>
        !zones.includes(name) && Array.isArray(value) && value.length === t.seats && Number.isInteger(value[i]),
    );
    return listed.map(([name, value]) => h("span", {}, `${t.called("facts", name)} `, h("b", {}, value[i])));
  },

  keys: ({ type, seat, ...rest }, t) => [...new Set(named(rest, t.table.titles))],
  confirm: () => true,
  attempts: () => [],
};
