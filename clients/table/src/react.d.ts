import type { ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from "react";
import type { Drawn, Followed, RulesTable as RulesTableElement, RulesTableEvents } from "./index.js";

type Handlers = {
  [Name in keyof RulesTableEvents as `on${Capitalize<Name>}`]?: (event: RulesTableEvents[Name]) => void;
};

/** A table that the page draws, or one that follows a session; never both. */
export type RulesTableProps = Omit<HTMLAttributes<HTMLElement>, keyof Handlers | keyof Drawn | "children"> &
  Handlers & { hint?: boolean } & (
    | (Drawn & { session?: undefined; token?: undefined })
    | (Followed & { [Name in Exclude<keyof Drawn, keyof import("./index.js").Common>]?: undefined })
  );

export const RulesTable: ForwardRefExoticComponent<RulesTableProps & RefAttributes<RulesTableElement>>;
