// Opening a table for several, and handing on its invitations. The page of the invitations has an address of its own:
// `#id/links`; they are kept in this browser alone.
import { h } from "./table/h.js";
import { ask, busy, cached, getJson, newTurn } from "./asking.js";
import { GIVEN, language, word } from "./speech.js";
import { forget, note, noted, tables } from "./keep.js";
import { copied } from "./share.js";
import { Live, secret } from "./table/live.js";

const $ = (id) => document.getElementById(id);
const HERE = /^(localhost|127\..*|\[::1\])$/; // hosts that only this machine can reach
const GATHERS = { "twin-it": ["competitive", "team"] }; // games and rulesets in which hands fall
const COUNTS = { "twin-it": ["cooperative", "timed"] }; // in which groups are counted once the time is up
const CLOCK = 60; // seconds, before whose end nothing is counted
const address = (...parts) => `${location.origin}/play#${parts.join("/")}`;

let offered = null; // the game whose seats and rulesets the form has

const offer = busy(async (refused) => {
  const { games } = await getJson("/games");
  const chosen = $("game").value;
  $("game").replaceChildren(...games.map(({ game, title }) => h("option", { value: game }, title)));
  if (chosen) $("game").value = chosen;
  showTables(games);
  await offerSeats(refused);
});

/** Offers what the chosen game has. If that cannot be had now, the game before stays chosen. */
const offerSeats = busy(async (refused) => {
  const isLatest = newTurn("offer");
  const about = await cached(`/games/${$("game").value}`);
  if (!isLatest()) return;
  if (about) offered = about.game;
  else $("game").value = offered;
  refused(about ? "" : word("away"));
  if (!about) return;
  $("seats").replaceChildren(
    ...about.seats.filter((count) => count > 1).map((count) => h("option", { value: String(count) }, count)),
  );
  $("ruleset").replaceChildren(...about.names.rulesets.map(({ name, title }) => h("option", { value: name }, title)));
  offerNames();
  offerGathering();
});

/** The time in which hands are gathered can be set where hands fall: in games of speed that claim sets. */
function offerGathering() {
  $("gathering").hidden = !GATHERS[$("game").value]?.includes($("ruleset").value);
}

function offerNames() {
  const before = [...$("names").querySelectorAll("input")].map(({ value }) => value);
  $("names").replaceChildren(
    ...Array.from({ length: Number($("seats").value) }, (_, seat) => {
      const field = h("input", { maxlength: "40", autocomplete: "off", id: `name-${seat}` });
      field.value = before[seat] ?? "";
      return h("label", {}, h("span", {}, word("player", { seat: seat + 1 })), field);
    }),
  );
}

/** The tables of this browser, each with the way back to it. */
function showTables(games) {
  const mine = tables();
  $("running").hidden = !mine.length;
  $("running").replaceChildren(
    h("h2", {}, word("play-running")),
    h(
      "ul",
      { class: "running" },
      mine.map(({ id, game, names, seat, invite, invites }) =>
        h(
          "li",
          {},
          h("b", {}, games.find((each) => each.game === game)?.title ?? game ?? ""),
          " ",
          h("p", { class: "hint" }, (names ?? []).join(", ")),
          h(
            "p",
            { class: "buttons" },
            seat === undefined
              ? null
              : h("a", { class: "button", href: address(id, seat, invite) }, word("play-go-back")),
            invites ? h("a", { class: "button", href: address(id, "links") }, word("play-links-of")) : null,
          ),
        ),
      ),
    ),
  );
}

const open = busy(async (refused) => {
  const names = [...$("names").querySelectorAll("input")].map(
    ({ value }, seat) => value.trim() || word("player", { seat: seat + 1 }),
  );
  const body = {
    game: $("game").value,
    seats: Number($("seats").value),
    ruleset: { name: $("ruleset").value },
    names,
    invite: true,
    host: "blind",
    public: $("public").checked,
    fair: $("joint").checked ? "joint" : "committed",
    ...($("gathering").hidden ? {} : { gather_ms: Number($("gather").value) }),
    ...(COUNTS[$("game").value]?.includes($("ruleset").value) ? { clock_seconds: CLOCK } : {}),
  };
  const key = { "Idempotency-Key": secret() };
  let response = null;
  while (!response || response.status === 503) {
    response = await ask("POST", "/sessions", body, key).catch(() => null);
    if (response?.status === 503 || !response)
      await new Promise((done) => setTimeout(done, 1_500, refused(word("away"))));
  }
  const answer = await response.json();
  if (!response.ok)
    return refused(
      [answer.detail, ...(answer.errors ?? answer.faults ?? []).map(({ detail, text }) => detail ?? text)].join(" "),
    );
  note(answer.id, { game: body.game, names, invites: answer.invites, host: answer.tokens.host, public: body.public });
  location.hash = `${answer.id}/links`;
});

