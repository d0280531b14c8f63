/** Rules Referee from TypeScript: `new Referee(url).twins.validate(…)`, `.open(…)`; see the README. */

export * from "./games.ts";
export type * as models from "./models.ts";
export type { Change, Game, Known, LiveEvent, MoveChange, Opened, Table, Types } from "./calls.ts";
export { type Call, type Options, Unsupported } from "./connection.ts";
export * from "./problems.ts";
