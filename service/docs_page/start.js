// The page of the contract. The service lists the operations. Swagger UI shows an operation when it is opened, and gets
// only its part of the document: the whole would take it seconds.

const dark = matchMedia("(prefers-color-scheme: dark)");
const shade = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", shade);
shade();

/** A function that fetches once, on its first call; after a failure the next call tries again. */
const once = (make) => {
  let made;
  const forget = (error) => {
    made = undefined;
    throw error;
  };
  return () => (made ??= make().catch(forget));
};
/** The document without what Swagger UI would resolve but not show. */
const contract = once(async () => {
  const answer = await fetch("/openapi.json");
  return JSON.parse(await answer.text(), (name, value) =>
    name.startsWith("x-") || name === "links" ? undefined : value,
  );
});
const viewer = once(
  () =>
    new Promise((done, failed) => {
      const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/docs/swagger-ui.css" });
      document.head.prepend(style); // before our own, which overrides it
      const script = Object.assign(document.createElement("script"), { src: "/docs/swagger-ui-bundle.js" });
      script.onload = done;
      script.onerror = failed;
      document.head.append(script);
    }),
);

/** The document with one operation and the components it refers to. */
function alone(whole, path, method) {
  const components = { securitySchemes: whole.components.securitySchemes };
  const look = (value) => {
    if (typeof value === "string" && value.startsWith("#/components/")) {
      const [kind, name] = value.split("/").slice(2);
      if (components[kind]?.[name] === undefined) {
        const part = whole.components[kind][name];
        components[kind] ??= {};
        components[kind][name] = part;
        look(part);
      }
    } else if (value !== null && typeof value === "object") {
      Object.values(value).forEach(look);
    }
  };
  const { [method]: operation } = whole.paths[path];
  look(operation);
  return { ...whole, tags: [], paths: { [path]: { [method]: operation } }, components };
}

async function show(operation) {
  if (operation.dataset.shown) return;
  operation.dataset.shown = "under way";
  const place = document.createElement("div");
  place.textContent = "…";
  operation.append(place);
  try {
    const [whole] = await Promise.all([contract(), viewer()]);
    const { path, method } = operation.dataset;
    window.SwaggerUIBundle({
      spec: alone(whole, path, method),
      domNode: place,
      docExpansion: "full",
      defaultModelsExpandDepth: -1,
      validatorUrl: null,
      syntaxHighlight: { activated: false },
    });
    operation.dataset.shown = "whole";
  } catch {
    place.textContent = "The referee cannot be reached; open this again.";
    delete operation.dataset.shown;
    operation.addEventListener("toggle", () => place.remove(), { once: true });
  }
}

const operations = [...document.querySelectorAll(".operation")];
const groups = [...document.querySelectorAll(".group")];
for (const operation of operations) operation.addEventListener("toggle", () => operation.open && show(operation));
// Loads what is needed when the pointer or the focus is on a call, before it is opened.
for (const kind of ["pointerover", "focusin"])
  document.addEventListener(
    kind,
    ({ target }) => target.closest(".operation") && Promise.all([contract(), viewer()]).catch(() => {}),
  );

/** Opens the operation in the address. */
function follow() {
  const named = document.getElementById(location.hash.slice(1));
  if (!named?.matches(".operation")) return;
  named.closest(".group").open = true;
  named.open = true;
  named.scrollIntoView();
}
addEventListener("hashchange", follow);
follow();

const filter = document.getElementById("filter");
const folded = new Set(groups.filter((group) => !group.open));
filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const operation of operations) {
    const text = operation.querySelector("summary").textContent.toLowerCase();
    operation.hidden = !words.every((word) => text.includes(word));
  }
  for (const group of groups) {
    group.hidden = !group.querySelector(".operation:not([hidden])");
    group.open = words.length ? !group.hidden : !folded.has(group);
  }
});
