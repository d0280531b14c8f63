// Twin it!: a design is a motif in a colour, 17 times 7. Each colour has its own number of motifs and its own ground, so
// that designs tell apart in grey; motifs tell apart by their outlines.
import { h, svg, without } from "./pieces.js";

// In a box of 32 x 32. Filled with the ink; what has `k` is cut out, `l` is a line of ink, `c` a line cut out.
const MOTIFS = {
  anchor: ({ l }) =>
    svg`<circle ${l} cx="16" cy="6" r="3.5"/><path ${l} d="M16 10V29M10 14H22M4 20Q5 28 16 29Q27 28 28 20M1 22L4 19L8 22M31 22L28 19L24 22"/>`,
  bell: ({ c }) =>
    svg`<path d="M16 2A3 3 0 0 1 18 6C24 7 25 13 25 18L29 25H3L7 18C7 13 8 7 14 6A3 3 0 0 1 16 2Z"/><circle cx="16" cy="28" r="3"/><path ${c} d="M6 21H26"/>`,
  cat: ({ k }) =>
    svg`<path d="M5 2L12 9H20L27 2L28 18Q27 30 16 30Q5 30 4 18Z"/><path ${k} d="M8 15L14 17Q12 20 9 19ZM24 15L18 17Q20 20 23 19ZM14 22H18L16 25Z"/>`,
  drum: ({ l, c }) =>
    svg`<path d="M3 11V24Q4 30 16 30Q28 30 29 24V11Q28 16 16 16Q4 16 3 11Z"/><ellipse ${l} cx="16" cy="10" rx="12.5" ry="4"/><path ${l} d="M13 9L3 2M19 9L29 2"/><path ${c} d="M7 18L11 28M16 18V29M25 18L21 28"/>`,
  egg: ({ c }) =>
    svg`<path d="M16 1C23 1 28 12 28 19A12 12 0 0 1 4 19C4 12 9 1 16 1Z"/><path ${c} d="M6 13L11 17L16 13L21 17L26 13M5 22Q10 18 16 22T27 22"/>`,
  fish: ({ k, c }) =>
    svg`<path d="M1 16Q9 4 22 14L31 6Q28 16 31 26L22 18Q9 28 1 16Z"/><circle ${k} cx="8" cy="15" r="2"/><path ${c} d="M13 10Q17 16 13 22"/>`,
  ghost: ({ k }) =>
    svg`<path d="M4 30V15A12 12 0 0 1 28 15V30L24 26L20 30L16 26L12 30L8 26Z"/><circle ${k} cx="11.5" cy="14" r="3"/><circle ${k} cx="20.5" cy="14" r="3"/><ellipse ${k} cx="16" cy="21" rx="2" ry="2.6"/>`,
  hat: ({ c }) => svg`<path d="M8 3H24L23 20H31V26Q16 30 1 26V20H9Z"/><path ${c} d="M9 17H23"/>`,
  igloo: ({ k, c }) =>
    svg`<path d="M1 28A15 16 0 0 1 31 28Z"/><path ${k} d="M11 28V23A5 5 0 0 1 21 23V28Z"/><path ${c} d="M5 20H11M21 20H27M9 14H23M16 14V8M11 20V14M21 20V14"/>`,
  jug: ({ l, c }) =>
    svg`<path d="M6 2H19L17 9Q23 14 22 22Q21 30 13 30Q5 30 4 22Q3 14 9 9Z"/><path ${l} d="M19 11Q30 8 29 17Q28 24 21 24"/><path ${c} d="M5 17H21M5 22H21"/>`,
  kite: ({ l, c }) =>
    svg`<path d="M17 1L27 11L15 25L6 11Z"/><path ${c} d="M17 1L15 25M6 11H27"/><path ${l} d="M15 25Q10 26 12 29T5 31"/>`,
  leaf: ({ c }) => svg`<path d="M3 29Q2 6 29 3Q30 27 9 25Z"/><path ${c} d="M7 26L24 8M12 21V13M16 17H23"/>`,
  moon: () =>
    svg`<path d="M21 2A14.5 14.5 0 1 0 30 22A12 12 0 0 1 21 2Z"/><path d="M24 6L25.5 9.500L29 11L25.5 12.500L24 16L22.5 12.500L19 11L22.5 9.500Z"/>`,
  nut: ({ l }) =>
    svg`<path d="M3 13Q4 5 16 5Q28 5 29 13Q16 17 3 13Z"/><path d="M6 17Q16 20 26 17Q25 27 16 31Q7 27 6 17Z"/><path ${l} d="M16 5L18 1"/>`,
  owl: ({ k }) =>
    svg`<path d="M4 2Q10 6 16 6Q22 6 28 2V20Q27 31 16 31Q5 31 4 20Z"/><circle ${k} cx="10.5" cy="14" r="4.8"/><circle ${k} cx="21.5" cy="14" r="4.8"/><circle cx="10.5" cy="14" r="2"/><circle cx="21.5" cy="14" r="2"/><path ${k} d="M16 17L19 21L16 25L13 21Z"/>`,
  pear: ({ l, c }) =>
    svg`<path d="M17 7Q22 8 21 14Q28 17 28 23Q27 31 16 31Q5 31 4 23Q4 17 11 14Q10 8 15 7Z"/><path ${l} d="M16 7Q15 4 17 1"/><path d="M18 5Q22 0 28 3Q24 8 18 5Z"/><path ${c} d="M9 22Q9 26 13 28"/>`,
  star: () => svg`<path d="M16 1L20 11L31 12L22.5 19L25.5 30L16 24L6.5 30L9.5 19L1 12L12 11Z"/>`,
};
const lines = (d, width) =>
  svg`<path d="${d}" fill="none" stroke="currentColor" stroke-width="${width}" opacity=".4"/>`;
