// Twins: six colours, 1 to 10. Each colour has a sign of its own, so that cards tell apart without colours; the numeral
// is white on a dark disc or black on a light one, for the rules ask which.
import { h, lettering, sorted, svg } from "./pieces.js";

const COLOURS = {
  // ground, sign in a box of 20 x 20 round the origin
  brown: ["#8a5936", "M-8-3Q-8-9 0-9T8-3ZM-6.5 0H6.500Q6 7 0 10Q-6 7-6.5 0ZM-1-9V-12H2V-9Z"],
  green: ["#2c7d50", "M-8 8C-11-3-2-10 9-9C10 2 3 11-6 7L3-3L-8 8Z"],
  pink: [
    "#c95f8d",
    "M0-2A4.5 4.5 0 1 1 4-1A4.5 4.5 0 1 1 2.5 4A4.5 4.5 0 1 1-2.5 4A4.5 4.5 0 1 1-4-1A4.5 4.5 0 1 1 0-2Z",
  ],
  blue: ["#2a5fa8", "M0-11C3-5 8-1 8 4A8 7 0 0 1-8 4C-8-1-3-5 0-11Z"],
  yellow: [
    "#cf9a15",
    "M0-11L2.5-5.500L8-8L5.5-2.500L11 0L5.5 2.500L8 8L2.5 5.500L0 11L-2.5 5.500L-8 8L-5.5 2.500L-11 0L-5.5-2.500L-8-8L-2.5-5.500Z",
  ],
  purple: ["#6a469f", "M3-10A10.2 10.2 0 1 0 10 4A8.5 8.5 0 0 1 3-10Z"],
};
const NAMES = Object.keys(COLOURS);
const place = (card) => NAMES.indexOf(card.split("-")[0]) * 10 + Number(card.split("-")[1]);

export default {
  back: svg`<rect width="100" height="140" fill="#3a322d"/><rect x="7" y="7" width="86" height="126" rx="6" fill="none" stroke="#ead9bd" stroke-width="2.5"/>
    <g fill="none" stroke="#ead9bd" stroke-width="4"><circle cx="41" cy="70" r="17"/><circle cx="59" cy="70" r="17"/></g>
    <g fill="#ead9bd" opacity=".55">${[
      [24, 28],
      [76, 28],
      [24, 112],
      [76, 112],
    ].map(([x, y]) => svg`<circle cx="${x}" cy="${y}" r="4"/>`)}</g>`,

  face(card, t) {
    const [colour, value] = card.split("-");
    if (!(place(card) >= 0)) return null;
    const [ground, sign] = COLOURS[colour];
    const white = t.option("white_numerals")?.includes(colour);
    const [disc, ink] = white ? ["#1c1a18", "#ffffff"] : ["#fffaf0", "#171412"];
    const mark = (x, y, size) =>
      svg`<path fill="#fffaf0" transform="translate(${x} ${y})scale(${size / 20})" d="${sign}"/>`;
    return svg`<rect width="100" height="140" fill="${ground}"/><rect x="5" y="5" width="38" height="40" rx="8" fill="${disc}"/>
      ${mark(24, 62, 25)}${mark(78, 24, 21)}${mark(18, 122, 17)}${mark(82, 122, 17)}
      <circle cx="56" cy="84" r="32" fill="${disc}"/>
      <g fill="${ink}" text-anchor="middle" font-weight="700" font-family="system-ui, 'DejaVu Sans', sans-serif">${lettering(value, 24, 37, 33)}${lettering(value, 56, 102, value === "10" ? 44 : 50)}</g>`;
  },

  seats: ({ chips, plays }, t) => (chips ?? plays ?? t.table.names).length,

  middle(t) {
    const { pot, stock, discards, trick, phase } = t.state;
    const steps = [1, 2, 3, 4].map((number) =>
      h(
        "li",
        { "aria-current": phase === "trick" && trick === number ? "step" : null },
        number,
        " ",
        t.say(number % 2 ? "pay" : "win"),
      ),
    );
    return [
      h("figure", { class: "pile pot" }, t.chips(pot, t.say("pot")), h("figcaption", {}, t.say("pot"))),
      stock ? t.pile(stock, { label: t.called("zones", "stock"), small: true }) : null,
      discards?.length ? t.pile(discards, { label: t.called("zones", "discards"), small: true }) : null,
      h("ol", { class: "stages", "aria-label": t.called("phases", "trick") }, steps),
    ];
  },

  seat(t, i) {
    const { hands, plays = [], phase, out = [], bankrupt = [], last_trick: last } = t.state;
    const hand = hands?.[i] ? t.hand(i, sorted(hands[i], place), { label: t.say("hand", { name: t.name(i) }) }) : null;
    const absent = bankrupt.includes(i) ? "bankrupt" : phase === "trick" && out.includes(i) ? "sits-out" : null;
    if (plays[i]) return [hand, t.group(t.say("placed"), plays[i], { small: true })];
    const shown = last?.plays[i];
    const settled = shown && !plays.some(Boolean);
    if (settled) {
      const kind = t.lastEvent("revealed")?.plays.find(({ seat }) => seat === i);
      const gain = last.won[i] - last.paid[i];
      const caption = [
        kind ? `${t.called("terms", kind.combination)} ${kind.strength}` : t.say("trick", { trick: last.trick }),
        gain ? h("b", { class: gain > 0 ? "gain" : "loss" }, ` ${gain > 0 ? "+" : "−"}${Math.abs(gain)}`) : null,
      ];
      const group = t.group(
        t.say("placed"),
        shown.map((card) => t.card(card, { key: null })),
        { small: true },
      );
      group.lastChild.replaceChildren(...caption.filter(Boolean));
      return [hand, group];
    }
    if (absent) return [hand, h("p", { class: "note" }, t.say(absent))];
    return [
      hand,
      phase === "trick"
        ? t.group(t.say("not-placed"), [t.empty(t.say("not-placed")), t.empty("")], { small: true })
        : null,
    ];
  },

  badge: (t, i) => [
    t.state.phase === "buying" && Number.isInteger(t.state.bought?.[i])
      ? h("span", {}, t.say("bought", { count: t.state.bought[i] }))
      : null,
    t.state.chips ? t.chips(t.state.chips[i], t.name(i)) : null,
  ],

  keys: ({ type, cards }) => (type === "play" ? cards : []),
  confirm: () => true,

  attempts(picked, t) {
    if (picked.length !== 2 && !(picked.length === 1 && t.state.phase !== "trick")) return [];
    const seat = t.state.hands.findIndex((hand) => hand.includes(picked[0]));
    if (picked.length === 2) return [{ type: "play", seat, cards: picked }];
    const other = t.state.hands[seat].find((card) => card !== picked[0]);
    return other ? [{ type: "play", seat, cards: [picked[0], other] }] : [];
  },

  /** Two cards of any one hand can be tried. */
  gathers: (picked, t) =>
    picked.length < 3 && (t.state.hands ?? []).some((hand) => picked.every((card) => hand.includes(card))),
};
