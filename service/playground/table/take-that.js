// Take That: numbers in a row. A card shows its number and, turned round, its twisted partner; a double is a toad.
import { h, lettering, sorted, svg } from "./pieces.js";

const twisted = (number) => (number % 10) * 10 + Math.floor(number / 10);
const INKS = ["", "#9a4327", "#8a5a0c", "#6b6a12", "#33722f", "#156c66", "#23609a", "#4650a6", "#77429a", "#a03768"];
const FONT = svg`text-anchor="middle" font-weight="750" font-family="system-ui, 'DejaVu Sans', sans-serif"`;
const TOAD = svg`<g fill="#4f8034"><ellipse cx="50" cy="101" rx="34" ry="25"/><circle cx="31" cy="77" r="13"/><circle cx="69" cy="77" r="13"/><path d="M18 104Q6 120 14 130H34L26 112ZM82 104Q94 120 86 130H66L74 112Z"/></g>
  <g fill="#fffef2"><circle cx="31" cy="75" r="8.5"/><circle cx="69" cy="75" r="8.5"/></g><g fill="#17240f"><ellipse cx="31" cy="76" rx="5" ry="2.6"/><ellipse cx="69" cy="76" rx="5" ry="2.6"/></g>
  <path d="M27 103Q50 121 73 103" fill="none" stroke="#17240f" stroke-width="3.5" stroke-linecap="round"/><path d="M45 94h.1M55 94h.1" stroke="#17240f" stroke-width="3.5" stroke-linecap="round"/>`;

export default {
  back: svg`<rect width="100" height="140" fill="#1f5145"/><rect x="7" y="7" width="86" height="126" rx="6" fill="none" stroke="#e9ecd9" stroke-width="2.5"/>
    <g fill="none" stroke="#e9ecd9" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"><path d="M28 62A23 23 0 0 1 70 58M72 78A23 23 0 0 1 30 82"/><path d="M71 43V59H55M29 97V81H45"/></g>`,

  face(number) {
    if (!Number.isInteger(number) || number < 10 || number > 99) return null;
    const [ten, one] = [Math.floor(number / 10), number % 10];
    const ink = ten === one ? "#2f5219" : INKS[ten];
    const ground = ten === one ? "#e4efd4" : "#fffdf6";
    const band =
      ten === one
        ? TOAD
        : svg`<path d="M0 140V104L100 60V140Z" fill="${ink}" opacity=".13"/><path d="M0 104L100 60" stroke="${ink}" stroke-width="2" opacity=".55"/>
      <g transform="rotate(180 71 113)" opacity=".8">${lettering(twisted(number), 71, 126, 35)}</g>`;
    return svg`<rect width="100" height="140" fill="${ground}"/><rect width="9" height="140" fill="${ink}"/><g fill="${ink}" ${FONT}>${lettering(number, 36, 47, 45)}${band}</g>`;
  },

  seats: ({ hands }) => hands.length,

  middle(t) {
    const { row, pile, phase } = t.state;
    const last = row.at(-1);
    const twist = t.lastEvent("twisted");
    return [
      pile ? t.pile(pile, { label: t.called("zones", "pile"), small: true }) : null,
      t.row(
        [
          ...row.map((card) => t.card(card)),
          phase === "play" ? t.empty(t.say("next"), last === undefined ? "·" : "→") : null,
        ].filter(Boolean),
        { label: `${t.called("zones", "row")}: ${row.map((card) => t.title(card)).join(", ") || t.say("empty")}` },
      ),
      twist ? h("p", { class: "outcome" }, h("b", {}, `${twist.shown} ⇄ ${twist.removed}`)) : null,
    ];
  },

  seat(t, i) {
    const { hands, face_up: up = [], face_down: down = [] } = t.state;
    const [won, taken] = [up[i] ?? [], down[i] ?? []];
    const pairs = [];
    for (let at = 0; at < won.length; at += 2)
      pairs.push(
        t.fan(
          won.slice(at, at + 2).map((card) => t.card(card, { key: null })),
          { label: t.say("pair"), small: true },
        ),
      );
    const open = taken.length && taken.every((card) => card !== null) && t.state.phase !== "play";
    const line = t.lastEvent("round-over")?.lines.find(({ seat }) => seat === i);
    return [
      t.hand(i, sorted(hands[i], Number), { label: t.say("hand", { name: t.name(i) }) }),
      pairs.length || taken.length
        ? h(
            "div",
            { class: "aside" },
            pairs.length
              ? h(
                  "figure",
                  { class: "group" },
                  h("div", { class: "row tight" }, pairs),
                  h("figcaption", {}, t.called("zones", "face_up"), " ", h("b", { class: "gain" }, `+${won.length}`)),
                )
              : null,
            open
              ? t.group(
                  [
                    `${t.called("zones", "face_down")} ${taken.length}`,
                    line ? h("b", { class: "loss" }, ` −${line.face_up - line.points}`) : null,
                  ],
                  sorted(taken, Number).map((card) => t.card(card, { key: null })),
                  { small: true, spread: true, says: t.called("zones", "face_down") },
                )
              : taken.length
                ? t.pile(taken, { label: t.called("zones", "face_down"), small: true })
                : null,
          )
        : null,
    ];
  },

  badge(t, i) {
    const scores = t.state.scores?.[i];
    const sum = scores?.reduce((one, other) => one + other, 0);
    return [
      scores ? h("span", {}, h("b", {}, String(sum).replace("-", "−")), ` ${t.say("points", { count: sum })}`) : null,
    ];
  },

  keys: ({ type, card }) =>
    type === "lay" ? [String(card)] : type === "twist" ? [String(card), String(twisted(card))] : [],
  confirm: ({ type }) => type === "take" || type === "deal",
  drags: ({ type }) => type === "twist",

  /** A card of a hand is tried as a lay; with a card of the row, as a twist. */
  attempts(picked, t) {
    const cards = picked.map(Number);
    const held = cards.find((card) => t.state.hands.some((hand) => hand.includes(card)));
    if (held === undefined) return [];
    const seat = t.state.hands.findIndex((hand) => hand.includes(held));
    if (cards.length === 2) return [{ type: "twist", seat, card: held }];
    return [{ type: "lay", seat, card: held }];
  },

  gathers: (picked, t) =>
    picked.length === 2 && picked.filter((card) => t.state.row.includes(Number(card))).length === 1,
};