const COLOURS = {
  // paper, ink, where motifs lie and how large, what is on the ground
  red: [
    "#a82433",
    "#fff3e4",
    [[50, 70, 76]],
    svg`<rect x="7" y="7" width="86" height="126" rx="8" fill="none" stroke="currentColor" stroke-width="3"/>`,
  ],
  orange: [
    "#ffeeda",
    "#b44a08",
    [
      [34, 40, 50],
      [66, 100, 50],
    ],
    lines("M-10 90L90-10M10 150L110 50", 5),
  ],
  yellow: [
    "#f0be2d",
    "#332705",
    [
      [50, 26, 36],
      [50, 70, 36],
      [50, 114, 36],
    ],
    svg`<path d="M9 0V140M91 0V140" stroke="currentColor" stroke-width="6"/>`,
  ],
  green: [
    "#e2f1e0",
    "#14663a",
    [
      [28, 38, 40],
      [72, 38, 40],
      [28, 102, 40],
      [72, 102, 40],
    ],
    svg`<path d="M50 8V132M8 70H92" stroke="currentColor" stroke-width="3"/>`,
  ],
  blue: [
    "#1a4488",
    "#e8f2ff",
    [
      [24, 26, 33],
      [76, 26, 33],
      [50, 70, 40],
      [24, 114, 33],
      [76, 114, 33],
    ],
    lines("M0 48L50 92L100 48M0 92L50 48L100 92", 2.5),
  ],
  purple: [
    "#eee4f8",
    "#5d2f98",
    [26, 70, 114].flatMap((y) => [
      [28, y, 31],
      [72, y, 31],
    ]),
    svg`<path d="M0 48H100M0 92H100" stroke="currentColor" stroke-width="5"/>`,
  ],
  pink: [
    "#e79cc1",
    "#521030",
    [
      [26, 22, 27],
      [74, 22, 27],
      [50, 46, 27],
      [26, 70, 27],
      [74, 70, 27],
      [50, 94, 27],
      [26, 118, 27],
      [74, 118, 27],
    ],
    "",
  ],
};
const HUES = Object.keys(COLOURS);
const SHAPES = Object.keys(MOTIFS);
const ranks = new WeakMap();

/** Colour and motif of a design: by its name where that tells, else by its place among all of its deck. */
function look(name, designs) {
  const [hue, shape] = name.split("-");
  if (HUES.includes(hue) && SHAPES.includes(shape)) return [hue, shape, 0];
  if (!ranks.has(designs))
    ranks.set(designs, new Map([...new Set(designs.flat())].sort().map((each, at) => [each, at])));
  const at = ranks.get(designs).get(name);
  return [
    HUES[at % HUES.length],
    SHAPES[Math.floor(at / HUES.length) % SHAPES.length],
    Math.floor(at / HUES.length / SHAPES.length),
  ];
}

export function design(card, designs) {
  return designs?.[parseInt(card, 10)]?.[String(card).endsWith("A") ? 0 : 1] ?? null;
}

