// Shows hostile states, and at last runs a script as they tried to, so that it is certain that they could have.
async ({ game, states }) => {
  const PAYLOADS = [
    `<img src=data:, onerror="hits.push(1)">`,
    `"><svg onload="hits.push(2)">`,
    `'"/><script>hits.push(3)</scr` + `ipt>`,
    `</text><foreignObject><iframe srcdoc="<script>parent.hits.push(4)</scr` + `ipt>"></iframe></foreignObject>`,
    `javascript:hits.push(5)`,
    `constructor`,
  ];
  const about = await (await fetch(`/games/${game}`)).json();
  const changed = (value, change) =>
    value === null || typeof value !== "object"
      ? change(value)
      : Array.isArray(value)
        ? value.map((each) => changed(each, change))
        : Object.fromEntries(Object.entries(value).map(([name, each]) => [name, changed(each, change)]));
  const table = document.querySelector("rules-table");
  await customElements.whenDefined("rules-table");
  const show = (given) =>
    new Promise((done) => {
      table.addEventListener("drawn", done, { once: true });
      Object.assign(table, { game, about, plays: "all", events: [], names: [], legal: null, marks: null, ...given });
    });
  const found = new Set();
  let drawn = 0;
  const look = () => {
    drawn += table.shadowRoot.querySelectorAll(".card").length;
    for (const each of table.shadowRoot.querySelectorAll("*")) {
      if (/^(script|img|iframe|foreignobject|a|use|animate|set|style)$/i.test(each.localName))
        found.add(each.localName);
      for (const { name, value } of each.attributes)
        if (/^on|href|src|^style$/.test(name) && !/^--|^$/.test(value)) found.add(`${name}=${value}`);
    }
  };
  for (const { state, moves } of states) {
    const legal = moves.map((move) => ({ move, facts: { deadwood: 1 } }));
    for (const payload of PAYLOADS) {
      const ways = [() => payload, (leaf) => `${leaf}${payload}`, (leaf) => `${String(leaf).split("-")[0]}-${payload}`];
      for (const way of ways) {
        for (const name of Object.keys(state)) {
          await show({ state: { ...state, [name]: changed(state[name], way) }, legal });
          look();
        }
        const events = ["drew", "knocked", "laid-off", "revealed", "twisted", "round-over", "flipped"].map((code) => ({
          code,
          rule: payload,
          text: payload,
          params: {
            seat: 0,
            card: payload,
            cards: [payload],
            shown: payload,
            removed: payload,
            deadwood: payload,
            plays: [{ seat: 0, combination: payload, strength: payload }],
            lines: [{ seat: 0, face_up: payload, points: payload }],
          },
        }));
        const marks = {
          of: { state, moves: [] },
          rulings: [{ text: payload, rule: payload, pointer: `/state/${payload}` }],
        };
        await show({ state, legal: changed(legal, way), events, names: [payload, payload, payload], marks });
        look();
        await show({ state, legal, about: changed(about, way) });
        look();
      }
    }
  }
  await show({ state: states[0].state, legal: null });
  const again = table.shadowRoot.querySelectorAll(".card").length; // it has survived all that
  document.body.insertAdjacentHTML("beforeend", `<img src="data:," onerror="hits.push('ours')">`);
  while (!hits.length) await new Promise((done) => setTimeout(done, 10));
  return { found: [...found], hits, drawn, again };
};
