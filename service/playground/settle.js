// Settles an argument: cards are laid on an empty table, a question is chosen, and the referee gives one verdict, with what
// other editions would say. After `#` the address has `q`, all that was laid, compressed; the service never sees it.
import { draw } from "./table/rules-table.js";
import { h } from "./table/h.js";
import { packed, read, unpacked, written } from "./address.js";
import { busy, getJson, newTurn, postJson } from "./asking.js";
import { GAMES } from "./questions.js";
import { keepLanguage, LANGUAGES, lastLanguage, plain, pretty, speak, Vocabulary, word } from "./speech.js";

const $ = (id) => document.getElementById(id);
const NAMES = ["Anna", "Bo", "Cy", "Di", "Eva", "Fay"];
const page = { games: [], about: null, chosen: { names: [], order: [] }, active: 0 };

const game = () => GAMES[$("game").value];
const question = () => game().questions[$("question").value];
const deck = () => game().deck?.(page.about.deck) ?? page.about.cards.map(({ card }) => card);
const seats = () => page.chosen.seats ?? 2;
const name = (seat) => page.chosen.names[seat]?.trim() || NAMES[seat];
const places = () =>
  question()
    .places({ seats: seats() })
    .map((place) => ({ ...place, label: word(`settle-${place.word}`, { name: name(place.seat) }) }));
const laid = () => places().map((_, at) => page.chosen.order.filter(([place]) => place === at).map(([, card]) => card));
const isReady = () =>
  places().every(({ least }, at) => laid()[at].length >= least) &&
  (!places().some(({ on }) => on !== undefined) ||
    page.chosen.order.some(([place]) => places()[place].on !== undefined));

// --- laying -------------------------------------------------------------------

/** The drawing of the empty table of a game: its places, and below them the cards that are left. */
function laying(module) {
  return {
    ...module,
    acting: () => [],
    seats: () => 0,
    phase: ({ state }) => state.says,
    keys: ({ key }) => [key],
    confirm: () => false,
    attempts: () => [],
    tools: null,
    more: null,
    gathers: null,
    refused: null,
    drags: null,
    middle: (t) => [
      ...t.state.places.map(({ label, cards, most, on }, at) =>
        t.group(
          label,
          on === undefined
            ? [
                ...cards.map((card) => lain(t, card)),
                ...(cards.length < most && cards.length < 11 ? [t.empty(label)] : []),
              ]
            : [],
          { key: `place ${at}`, says: label, small: cards.length > 8 },
        ),
      ),
      ...t.state.left.map((cards) => t.fan(cards, { label: word("settle-cards-left") })),
    ],
  };
}

/** A card that lies, with the hands on it. */
function lain(t, card) {
  const hands = t.state.hands.filter(([, on]) => on === card);
  return hands.length
    ? t.card(card, {
        tag: hands.map(([at, , who]) => `${at} ${who}`).join(" · "),
        note: hands.map(([at, , who]) => `${at}: ${who}`).join(", "),
      })
    : t.card(card);
}

/** What a touch of a card does now: it is laid, taken back, or a hand is put on it. */
function touch(card) {
  const { order } = page.chosen;
  const all = places();
  const active = all[page.active];
  const full = laid()[page.active].length >= active.most;
  if (active.on !== undefined)
    return order.some(([place, other]) => place === active.on && other === card) && !full
      ? [...order, [page.active, card]]
      : order;
  const lies = order.findIndex(([place, other]) => other === card && all[place].on === undefined);
  if (lies >= 0) return order.filter(([, other]) => other !== card);
  return full ? order : [...order, [page.active, card]];
}

