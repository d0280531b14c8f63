// Gin rummy: French cards. Hands are sorted by suit; once somebody has knocked, melds lie in groups and deadwood apart.
import { h, lettering, sorted, svg, without } from "./pieces.js";

const RANKS = "A23456789TJQK";
const SUITS = "SHDC";
const PIPS = {
  // in a box of 20 x 20 round the origin
  S: "M0-9.500C2-5.5 9-2 9 3C9 6.5 6.5 8 4.2 8C2.7 8 1.5 7.3 .8 6.300C1 8 1.6 9 3 10H-3C-1.6 9-1 8-.8 6.300C-1.5 7.3-2.7 8-4.2 8C-6.5 8-9 6.5-9 3C-9-2-2-5.5 0-9.500Z",
  H: "M0 9.500C-4 5.5-9 1.5-9-3C-9-6.2-6.8-8.5-4.3-8.500C-2.3-8.5-.8-7.3 0-5.300C.8-7.3 2.3-8.5 4.3-8.500C6.8-8.5 9-6.2 9-3C9 1.5 4 5.5 0 9.500Z",
  D: "M0-10C2-6 4.5-3 7.5 0C4.5 3 2 6 0 10C-2 6-4.5 3-7.5 0C-4.5-3-2-6 0-10Z",
  C: "M0-9.500A4.4 4.4 0 0 1 3.3-2.200A4.4 4.4 0 1 1 .9 5.200C1 7.5 1.6 9 3 10H-3C-1.6 9-1 7.5-.9 5.200A4.4 4.4 0 1 1-3.3-2.200A4.4 4.4 0 0 1 0-9.500Z",
};
const [LEFT, MID, RIGHT] = [44, 62, 80];
const ROWS = [24, 54.7, 85.3, 116];
const PLACES = {
  // where the pips of a card lie
  2: [
    [MID, 24],
    [MID, 116],
  ],
  3: [
    [MID, 24],
    [MID, 70],
    [MID, 116],
  ],
  4: [
    [LEFT, 24],
    [RIGHT, 24],
    [LEFT, 116],
    [RIGHT, 116],
  ],
  5: [
    [LEFT, 24],
    [RIGHT, 24],
    [MID, 70],
    [LEFT, 116],
    [RIGHT, 116],
  ],
  6: [
    [LEFT, 24],
    [RIGHT, 24],
    [LEFT, 70],
    [RIGHT, 70],
    [LEFT, 116],
    [RIGHT, 116],
  ],
  7: [
    [LEFT, 24],
    [RIGHT, 24],
    [MID, 47],
    [LEFT, 70],
    [RIGHT, 70],
    [LEFT, 116],
    [RIGHT, 116],
  ],
  8: [
    [LEFT, 24],
    [RIGHT, 24],
    [MID, 47],
    [LEFT, 70],
    [RIGHT, 70],
    [MID, 93],
    [LEFT, 116],
    [RIGHT, 116],
  ],
  9: [
    ...ROWS.flatMap((y) => [
      [LEFT, y],
      [RIGHT, y],
    ]),
    [MID, 70],
  ],
  T: [
    ...ROWS.flatMap((y) => [
      [LEFT, y],
      [RIGHT, y],
    ]),
    [MID, 39.3],
    [MID, 100.7],
  ],
};
const HEADS = {
  // half a court card, its waist at the origin: a squire with a cap, a lady with a coronet, a king with a crown
  J: "M-19 0L-15-22Q-8-28-7-31A10 10 0 0 1-9-42L10-46L9-38A10 10 0 0 1 7-31Q9-28 15-22L19 0ZM-12-43Q-10-54 4-53L16-60Q16-48 11-44Z",
  Q: "M-20 0L-13-22Q-9-27-7-30Q-13-34-12-42H12Q13-34 7-30Q9-27 13-22L20 0ZM-13-44L-15-56L-8-50L0-59L8-50L15-56L13-44Z",
  K: "M-21 0L-17-21Q-9-27-8-29L-10-43H10L8-29Q9-27 17-21L21 0ZM-13-45L-14-57H-7V-52H-3V-57H-2V-62H2V-57H3V-52H7V-57H14L13-45Z",
};
const rank = (card) => RANKS.indexOf(card[0]);
const place = (card) => SUITS.indexOf(card[1]) * 13 + rank(card);
const pip = (suit, x, y, size, turned) =>
  svg`<path transform="translate(${x} ${y})scale(${(turned ? -size : size) / 20})" d="${PIPS[suit]}"/>`;

