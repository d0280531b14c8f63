// Controls for ruleset, options, seats, seed and dealer. They change the JSON of the question.
import { h } from "./table/h.js";
import { NAMES, plain, word } from "./speech.js";

const NONE = "–";

/** A choice; its values are JSON, so that numbers and null keep their type. */
function chooser(title, values, chosen, changed, about) {
  const select = h(
    "select",
    { change: () => changed(JSON.parse(select.value)), title: about },
    values.map(([value, name]) => h("option", { value: JSON.stringify(value) }, name)),
  );
  select.value = JSON.stringify(chosen);
  return h("label", {}, h("span", {}, title), select);
}

function field(title, type, value, changed, about, how = {}) {
  const input = h("input", {
    type,
    title: about,
    change: () =>
      input.reportValidity() &&
      changed(type === "number" ? Number(input.value) : type === "checkbox" ? input.checked : input.value),
    ...how,
  });
  if (type === "checkbox") input.checked = value;
  else input.value = value;
  return h(
    "label",
    { class: type === "checkbox" ? "check" : null },
    type === "checkbox" ? [input, " ", h("span", {}, title)] : [h("span", {}, title), input],
  );
}

/** The control of an option, by what its values are. */
function control({ title, text, values, titles, published }, value, changed) {
  const named = (each) => titles.find((one) => one.value === each)?.title ?? plain(each);
  if (values.one_of)
    return chooser(
      title,
      values.one_of.map((each) => [each, named(each)]),
      value,
      changed,
      text,
    );
  if (values.least !== undefined) {
    const list = published.length ? ` (${published.map(plain).join(", ")})` : "";
    return field(title + list, "number", value, changed, text, { min: values.least, max: values.most, required: true });
  }
  return typeof value === "boolean" ? field(title, "checkbox", value, changed, text) : null;
}

/** The controls of a question. `change` gets the changed question. */
export function controls(about, call, asked, change) {
  const deal = call === "deal";
  const holder = deal ? asked : asked.state;
  if (!about || holder === null || typeof holder !== "object") return [];
  const written = (member, value) => {
    const { [member]: old, ...rest } = holder;
    const changed = value === null || value === "" ? rest : { ...rest, [member]: value };
    change(deal ? changed : { ...asked, state: changed });
  };
  const name = holder.ruleset?.name ?? about.rulesets[0].name;
  const defaults = about.rulesets.find((each) => each.name === name)?.options ?? {};
  const options = { ...defaults, ...holder.ruleset?.options };
  const seats = Array.from({ length: holder.seats ?? 0 }, (_, seat) => [
    seat,
    asked.names?.[seat] ?? `${word("seat")} ${seat}`,
  ]);
  return [
    deal
      ? chooser(
          word("seats"),
          about.seats.map((count) => [count, count]),
          holder.seats,
          (count) => {
            const { names: _, ...nameless } = asked;
            change({ ...nameless, seats: count, ...(count > NAMES.length ? {} : { names: NAMES.slice(0, count) }) });
          },
        )
      : null,
    deal
      ? field(word("seed"), "text", holder.seed ?? "", (seed) => written("seed", seed), "", {
          maxlength: 200,
          autocomplete: "off",
        })
      : null,
    deal
      ? chooser(word("dealer"), [[null, NONE], ...seats], holder.dealer ?? null, (seat) => written("dealer", seat))
      : null,
    chooser(
      word("ruleset"),
      about.rulesets.map((each) => [
        each.name,
        about.names.rulesets.find((one) => one.name === each.name)?.title ?? each.name,
      ]),
      name,
      (chosen) => written("ruleset", { name: chosen }),
    ),
    about.options.map((option) =>
      control(option, options[option.name], (value) => {
        const differing = Object.fromEntries(
          Object.entries({ ...options, [option.name]: value }).filter(
            ([key, each]) => plain(each) !== plain(defaults[key]),
          ),
        );
        written("ruleset", { name, ...(Object.keys(differing).length ? { options: differing } : {}) });
      }),
    ),
  ]
    .flat()
    .filter(Boolean);
}