const counted = ({ counts = [] }) => counts.length > 0; // groups are counted at the end, no sets are claimed
const side = ({ teams }, seat) => (teams ? teams[seat] : seat);

export default {
  back: svg`<rect width="100" height="140" fill="#3b3846"/><rect x="7" y="7" width="86" height="126" rx="6" fill="none" stroke="#f3d58a" stroke-width="2.5"/>
    <g fill="none" stroke="#f3d58a" stroke-width="4"><rect x="26" y="38" width="34" height="46" rx="5"/><rect x="40" y="56" width="34" height="46" rx="5" fill="#3b3846"/></g>`,

  face(card, t) {
    const name = design(card, t.designs());
    if (typeof name !== "string") return null;
    const [hue, shape, more] = look(name, t.designs());
    const [paper, ink, places, ground] = COLOURS[hue];
    const motif = MOTIFS[shape]({
      k: svg`fill="${paper}"`,
      l: svg`fill="none" stroke="${ink}" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"`,
      c: svg`fill="none" stroke="${paper}" stroke-width="2" stroke-linejoin="round"`,
    });
    const drawn = places.map(
      ([x, y, size]) => svg`<g transform="translate(${x - size / 2} ${y - size / 2})scale(${size / 32})">${motif}</g>`,
    );
    const dots = Array.from({ length: more }, (_, at) => svg`<circle cx="${10 + at * 8}" cy="132" r="3"/>`);
    return svg`<rect width="100" height="140" fill="${paper}"/><g color="${ink}">${ground}</g><g fill="${ink}">${drawn}${dots}</g>`;
  },

  number: (card) => card,

  seats: ({ piles }) => piles.length,
  /** A set can be claimed by everybody; the state says who flips next. */
  acting: ({ turn }) => (Number.isInteger(turn) ? [turn] : []),

  middle(t) {
    return [t.table.gathering ? t.window() : null, this.lies(t), t.table.gathering ? this.settled(t) : null]; // the cards stay where they lie
  },

  /** What came of the last hands, with the reasons. */
  settled(t) {
    const events = t.table.incident
      ? []
      : t.events.filter(({ code, text }) => text && !["flipped", "dealt"].includes(code));
    return events.length
      ? h(
          "ul",
          { class: "settled" },
          events.slice(0, 6).map((event) => h("li", {}, t.sentence(event))),
        )
      : null;
  },

  lies(t) {
    const cards = t.state.table;
    if (!cards.length) return h("p", { class: "note" }, t.say("table-empty"));
    const grouped = t.table.counted ?? t.draft.groups ?? [];
    const made = grouped.flat();
    const groups = grouped.map((group) => t.group(t.say(group.length > 2 ? "treble" : "pair"), group, { small: true }));
    return [
      groups.length ? h("div", { class: "row" }, groups) : null,
      t.row(
        without(cards, made).map((card) => this.lay(t, card)),
        {
          label: `${t.called("zones", "table")}: ${t.say("cards", { count: cards.length })}`,
          tight: cards.length > 24,
        },
      ),
    ];
  },

  lay: (t, card) =>
    t.card(
      card,
      t.table.hasAttribute("hint") && t.entries.some(({ move, keys }) => move?.type === "claim" && keys.includes(card))
        ? { tag: "!", note: t.say("makes-a-set") }
        : {},
    ),

  seat(t, i) {
    const { piles, sets = [], forbidden = [], teams, counts = [] } = t.state;
    const leads = !teams || teams.indexOf(teams[i]) === i;
    const won = leads ? (sets[side(t.state, i)] ?? []) : [];
    const beside = leads ? (forbidden[side(t.state, i)] ?? []) : [];
    const mine = counts.length === piles.length ? counts[i] : null; // a count of all together belongs to no seat
    return [
      counted(t.state) && !piles[i].length ? null : t.pile(piles[i], { label: t.say("pile"), up: true }),
      beside.length
        ? t.group(
            t.called("zones", "forbidden"),
            beside.map((card) => t.card(card, { tag: "⊘", note: t.called("zones", "forbidden") })),
            { small: true, wide: true },
          )
        : null,
      won.length
        ? h(
            "figure",
            { class: "group" },
            h(
              "div",
              { class: "row" },
              won.map((set) => t.fan(set, { label: t.say(set.length > 2 ? "treble" : "pair"), small: true })),
            ),
            h("figcaption", {}, t.called("zones", "sets")),
          )
        : null,
      mine ? h("p", { class: "note" }, t.say("counted", { count: mine.length })) : null,
    ];
  },

  badge(t, i) {
    const { sets = [], teams } = t.state;
    const won = sets[side(t.state, i)]?.length;
    const goal = t.option("sets_to_win");
    return [
      h("span", { class: "side" }, t.table.gathering ? t.token(i) : null, teams ? t.partners(i) : null),
      won === undefined || counted(t.state)
        ? null
        : h("span", {}, h("b", {}, won), goal ? ` / ${goal}` : "", ` ${t.called("zones", "sets")}`),
    ];
  },

  keys: ({ type, hands, seat }, t) =>
    type === "claim"
      ? hands.map(({ card }) => card)
      : type === "flip" && !t.table.gathering
        ? [t.state.piles[seat]?.[0]].filter(Boolean)
        : [],

  /** Where hands are gathered, a touch of a visible card is a hand on it. A card is then flipped by its button. */
  part(card, t) {
    const { piles, table, phase } = t.state;
    if (!t.table.gathering || phase !== "play" || counted(t.state) || !t.alone()) return null;
    return table.includes(card) || piles.some(([top]) => top === card)
      ? { type: "claim", hands: [{ seat: t.table.plays, card }] }
      : null;
  },

  /** The referee's own count would end the search. */
  hides: ({ type }) => type === "count",
  phase: (t) =>
    t.state.phase !== "play"
      ? null
      : t.say(!counted(t.state) ? "touch-pairs" : t.table.counted ? "handed-in" : "find-groups"),
  confirm: ({ type }) => type !== "flip",

  /** Seeing a pair is the game: what can be claimed is not marked. */
  marked: ({ type }) => type !== "claim",

  gathers: (picked, t) => picked.length < (counted(t.state) ? 4 : 3),

  tools(t) {
    if (!counted(t.state) || t.state.phase !== "play" || t.table.counted) return [];
    return [
      t.picked.length > 1
        ? { label: t.say("as-group"), run: () => ({ ...t.draft, groups: [...(t.draft.groups ?? []), t.picked] }) }
        : null,
      t.draft.groups ? { label: t.say("start-over"), run: () => ({}) } : null,
    ].filter(Boolean);
  },

  /** Any two cards in sight can be claimed, by any seat that plays here; a wrong claim is a mistake, and the referee says so. */
  attempts(picked, t) {
    const { piles, phase, sets = [], teams } = t.state;
    if (counted(t.state)) {
      const alone = t.alone()
        ? [t.state.ruleset?.name === "timed" ? { type: "count", seat: t.table.plays } : { type: "count" }]
        : [];
      const counts = t.alone() ? alone : t.entries.flatMap(({ move }) => (move?.type === "count" ? [move] : []));
      const may = t.table.counting && !t.table.counted;
      return may && t.draft.groups && !picked.length
        ? counts.map((count) => ({ ...count, groups: t.draft.groups }))
        : [];
    }
    if (phase !== "play" && picked.length)
      return [
        {
          type: "flip",
          seat: Math.max(
            0,
            piles.findIndex(([top]) => top === picked[0]),
          ),
        },
      ];
    const owner = piles.findIndex(([top]) => top === picked[0]);
    if (picked.length === 1 && owner >= 0 && t.mine(owner)) return [{ type: "flip", seat: owner }];
    if (picked.length !== (teams && t.alone() ? 1 : 2)) return []; // TI-8.1: in a team each lays one hand, and none a partner's
    const seats = piles.map((_, seat) => seat).filter((seat) => t.mine(seat));
    const partner = (seat) =>
      piles.findIndex((_, other) => other !== seat && side(t.state, other) === side(t.state, seat));
    return seats
      .map((seat) => ({
        type: "claim",
        hands: picked.map((card, at) => ({ seat: at && teams ? partner(seat) : seat, card })),
      }))
      .flatMap((claim) => this.losses(claim, t, sets));
  },

  /** Where a mistake costs a set that can be chosen, one claim for each. */
  losses(claim, t, sets) {
    const [one, other = one] = claim.hands.map(({ card }) => design(card, t.designs()));
    const { seat } = claim.hands[0];
    const own = sets[side(t.state, seat)] ?? [];
    const pays = own.flatMap((set, at) => (set.length === 2 || t.option("mistake_loses") === "any-set" ? [at] : []));
    return one === other || pays.length < 2 ? [claim] : pays.map((set) => ({ ...claim, lose: [{ seat, set }] }));
  },
};
