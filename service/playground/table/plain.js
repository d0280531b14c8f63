// Any game without a drawing of its own: its zones, by seat or for all, with cards as words. The description of the
// game says which members of a state are zones.
import { h } from "./pieces.js";

const isPile = (value) => Array.isArray(value) && value.every((card) => card === null || typeof card !== "object");
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const count = ({ hands, chips, piles, scores }) => (hands ?? chips ?? piles ?? scores ?? []).length;

/** The words of a card's title, a line each. */
function wrapped(title) {
  const words = title.split(/\s+/).flatMap((word) => word.match(/.{1,9}/gu) ?? []).slice(0, 4);
  return words.map((word, at) => `<text x="50" y="${78 + (at - (words.length - 1) / 2) * 24}" font-size="${words.length === 1 && word.length < 4 ? 44 : 19}">${escaped(word)}</text>`).join("");
}

/** Cards that a move names, wherever it does. */
function named(value, known) {
  if (Array.isArray(value)) return value.flatMap((each) => named(each, known));
  if (value !== null && typeof value === "object") return Object.values(value).flatMap((each) => named(each, known));
  return known.has(String(value)) && typeof value !== "boolean" ? [String(value)] : [];
}

export default {
  back: `<rect width="100" height="140" fill="#44505a"/><rect x="7" y="7" width="86" height="126" rx="6" fill="none" stroke="#e8ecee" stroke-width="2.5"/><path d="M20 20L80 120M80 20L20 120" stroke="#e8ecee" stroke-width="3"/>`,

  face: (card, t) => `<rect width="100" height="140" fill="#fdfcf8"/><rect x="7" y="7" width="86" height="126" rx="6" fill="none" stroke="#77827f" stroke-width="1.5"/>
    <g fill="#20282b" text-anchor="middle" font-weight="650" font-family="system-ui, 'DejaVu Sans', sans-serif">${wrapped(t.title(card))}</g>`,

  seats: count,

  middle(t) {
    const zones = t.zones().filter((zone) => isPile(t.state[zone]) && !(t.state[zone].length === count(t.state) && Array.isArray(t.state[zone][0])));
    return zones.map((zone) => {
      const cards = t.state[zone];
      return cards.every((card) => card === null) ? t.pile(cards, { label: t.called("zones", zone) }) : t.group(`${t.called("zones", zone)} ${cards.length}`, cards);
    });
  },

  seat(t, i) {
    return t.zones().flatMap((zone) => {
      const own = t.state[zone]?.length === count(t.state) ? t.state[zone][i] : undefined;
      const piles = isPile(own) ? [own] : Array.isArray(own) ? own.filter(isPile) : [];
      return piles.map((cards) => t.group(`${t.called("zones", zone)} ${cards.length}`, cards));
    });
  },

  badge(t, i) {
    const listed = Object.entries(t.state).filter(([name, value]) => !t.zones().includes(name) && Array.isArray(value) && value.length === count(t.state) && Number.isInteger(value[i]));
    return listed.map(([name, value]) => h("span", {}, `${t.called("facts", name)} `, h("b", {}, value[i])));
  },

  keys: ({ type, seat, ...rest }, t) => [...new Set(named(rest, t.table.titles))],
  confirm: () => true,
  attempts: () => [],
  label: ({ type, seat, ...rest }, facts, t) => [t.called("moves", type), ...named(rest, t.table.titles).map((card) => t.title(card)),
    ...Object.entries(rest).filter(([, value]) => Number.isInteger(value) && !t.table.titles.has(String(value))).map(([, value]) => value)].join(" · "),
};