function figure([kind, suit]) {
  const half = svg`<path d="${HEADS[kind]}"/><path d="M-9-14H9M-11-7H11" stroke="#fffdf8" stroke-width="2"/>${pip(suit, -14, -41, 0)}`;
  return svg`<rect x="37" y="10" width="50" height="120" rx="4" fill="none" stroke="currentColor" stroke-width="1.5" opacity=".5"/>
    <g transform="translate(62 70)">${half}</g><g transform="translate(62 70)rotate(180)">${half}</g>
    <path d="M40 70H84" stroke="#fffdf8" stroke-width="2.5"/>${pip(suit, 46, 20, 13)}${pip(suit, 78, 120, 13, true)}`;
}

/** How a knock lies: in the state while the lay-off is awaited, afterwards in `last_hand`. */
function shown({ knock, hands, last_hand: last }) {
  if (knock)
    return { knocker: knock.seat, melds: [0, 1].map((seat) => (seat === knock.seat ? knock.melds : null)), guests: [] };
  if (!last?.melds || hands.flat().includes(null)) return null;
  return { knocker: last.knocker, melds: last.melds, guests: last.lay_offs ?? [], last };
}

const known = new WeakMap(); // by table: the discards that the referee listed last, each with what it says of the cards kept
const byMelds = new WeakSet(); // the tables whose hand is laid out by melds

/** The referee's layout of a hand: at the least deadwood while a discard is due, and of what was kept by the last one. */
function layout(t, seat) {
  const discards = t.entries.filter(({ move, facts }) => move?.type === "discard" && move.seat === seat && facts.melds);
  if (discards.length) {
    known.set(t.table, discards);
    return discards.reduce((best, each) => (each.facts.deadwood < best.facts.deadwood ? each : best)).facts;
  }
  const hand = t.state.hands[seat];
  const made = known.get(t.table)?.filter(({ move }) => move.seat === seat && !hand.includes(move.card));
  return made?.length === 1 && made[0].facts.melds.flat().every((card) => hand.includes(card)) ? made[0].facts : null;
}

/** Whether cards can be a meld: of one rank, or in sequence of one suit (GR-2.1). */
function areMeld(cards) {
  const ranks = sorted(cards.map(rank), Number);
  const inSequence =
    ranks.every((each, at) => each === ranks[0] + at) && cards.every((card) => card[1] === cards[0][1]);
  return cards.length > 2 && (inSequence || ranks.every((each) => each === ranks[0]));
}

const turnHand = ({ hands, turn }) => hands[turn] ?? [];
const key = (meld) => `meld ${meld}`;

/** A number and what it counts; nothing where the state does not have it. */
const counted = (t, count, unit) =>
  count === undefined ? null : h("span", {}, h("b", {}, count), ` ${t.say(unit, { count })}`);