function showLaying() {
  const { order } = page.chosen;
  const all = places();
  const cards = laid();
  const active = all[page.active];
  const lying = new Set(order.map(([, card]) => card));
  const left = deck().filter((card) => !lying.has(card));
  const groups = left.reduce((found, card) => {
    const suit = game().suit(card, page.about);
    return found.set(suit, [...(found.get(suit) ?? []), card]);
  }, new Map());
  const hands = order
    .filter(([place]) => all[place].on !== undefined)
    .map(([place, card], at) => [at + 1, card, name(all[place].seat)]);
  const touched = [...new Set([...(active.on === undefined ? left : []), ...lying])].map((card) => ({
    move: { key: String(card), card },
    facts: {},
  }));
  const missing = all.map(({ least, label }, at) =>
    cards[at].length < least ? word("settle-lay-more", { place: label, count: least - cards[at].length }) : null,
  );
  const handed = all.find(({ on }, at) => on !== undefined && (at === page.active || !hands.length));
  const says =
    missing[page.active] ??
    missing.find(Boolean) ??
    (handed ? word("settle-lay-hands", { name: name(handed.seat) }) : active.label);
  Object.assign($("lay"), {
    game: `lay ${$("game").value}`,
    about: { ...page.about, game: `lay ${$("game").value}` },
    state: {
      says,
      hands,
      left: active.on === undefined ? [...groups.values()] : [],
      places: all.map((place, at) => ({
        ...place,
        label: `${at === page.active ? "▸ " : ""}${place.label}${place.on === undefined ? "" : ` (${cards[at].length})`}`,
        cards: cards[at],
      })),
    },
    legal: [...touched, ...all.map((_, at) => ({ move: { key: `place ${at}`, place: at }, facts: {} }))],
    names: [],
  });
}

/** Shows the choices of a question, with what was chosen before. */
function showChoices() {
  const { seats: counts, numbers = {} } = question();
  const { chosen } = page;
  chosen.seats = counts ? (counts.includes(chosen.seats) ? chosen.seats : counts[counts.length > 2 ? 1 : 0]) : 2;
  const select = (title, values, value, changed) => {
    const field = h(
      "select",
      { change: () => changed(Number(field.value)) },
      values.map((each) => h("option", { value: String(each) }, each)),
    );
    field.value = String(value);
    return h("label", {}, h("span", {}, title), field);
  };
  for (const [each, { least, most, first }] of Object.entries(numbers))
    if (!(chosen[each] >= least && chosen[each] <= most)) chosen[each] = first;
  const range = ({ least, most }) => Array.from({ length: most - least + 1 }, (_, at) => least + at);
  $("numbers").replaceChildren(
    ...[
      counts
        ? select(word("seats"), counts, chosen.seats, (count) => {
            chosen.seats = count;
            chosen.order = chosen.order.filter(([place]) => place < places().length);
            page.active = 0;
            showChoices();
            return changed();
          })
        : null,
      ...Object.entries(numbers).map(([each, bounds]) =>
        select(word(`settle-${each}`), range(bounds), chosen[each], (value) => {
          chosen[each] = value;
          return changed();
        }),
      ),
    ].filter(Boolean),
  );
  const named = Math.max(...places().map(({ seat = 0 }) => seat)) + 1;
  $("names").replaceChildren(
    ...Array.from({ length: named }, (_, seat) => {
      const field = h("input", {
        maxlength: "40",
        autocomplete: "off",
        placeholder: NAMES[seat],
        change: () => {
          chosen.names[seat] = field.value;
          return changed();
        },
      });
      field.value = chosen.names[seat] ?? "";
      return h("label", {}, h("span", {}, word("player", { seat: seat + 1 })), field);
    }),
  );
}

// --- the verdict --------------------------------------------------------------

const path = (call) => `/games/${$("game").value}/${call}`;
const all = () => ({ names: Array.from({ length: seats() }, (_, seat) => name(seat)) });

const clause = (rule) =>
  h(
    "a",
    {
      class: "clause",
      href: `/${written({ game: $("game").value, clause: rule })}`,
      target: "_blank",
      rel: "noopener",
    },
    rule,
  );
const sentences = (rulings) =>
  h(
    "ul",
    { class: "rulings" },
    rulings.map(({ text, rule }) => h("li", {}, text, " ", clause(rule))),
  );

/** The events that answer the question, or all of the last move where none does. */
function told({ events = [] }) {
  const telling = events.filter(({ code }) => question().tells.includes(code));
  return telling.length ? telling : events.filter(({ move }) => move === events.at(-1).move);
}

const said = (rulings) => rulings.map(({ text }) => text).join(" ");

