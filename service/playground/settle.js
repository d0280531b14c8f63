// Settles an argument: cards are laid on an empty table, a question is chosen, and the referee gives one verdict, with what
// other editions would say. After `#` the address has `q`, all that was laid, compressed; the service never sees it.
import { draw } from "./table/rules-table.js";
import { h } from "./table/h.js";
import { signs } from "./table/pieces.js";
import { packed, read, unpacked, written } from "./address.js";
import { busy, getJson, newTurn, postJson } from "./asking.js";
import { GAMES } from "./questions.js";
import { controls } from "./rules.js";
import { keepLanguage, LANGUAGES, lastLanguage, NAMES, plain, pretty, speak, Vocabulary, word } from "./speech.js";

const $ = (id) => document.getElementById(id);
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
    keys: ({ key }) => (key ? [key] : []),
    confirm: ({ does }) => does === "back",
    marked: ({ does }) => does !== "back",
    attempts: () => [],
    tools: null,
    more: null,
    gathers: null,
    refused: null,
    drags: null,
    middle: (t) => [
      ...t.state.places.map((place, at) => group(t, place, at)),
      ...t.state.left.map((cards) =>
        t.fan(
          cards.map((card) => named(t.card(card), word("settle-lay-card", { card: t.title(card) }))),
          { label: word("settle-cards-left") },
        ),
      ),
    ],
  };
}

/** A card with the name of what a touch of it does. */
function named(card, name) {
  card.setAttribute("aria-label", name);
  return card;
}

/** A place: the cards that lie there, above the button that chooses it, which alone has its name. */
function group(t, { label, cards, most, on, count, active, does }, at) {
  const free = on === undefined && cards.length < Math.min(most, 11) ? [t.empty("")] : [];
  for (const slot of free) slot.setAttribute("aria-hidden", "true");
  const chosenFrom = t.state.places.some((each) => each.active && each.on === at);
  const fan = t.fan([...(on === undefined ? cards.map((card) => lain(t, card)) : []), ...free], {
    wide: cards.length < 3 || chosenFrom,
    small: cards.length > 8 && !chosenFrom,
  });
  fan.setAttribute("role", "none"); // the button has the name
  return h(
    "div",
    { class: "group" },
    fan,
    h(
      "button",
      {
        type: "button",
        class: "onto",
        "data-key": `place ${at}`,
        "aria-current": active ? "true" : null,
        click: () => t.table.pick(`place ${at}`),
      },
      active ? h("span", { "aria-hidden": "true" }, "▸ ") : null,
      `${label} (${count})`,
      h("span", { class: "heard" }, `: ${does}`),
    ),
  );
}

/** A card that lies, with what was put on it. */
function lain(t, card) {
  const hands = t.state.hands.filter(([, on]) => on === card);
  const says = hands.map(([, , each]) => each).join(", ");
  const tag = hands.map(([, , , sign]) => sign).join(" · ");
  const drawn = hands.length ? t.card(card, { tag, note: says }) : t.card(card);
  const title = [t.title(card), says].filter(Boolean).join(", ");
  return named(
    drawn,
    word(t.state.takes.includes(String(card)) ? "settle-choose-card" : "settle-touch-laid", { card: title }),
  );
}

/** The order without a card, and without what was put on it. */
const without = (card) => page.chosen.order.filter(([, other]) => other !== card);
/** The first place; once cards lie, the first that lacks some, if one does. */
const firstOpen = () =>
  page.chosen.order.length
    ? Math.max(
        0,
        places().findIndex(({ least }, at) => laid()[at].length < least),
      )
    : 0;
/** The place to go on to from one that lacks nothing: one that lacks cards, else a later one with room; or -1. */
function nextPlace(all, cards) {
  const lacks = ({ least }, at) => cards[at].length < least;
  if (lacks(all[page.active], page.active)) return -1;
  const lacking = all.findIndex(lacks);
  return lacking >= 0 ? lacking : all.findIndex(({ most }, at) => at > page.active && cards[at].length < most);
}

/** What is to be done at the place that is chosen. */
function sentence({ label: place, least, most, seat, on, tag }, count) {
  if (count >= most) return word("settle-laid", { place });
  if (tag) return word("settle-lay-choice", { place });
  if (on !== undefined) return word("settle-lay-hands", { place, name: name(seat) });
  return count < least ? word("settle-lay-more", { place, count: least - count }) : word("settle-lay-on", { place });
}