export default {
  back: svg`<rect width="100" height="140" fill="#24507a"/><rect x="7" y="7" width="86" height="126" rx="6" fill="none" stroke="#f1e8d2" stroke-width="2.5"/>
    <g fill="none" stroke="#f1e8d2" stroke-width="1.6" opacity=".8">${[0, 1, 2, 3, 4].map((i) => svg`<path d="M${50} ${22 + i * 8}L${86 - i * 8} 70L50 ${118 - i * 8}L${14 + i * 8} 70Z"/>`)}</g>`,

  face(card, t) {
    const [kind, suit] = String(card);
    if (!(place(String(card)) >= 0)) return null;
    const letter = kind === "T" ? "10" : t.title(card)[0]; // of a queen: Q, in German D
    const index = [lettering(letter, 17, 33, kind === "T" ? 27 : 31), pip(suit, 17, 51, 21)];
    const middle =
      kind === "A"
        ? pip(suit, 58, 72, 56)
        : HEADS[kind]
          ? figure(card)
          : PLACES[kind].map(([x, y]) => pip(suit, x, y, 21, y > 70));
    const ink = suit === "H" || suit === "D" ? "#b41f33" : "#1a2229";
    return svg`<rect width="100" height="140" fill="#fffdf8"/><g fill="${ink}" color="${ink}" text-anchor="middle" font-weight="700" font-family="Georgia, 'DejaVu Serif', serif">${index}${middle}</g>`;
  },

  seats: ({ hands }) => hands.length,

  middle(t) {
    const { stock, discards, phase, upcard } = t.state;
    const takes = t.entries.find(({ move }) => move && (move.type === "take-upcard" || move.from === "discards"));
    const limit = phase !== "upcard" && upcard && t.option("oklahoma");
    return [
      stock ? t.pile(stock, { label: t.called("zones", "stock"), key: "stock" }) : null,
      discards
        ? t.pile(discards, {
            label: phase === "upcard" ? t.called("phases", "upcard") : t.called("zones", "discards"),
            key: takes || t.table.playable ? "discards" : null,
            up: true,
          })
        : null,
      limit ? t.pile([upcard], { label: t.called("phases", "upcard"), up: true, small: true, key: null }) : null,
      this.outcome(t),
    ];
  },

  outcome(t) {
    const { last_hand: last } = t.state;
    if (!last || t.state.phase === "lay-off") return null;
    const [one, other] = last.deadwood ?? [];
    const kind = t.called("terms", last.kind);
    return h(
      "div",
      { class: "outcome" },
      last.deadwood ? h("b", {}, `${one} : ${other}`) : null,
      h("span", {}, last.kind ? kind : ""),
      last.seat === null ? null : h("span", {}, `${t.name(last.seat)} +${last.points}`),
    );
  },

  seat(t, i) {
    const hand = t.state.hands[i];
    const label = t.say("hand", { name: t.name(i) });
    const lies = shown(t.state);
    if (lies?.melds[i]) return this.showdown(t, i, lies);
    const melds =
      t.draft.melds && i === t.state.turn ? t.draft.melds : byMelds.has(t.table) ? (layout(t, i)?.melds ?? []) : [];
    const off = i === t.state.turn ? (t.draft.lay_offs ?? []).map(({ card }) => card) : [];
    const rest = sorted(without(hand, [...melds.flat(), ...off]), place);
    return [
      melds.map((meld) => t.group(t.say("meld"), sorted(meld, place), { small: true })),
      off.length ? t.group(t.say("laid-off"), off, { small: true }) : null,
      t.hand(i, rest, { label, arc: true }),
    ];
  },

  showdown(t, i, { knocker, melds, guests, last }) {
    const groups = melds[i].map((meld, at) => {
      const joined =
        i === knocker
          ? [...guests, ...(t.draft.lay_offs ?? [])].filter((guest) => guest.meld === at).map(({ card }) => card)
          : [];
      const kind = t.say(rank(meld[0]) === rank(meld[1]) ? "set" : "run");
      const cards = sorted([...meld, ...joined], (card) => rank(card) * 4 + SUITS.indexOf(card[1])).map((card) =>
        t.card(card, joined.includes(card) ? { note: t.say("laid-off"), tag: "+" } : {}),
      );
      return t.group(joined.length ? `${kind} + ${joined.length}` : kind, cards, {
        key: i === knocker ? key(at) : undefined,
      });
    });
    const gone = i === knocker ? [] : guests.map(({ card }) => card);
    const dead = sorted(without(t.state.hands[i], [...melds[i].flat(), ...gone]), place);
    const deadwood = last ? last.deadwood[i] : t.lastEvent("knocked", i)?.deadwood;
    return [
      groups,
      dead.length
        ? t.group(`${t.called("facts", "deadwood")} ${deadwood ?? ""}`.trim(), dead)
        : h("p", { class: "note" }, t.called("terms", "gin")),
    ];
  },

  badge: (t, i) => [
    layout(t, i) ? h("span", {}, `${t.called("facts", "deadwood")} `, h("b", {}, layout(t, i).deadwood)) : null,
    counted(t, t.state.scores?.[i], "points"),
    counted(t, t.state.hands_won?.[i], "hands-won"),
  ],

  keys: ({ type, from, card, discard }) =>
    type === "take-upcard" ? ["discards"] : from ? [from] : [card ?? discard].filter(Boolean),
  confirm: ({ type }) => type === "discard" || type === "knock",
  offers: ({ type }) => type === "take-upcard",
  drafting: (t) => (t.draft.melds ? t.say("lay-melds", { done: t.say("as-meld") }) : null),

  /** Cards laid off one by one, in the draft of a lay-off. */
  more(t) {
    const { phase, turn, knock } = t.state;
    if (phase !== "lay-off" || !knock) return [];
    const off = (t.draft.lay_offs ?? []).map(({ card }) => card);
    return without(turnHand(t.state).filter(Boolean), off).flatMap((card) =>
      knock.melds.map((_, meld) => ({
        keys: [card, key(meld)],
        run: () => ({ ...t.draft, lay_offs: [...(t.draft.lay_offs ?? []), { card, meld }] }),
        seat: turn,
      })),
    );
  },

  /** In a draft of melds, cards of the hand on turn are gathered. */
  gathers: (picked, t) => Boolean(t.draft.melds) && picked.every((card) => turnHand(t.state).includes(card)),

  tools(t) {
    const own = t.alone() ? t.seat : t.state.turn;
    const sort =
      ["draw", "discard"].includes(t.state.phase) && layout(t, own)?.melds.length
        ? {
            label: t.say(byMelds.has(t.table) ? "by-suits" : "by-melds"),
            run: () => {
              if (!byMelds.delete(t.table)) byMelds.add(t.table);
              return t.draft;
            },
          }
        : null;
    if (!(t.can("discard") || t.can("lay-off")) || turnHand(t.state).includes(null)) return [sort].filter(Boolean);
    const drafted = t.draft.melds || t.draft.lay_offs;
    return [
      drafted || t.picked.length ? null : sort,
      t.draft.melds && areMeld(t.picked)
        ? { label: t.say("as-meld"), run: () => ({ ...t.draft, melds: [...t.draft.melds, t.picked] }) }
        : null,
      t.draft.melds || (t.picked.length && t.state.phase !== "lay-off")
        ? null
        : { label: t.say("own-melds"), run: () => ({ ...t.draft, melds: [] }) },
      drafted ? { label: t.say("start-over"), run: () => ({}) } : null,
    ].filter(Boolean);
  },

  /** A knock that is not legal, with its reason; cards that are no meld. */
  refused([card, ...more], t) {
    if (t.draft.melds && more.length > 1 && !areMeld(t.picked)) return [t.say("no-meld")];
    const { deadwood } = t.entries.find(({ move }) => move?.type === "discard" && move.card === card)?.facts ?? {};
    const may = t.entries.some(({ move }) => move?.type === "knock" && move.discard === card);
    if (!card || more.length || may || deadwood === undefined || t.draft.melds) return [];
    const { upcard } = t.state;
    return [
      t.say("knock-not", {
        deadwood,
        limit: t.option("oklahoma") && upcard ? t.title(upcard) : t.option("knock_limit"),
      }),
    ];
  },

  /** What the picked cards may mean, whether or not it is legal. */
  attempts(picked, t) {
    const { phase, turn: seat } = t.state;
    const { melds, lay_offs } = t.draft;
    if (phase === "lay-off" && (melds?.length || lay_offs) && !picked.length)
      return [{ type: "lay-off", seat, ...(melds?.length ? { melds } : {}), ...(lay_offs ? { lay_offs } : {}) }];
    const whole = phase === "discard" && melds?.flat().length === turnHand(t.state).length;
    if (picked.length !== 1) return whole && !picked.length ? [{ type: "knock", seat, big: true, melds }] : [];
    const [card] = picked;
    if (phase === "lay-off") return []; // it goes onto a meld
    if (card === "discards" && phase === "upcard") return [{ type: "take-upcard", seat }];
    if (card === "stock" || card === "discards") return [{ type: "draw", seat: seat ?? t.seat ?? 0, from: card }];
    const owner = Math.max(
      0,
      t.state.hands.findIndex((hand) => hand.includes(card)),
    );
    const knock = { type: "knock", seat: owner, discard: card, ...(melds?.length ? { melds } : {}) };
    return [
      { type: "discard", seat: owner, card },
      ...(phase === "discard" && owner === seat && melds?.length ? [knock] : []),
    ];
  },
};