/** What each other ruleset says, and each other reading of a contested option. */
function others(answer, comparison, contested, vocabulary) {
  const mine = answer.legal ? said(told(answer)) : "";
  const lines = comparison
    .filter(({ faults }) => !faults)
    .map((each) => {
      const isSame = each.legal === answer.legal && (!each.legal || said(told(each)) === mine);
      return h(
        "li",
        {},
        h("b", {}, vocabulary.called("rulesets", each.ruleset.name ?? each.ruleset)),
        ": ",
        isSame ? word("same") : each.legal ? sentences(told(each)) : word("illegal"),
      );
    });
  const readings = contested.flatMap(({ option, value, why, outcomes = [] }) => [
    h(
      "li",
      {},
      h("b", {}, vocabulary.option(option).title),
      ` (${word(`settle-${why ?? "no-text"}`)}): ${vocabulary.value(option, value)}`,
      h(
        "ul",
        {},
        outcomes.map((outcome) =>
          h(
            "li",
            {},
            `${vocabulary.value(option, outcome.value)}: `,
            !outcome.legal
              ? word("illegal")
              : outcome.changed
                ? outcome.standings
                    .map(({ seat, score }) => `${seat === undefined ? "" : vocabulary.seat(seat)} ${plain(score)}`)
                    .join(", ")
                : word("same"),
          ),
        ),
      ),
    ),
  ]);
  return lines.length + readings.length
    ? h("section", {}, h("h2", {}, word("settle-others")), h("ul", {}, lines, readings))
    : null;
}

const verdict = busy(async () => {
  const isLatest = newTurn("verdict");
  const say = (text, tone) => Object.assign($("verdict"), { textContent: text, className: tone });
  if (!isReady()) {
    say("", "plain");
    $("settled").hidden = $("table").hidden = true;
    return;
  }
  const referee = async (call, body) => (await postJson(path(call), { ...body, ...all() }))[1];
  const asked = {
    ...(await question().ask(
      {
        ...page.chosen,
        laid: laid(),
        seats: seats(),
        deck: page.about.deck,
        order: page.chosen.order.filter(([place]) => places()[place].on !== undefined),
      },
      referee,
    )),
    ...all(),
  };
  delete asked.goesOn;
  const rulesets = page.about.rulesets.slice(1).map((each) => each.name);
  const [[status, answer], [, { contested = [] }]] = await Promise.all([
    postJson(path("resolve"), { ...asked, ...(rulesets.length ? { compare: rulesets } : {}) }),
    postJson(path("resolve"), { ...asked, compare: true }),
  ]);
  if (!isLatest()) return;
  const vocabulary = new Vocabulary(page.about, asked.names);
  const wrong = answer.faults ?? answer.violations ?? [];
  const good = status === 200 && answer.legal;
  say(
    status !== 200
      ? answer.faults
        ? word("impossible")
        : (answer.detail ?? word("away"))
      : question().may
        ? word(good ? "settle-yes" : "settle-no")
        : good
          ? word("settle-verdict")
          : word("illegal"),
    good ? "good" : "bad",
  );
  const q = await packed(JSON.stringify({ call: "resolve", text: pretty(asked) }));
  if (!isLatest()) return;
  const link = h(
    "button",
    {
      type: "button",
      class: "main",
      click: async () => {
        if (navigator.share)
          return navigator
            .share({
              url: location.href,
              title: "Rules Referee",
              text: $("settled").querySelector(".rulings")?.textContent,
            })
            .catch(() => {});
        const { copied } = await import("./share.js");
        Object.assign(shown, { value: location.href, hidden: false });
        link.textContent = await copied(shown.value, shown);
        shown.hidden = link.textContent === word("copied");
      },
    },
    word("settle-share"),
  );
  const shown = h("textarea", { rows: "2", readonly: true, "aria-label": word("shared") });
  shown.hidden = true;
  $("settled").replaceChildren(
    ...[
      sentences(good ? told(answer) : wrong),
      good
        ? others(answer, answer.comparison ?? [], contested, vocabulary)
        : others({ ...answer, legal: false }, answer.comparison ?? [], [], vocabulary),
      h(
        "p",
        { class: "buttons" },
        link,
        h(
          "button",
          {
            type: "button",
            click: () => {
              page.chosen.order = [];
              page.active = 0;
              $("laying").open = true;
              changed();
            },
          },
          word("settle-anew"),
        ),
        h("a", { class: "button", href: `/${written({ game: $("game").value, q })}` }, word("settle-to-page")),
      ),
      shown,
    ].filter(Boolean),
  );
  Object.assign($("table"), {
    game: $("game").value,
    about: page.about,
    state: good ? answer.state : asked.state,
    names: asked.names,
    events: good ? answer.events : [],
    legal: null,
    plays: null,
    marks: { of: asked, rulings: wrong },
  });
  $("settled").hidden = $("table").hidden = false;
});