/** What touches can do: lay a card at the chosen place, put something on one that lies, take either back, or go on. */
function touches(all, cards, left) {
  const { order } = page.chosen;
  const active = all[page.active];
  const hasRoom = cards[page.active].length < active.most;
  const entry = (move, text) => ({ move, text, facts: {} });
  const title = (card) => page.about.cards.find((each) => each.card === card)?.title ?? String(card);
  const lies = (place, card) => order.some(([at, other]) => at === place && other === card);
  const back = all.flatMap((place, at) =>
    cards[at].flatMap((card) => {
      const key = String(card);
      if (place.on !== undefined) {
        const text = word("settle-take-off", { place: place.label, card: title(card) });
        return at === page.active ? [entry({ key, does: "back", order: taken(at, card), active: at }, text)] : [];
      }
      const chooses = active.on === at && hasRoom && !lies(page.active, card);
      return chooses
        ? [entry({ key, order: [...order, [page.active, card]], active: page.active })]
        : [
            entry(
              { key, does: "back", order: without(card), active: at },
              word("settle-take-back", { card: title(card) }),
            ),
          ];
    }),
  );
  const next = nextPlace(all, cards);
  return [
    ...(active.on === undefined && hasRoom
      ? left.map((card) => entry({ key: String(card), order: [...order, [page.active, card]], active: page.active }))
      : []),
    ...back,
    ...all.map((_, at) => entry({ key: `place ${at}`, order, active: at })),
    ...(next >= 0 ? [entry({ order, active: next }, word("settle-go-on", { place: all[next].label }))] : []),
  ];
}

/** The order without what was put on a card from a place. */
const taken = (at, card) => page.chosen.order.filter(([place, other]) => place !== at || other !== card);

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
  const legal = touches(all, cards, left);
  const signed = signs(Array.from({ length: seats() }, (_, seat) => name(seat)));
  $("example").disabled = order.length > 0;
  Object.assign($("lay"), {
    game: `lay ${$("game").value}`,
    about: { ...page.about, game: `lay ${$("game").value}` },
    state: {
      says: sentence(active, cards[page.active].length),
      hands: order
        .filter(([place]) => all[place].on !== undefined)
        .map(([place, card], at) => [
          place,
          card,
          all[place].tag ? word(all[place].tag) : `${at + 1} ${name(all[place].seat)}`,
          all[place].tag ? "×" : `${at + 1} ${signed[all[place].seat]}`,
        ]),
      takes: legal.filter(({ move }) => !move.does && active.on !== undefined).map(({ move }) => move.key),
      left: active.on === undefined ? [...groups.values()] : [],
      places: all.map((place, at) => ({
        ...place,
        active: at === page.active,
        cards: cards[at],
        count: cards[at].length,
        does: word(place.tag ? "settle-do-choose" : place.on === undefined ? "settle-do-lay" : "settle-do-hands"),
      })),
    },
    legal,
    names: [],
  });
}

/** The choice of rules: the rulesets, and the options that published texts contest. */
function showRules() {
  const { rulesets, options } = page.about;
  const offered = game().rulesets ?? rulesets.map(({ name }) => name);
  const about = {
    ...page.about,
    rulesets: rulesets.filter(({ name }) => offered.includes(name)),
    options: options.filter(({ why }) => why),
  };
  const asked = { state: { ruleset: page.chosen.ruleset } };
  $("ruleset").replaceChildren(
    ...controls(about, "resolve", asked, ({ state }) => {
      page.chosen.ruleset = state.ruleset;
      showRules();
      return changed();
    }),
  );
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
            page.active = firstOpen();
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

const joined = (rulings) => rulings.map(({ text }) => text).join(" ");
/** A table without what nobody has said of it. */
const said = (state) =>
  Object.fromEntries(Object.entries(state).filter(([member]) => !question().unsaid?.includes(member)));

/** What each other ruleset says, and each other reading of a contested option. */
function others(answer, comparison, contested, vocabulary) {
  const mine = answer.legal ? joined(told(answer)) : "";
  const title = ({ ruleset }) => h("b", {}, vocabulary.called("rulesets", ruleset.name ?? ruleset));
  const agrees = (each) => each.legal === answer.legal && (!each.legal || joined(told(each)) === mine);
  const possible = comparison.filter(({ faults }) => !faults);
  const alike = possible.filter(agrees).map((each, at) => [at ? ", " : "", title(each)]);
  const lines = [
    ...(alike.length ? [h("li", {}, alike, ": ", word("same"))] : []),
    ...possible
      .filter((each) => !agrees(each))
      .map((each) => h("li", {}, title(each), ": ", each.legal ? sentences(told(each)) : word("illegal"))),
  ];
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
  const { ruleset } = page.chosen;
  const under = ({ state, ...rest }) => ({ ...rest, ...all(), state: ruleset ? { ...state, ruleset } : state });
  const referee = async (call, body) => (await postJson(path(call), under(body)))[1];
  const asked = under(
    await question().ask(
      {
        ...page.chosen,
        laid: laid(),
        seats: seats(),
        deck: page.about.deck,
        order: page.chosen.order.filter(([place]) => places()[place].on !== undefined),
      },
      referee,
    ),
  );
  delete asked.goesOn;
  const mine = ruleset?.name ?? page.about.rulesets[0].name;
  const rulesets = page.about.rulesets.map((each) => each.name).filter((each) => each !== mine);
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
      question().assumed ? h("p", { class: "hint" }, word(`settle-assumed-${question().assumed}`)) : null,
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
              $("laying").scrollIntoView({ block: "nearest" });
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
    state: said(good ? answer.state : asked.state),
    names: asked.names,
    events: good ? answer.events : [],
    legal: null,
    plays: null,
    marks: { of: asked, rulings: wrong },
  });
  $("settled").hidden = $("table").hidden = false;
});

