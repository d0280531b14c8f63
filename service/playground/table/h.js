// Makes elements.

/** An element. In `how` a function is a listener, `true` an empty attribute; null and false leave the attribute out. */
export function h(tag, how, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(how ?? {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return element;
}
