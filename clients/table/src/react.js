"use client";
// <RulesTable>: the element as a component of React 18 and 19. The element itself is loaded in the browser alone.
import { createElement, forwardRef, useEffect, useImperativeHandle, useRef } from "react";

// Addresses first: an element that follows a session takes no state.
const PROPERTIES = [
  "session",
  "src",
  "token",
  "game",
  "state",
  "legal",
  "seat",
  "plays",
  "events",
  "names",
  "about",
  "marks",
  "gathering",
  "incident",
  "counting",
  "counted",
];
const EVENTS = {
  onMove: "move",
  onClause: "clause",
  onDrawn: "drawn",
  onSession: "session",
  onEntry: "entry",
  onConnection: "connection",
  onRefused: "refused",
  onMisuse: "misuse",
};

export const RulesTable = forwardRef(function RulesTable({ className, hint, ...props }, ref) {
  const element = useRef(null);
  const before = useRef({});
  const latest = useRef(props);
  latest.current = props;
  useImperativeHandle(ref, () => element.current, []);

  useEffect(() => {
    const ends = new AbortController();
    for (const [name, type] of Object.entries(EVENTS))
      element.current.addEventListener(type, (event) => latest.current[name]?.(event), { signal: ends.signal });
    import("./index.js");
    return () => ends.abort();
  }, []);

  // Only what has changed, for a table that waits for the answer to a move waits until a property is set.
  useEffect(() => {
    const changed = PROPERTIES.filter((name) => !Object.is(props[name], before.current[name]));
    before.current = props;
    for (const name of changed.filter((each) => props[each] === undefined)) element.current[name] = undefined;
    for (const name of changed.filter((each) => props[each] !== undefined)) element.current[name] = props[name];
  });

  const attributes = Object.fromEntries(
    Object.entries(props).filter(([name]) => !PROPERTIES.includes(name) && !(name in EVENTS)),
  );
  return createElement("rules-table", { ...attributes, class: className, hint: hint ? "" : undefined, ref: element });
});