/** Draws what was laid, writes it into the address, and asks. */
async function changed() {
  const isLatest = newTurn("address");
  showLaying();
  const q = await packed(JSON.stringify({ ...page.chosen, question: $("question").value }));
  if (isLatest())
    history.replaceState(null, "", written({ game: $("game").value, q: page.chosen.order.length ? q : null }));
  const before = $("settled").hidden;
  await verdict();
  if (before && !$("settled").hidden && $("verdict").getBoundingClientRect().bottom > innerHeight)
    $("verdict").scrollIntoView();
}

function moved({ detail: { move } }) {
  if (move.place !== undefined) page.active = move.place;
  else {
    page.chosen.order = touch(move.card);
    const cards = laid();
    const goesOn =
      cards[page.active].length >= places()[page.active].most
        ? places().findIndex(({ least }, at) => cards[at].length < least)
        : -1;
    if (goesOn >= 0) page.active = goesOn;
  }
  return changed();
}

/** What a link says, as far as it can be laid; a link may come from anybody. */
function believed(text) {
  const told = JSON.parse(text);
  const cards = new Set(deck());
  const list = (value) => (Array.isArray(value) ? value : []);
  if (Object.hasOwn(game().questions, told.question)) $("question").value = told.question;
  const numbers = Object.fromEntries(["seats", "trick", "pot"].map((each) => [each, Number(told[each])]));
  page.chosen = {
    ...numbers,
    names: list(told.names)
      .slice(0, 6)
      .map((each) => String(each ?? "").slice(0, 40)),
    order: [],
  };
  showChoices();
  const count = places().length;
  page.chosen.order = list(told.order)
    .slice(0, 60)
    .filter((each) => Array.isArray(each) && each[0] < count && each[0] >= 0 && cards.has(each[1]));
}

const chooseGame = busy(async (wanted, q) => {
  $("game").value = Object.hasOwn(GAMES, wanted ?? "") ? wanted : "twins";
  const loading = import(`./table/${$("game").value}.js`);
  page.about = await getJson(`/games/${$("game").value}`);
  draw(`lay ${$("game").value}`, async () => ({ default: laying((await loading).default) }));
  $("question").replaceChildren(
    ...Object.keys(game().questions).map((id) => h("option", { value: id }, word(`settle-${id}`))),
  );
  page.chosen = { ...page.chosen, order: [] };
  page.active = 0;
  const text = q && (await unpacked(q));
  try {
    if (text) believed(text);
  } catch {
    page.chosen.order = [];
  }
  showChoices();
  $("laying").open = !isReady();
  $("laying").hidden = false; // not before, so that nothing shifts
  await changed();
});

const begin = busy(async () => {
  await speak(
    [lastLanguage(), ...navigator.languages.map((each) => each.slice(0, 2)), "en"].find((each) =>
      LANGUAGES.includes(each),
    ),
  );
  $("language").onchange = () => {
    keepLanguage($("language").value);
    location.reload();
  };
  page.games = (await getJson("/games")).games.filter((each) => GAMES[each.game]);
  $("game").replaceChildren(...page.games.map((each) => h("option", { value: each.game }, each.title)));
  $("game").onchange = () => chooseGame($("game").value);
  $("question").onchange = () => {
    page.chosen.order = [];
    page.active = 0;
    showChoices();
    return changed();
  };
  $("lay").addEventListener("move", moved);
  window.onhashchange = () => location.reload();
  await chooseGame(read().game, read().q);
});

begin().catch(() => Object.assign($("verdict"), { textContent: word("away"), className: "bad" }));