/** Where phones reach this service, as a QR code too; where they do not, what to start. A public server tells nothing. */
async function showNearby() {
  if (!GIVEN.nearby) return;
  const { code } = await import("./qr.js");
  const links = GIVEN.nearby.map((url) => `${url}/play`);
  $("nearby").replaceChildren(
    h("h2", {}, word("play-phones")),
    h("p", { class: "hint" }, word(links.length ? "play-phones-open" : "play-phones-start")),
    ...(links.length ? [code(links[0], word("play-phones"))] : [h("p", {}, h("code", {}, "make serve HOST=0.0.0.0"))]),
    ...links.map((link) => h("p", {}, h("a", { href: link }, link))),
  );
  $("nearby").hidden = false;
}

/** The form that opens a table. `refused` shows a sentence. */
export function showForm(refused) {
  $("open").hidden = false;
  showNearby();
  for (const time of $("gather").options) time.textContent = `${(time.value / 1_000).toLocaleString(language())} s`;
  $("game").onchange = () => offerSeats(refused);
  $("seats").onchange = offerNames;
  $("ruleset").onchange = offerGathering;
  $("open").onsubmit = (event) => {
    event.preventDefault();
    open(refused);
  };
  return offer(refused);
}

/** The invitations of a table that was opened here, and who has already sat down. */
export async function showLinks(id, refused) {
  const { names, invites, host, public: open } = noted(id);
  if (!invites) return refused(word("play-links-elsewhere"));
  const { code } = await import("./qr.js");
  const line = (name, link, label) => {
    const shown = h("code", {}, link);
    const folded = h("details", {}, h("summary", {}, word("play-address")), shown);
    const copy = h(
      "button",
      {
        type: "button",
        class: "quiet",
        click: async () => (copy.textContent = await copied(link, shown)),
      },
      word("play-copy-link"),
    );
    const share = navigator.share
      ? h(
          "button",
          {
            type: "button",
            class: "quiet",
            click: () => navigator.share({ url: link, title: "Rules Referee", text: name }).catch(() => {}),
          },
          word("play-send"),
        )
      : null;
    return h(
      "li",
      {},
      code(link, word("play-qr", { name })),
      h(
        "div",
        {},
        h("b", {}, name),
        h("p", { class: "sits", role: "status" }),
        h(
          "p",
          { class: "buttons" },
          h("a", { class: "button", href: link, target: "_blank", rel: "noopener" }, word(label)),
          share,
          copy,
        ),
        folded,
      ),
    );
  };
  const guests = invites.map((invite, seat) => line(names[seat], address(id, seat, invite), "play-sit"));
  $("links").replaceChildren(
    h("h2", {}, word("play-links-title")),
    h(
      "p",
      { class: "hint" },
      word("play-links-hint"),
      " ",
      HERE.test(location.hostname) ? word("play-links-here") : "",
    ),
    h("ul", { class: "invites" }, guests, open ? line(word("spectator"), address(id), "play-look-on") : null),
    h("p", { class: "buttons" }, h("a", { href: "/play" }, word("play-open-another"))),
  );
  $("links").hidden = false;
  const live = Object.assign(new Live(location.origin, id, language), { token: host });
  live.addEventListener("table", ({ detail: { session } }) => {
    for (const [seat, guest] of guests.entries()) {
      const isTaken = session.taken[seat];
      const isHere = localStorage.getItem(`seat ${id} ${seat}`) !== null;
      guest.querySelector(".sits").textContent = word(isTaken ? "play-has-sat" : "play-not-yet");
      guest.classList.toggle("good", isTaken); // its link is of use to nobody else
      guest.querySelector("a").hidden = isTaken && !isHere;
      if (isHere) guest.querySelector("a").textContent = word("play-go-back");
    }
  });
  live.addEventListener("connection", () => ($("away").hidden = live.connected));
  live.addEventListener("refused", ({ detail }) => {
    const gone = detail === null || detail.status === 404;
    if (gone) forget(id);
    $("links").hidden = gone;
    const renewed = detail?.status === 401; // the service has a sentence for programmers
    refused(renewed ? word("play-not-yours") : !gone ? detail.detail : word(detail ? "play-gone" : "play-closed"));
  });
  await live.sync();
}