/** Draws what was laid, writes it into the address, and asks. */
const changed = busy(async () => {
  const isLatest = newTurn("address");
  showLaying();
  const q = await packed(JSON.stringify({ ...page.chosen, question: $("question").value }));
  if (isLatest())
    history.replaceState(null, "", written({ game: $("game").value, q: page.chosen.order.length ? q : null }));
  await verdict();
  if (!isLatest() || $("settled").hidden) return;
  for (const part of [$("verdict"), $("settled").querySelector(".rulings > li")])
    part?.scrollIntoView({ block: "nearest" }); // the verdict is seen, and as many of the cards as there is room for
});

function moved({ detail: { move } }) {
  page.chosen.order = move.order;
  page.active = move.active;
  const [all, cards] = [places(), laid()];
  if (move.key && !move.does && !move.key.startsWith("place ") && cards[page.active].length >= all[page.active].most) {
    const lacking = all.findIndex(({ least }, at) => cards[at].length < least);
    if (lacking >= 0) page.active = lacking;
  }
  return changed();
}

/** Lays an example of the question. */
function showExample() {
  const { laid: cards, ...rest } = question().example(page.about.deck);
  page.chosen = { ...page.chosen, ...rest, order: cards.flatMap((some, at) => some.map((card) => [at, card])) };
  page.active = 0;
  showChoices();
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
    ruleset: believedRuleset(told.ruleset),
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

/** The ruleset of a link, without what this game does not offer. */
function believedRuleset(told) {
  const name = (game().rulesets ?? page.about.rulesets.map((each) => each.name)).find((each) => each === told?.name);
  if (!name) return undefined;
  const fits = ({ name, why, values: { one_of: some, least, most } }) =>
    why &&
    (some?.includes(told.options?.[name]) ||
      (Number.isInteger(told.options?.[name]) && told.options[name] >= least && told.options[name] <= most));
  const options = page.about.options.filter(fits).map(({ name }) => [name, told.options[name]]);
  return { name, ...(options.length ? { options: Object.fromEntries(options) } : {}) };
}

const chooseGame = busy(async (wanted, q) => {
  $("game").value = Object.hasOwn(GAMES, wanted ?? "") ? wanted : "twins";
  const loading = import(`./table/${$("game").value}.js`);
  page.about = await getJson(`/games/${$("game").value}`);
  draw(`lay ${$("game").value}`, async () => ({ default: laying((await loading).default) }));
  $("question").replaceChildren(
    ...Object.keys(game().questions).map((id) => h("option", { value: id }, word(`settle-${id}`))),
  );
  page.chosen = { ...page.chosen, ruleset: undefined, order: [] };
  const text = q && (await unpacked(q));
  try {
    if (text) believed(text);
  } catch {
    page.chosen.order = [];
  }
  page.active = firstOpen();
  showChoices();
  showRules();
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
  $("example").onclick = showExample;
  $("lay").addEventListener("move", moved);
  window.onhashchange = () => location.reload();
  await chooseGame(read().game, read().q);
});

begin().catch(() => Object.assign($("verdict"), { textContent: word("away"), className: "bad" }));
