// Types of /elements.js, of its element <rules-table>, and of the package rules-referee-table. See docs/elements.md.

/** A move, as the contract has it. */
export interface Move {
  readonly type: string;
  readonly seat?: number | null;
  readonly [member: string]: unknown;
}

/** An event, a violation or a fault: what the referee says, and by which clause. */
export interface Ruling {
  readonly rule: string;
  readonly code: string;
  readonly text: string;
  readonly params: object;
}

export interface LegalMove {
  readonly move: object;
  /** What its button says. */
  readonly text?: string;
  readonly facts?: object;
}

export interface Hand {
  readonly seat: number;
  readonly card: string;
}

/** A session, as `GET /sessions/{id}` answers it. */
export interface Session {
  readonly id: string;
  readonly game: string;
  readonly version: number;
  readonly names: readonly string[] | null;
  readonly state: object | null;
  readonly to_act: readonly (number | null)[];
  readonly standings: readonly object[];
  readonly result: object | null;
  /** The next table of the same people; null until one of them has opened it by `ask("POST", "/rematch")`. */
  readonly rematch: { readonly id: string; readonly by: number | null; readonly seated: readonly number[] } | null;
  readonly [member: string]: unknown;
}

/** An entry of a session's log. */
export interface Entry {
  readonly version: number;
  readonly moves: readonly object[];
  readonly events: readonly Ruling[];
}

/** A problem document (RFC 9457). */
export interface Problem {
  readonly detail?: string;
  readonly type?: string;
  readonly status?: number;
  readonly [member: string]: unknown;
}

/** A token of a session, or a function that gives one; null for a spectator of a public session. */
export type Token = string | ((of: { src: string; session: string }) => string | null | Promise<string | null>) | null;

/** What every table takes. */
export interface Common {
  /** The address of the service. It can be left out where that service serves this module. */
  src?: string | null;
  /** The players, by seat. A session has names of its own. */
  names?: readonly string[];
  /** The seat drawn below; 0 by default. In a session, for a seat's token, it is that seat. */
  seat?: number | null;
  /** An answer of `GET /games/{game}`, if the page has one already. */
  about?: object | null;
}

/** A table that shows what the page gives it. */
export interface Drawn extends Common {
  game: string | null;
  state: object | null;
  /** An answer of `/legal-moves`, or its `moves`; without it the table cannot be played at. */
  legal?:
    | { readonly moves: readonly LegalMove[]; readonly to_act?: readonly (number | null)[] }
    | readonly (LegalMove | object)[]
    | null;
  /** Whose moves can be made: those of a seat, of `"all"` (the default), or `null` for none. */
  plays?: number | "all" | null;
  /** The latest events. */
  events?: readonly object[];
  /** A question and its violations or faults; each is shown at the card that it points to. */
  marks?: { readonly of: object; readonly rulings: readonly object[] } | null;
  /** Whether hands fall in real time. */
  gathering?: boolean;
  /** The hands that have fallen; `closes` by `performance.now()`, `lasts` in milliseconds. */
  incident?: { readonly hands: readonly Hand[]; readonly closes: number; readonly lasts: number } | null;
  /** Whether groups may be counted now. */
  counting?: boolean;
  /** The groups that the seat below has handed in, until they are settled. */
  counted?: readonly (readonly string[])[] | null;
}

/** A table that follows a session and plays in it by itself. */
export interface Followed extends Common {
  session: string | null;
  /** Never an attribute; it is sent to `src` alone. */
  token?: Token;
}

export interface RulesTableEvents {
  /** A move was made, legal or not. In a session `preventDefault()` keeps it from being sent. */
  move: CustomEvent<{ move: Move }>;
  /** The button of a clause was pressed. */
  clause: CustomEvent<{ rule: string }>;
  drawn: CustomEvent<null>;
  /** The session, whenever it was read, and the legal moves of the token's seat. */
  session: CustomEvent<{ session: Session; legal: { readonly moves: readonly LegalMove[] } | null }>;
  entry: CustomEvent<Entry>;
  connection: CustomEvent<{ connected: boolean }>;
  /** Nothing follows: a problem, or null because the session was closed. */
  refused: CustomEvent<Problem | null>;
  /** The page has made a mistake, which the console tells, too. */
  misuse: CustomEvent<{ message: string }>;
}

export interface RulesTable extends HTMLElement, Required<Drawn>, Required<Followed> {
  /** How many seats are drawn. */
  readonly seats: number;
  /** The seats that are shown as to act. */
  readonly acting: readonly number[];
  /** A request to the session that is followed, with its token; a POST is made once, however often it is sent. */
  ask(method: string, path: string, body?: object): Promise<Response>;
  /** The cards that an event names. */
  cardsOf(event: Ruling): string[];
  /** Lights the cards that an event names, and no others; the same event once more: none. */
  light(event: Ruling): void;
  addEventListener<K extends keyof RulesTableEvents>(
    type: K,
    listener: (this: RulesTable, event: RulesTableEvents[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener<K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (this: RulesTable, event: HTMLElementEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<K extends keyof RulesTableEvents>(
    type: K,
    listener: (this: RulesTable, event: RulesTableEvents[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener<K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (this: RulesTable, event: HTMLElementEventMap[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
}

/** Markup of a picture, made by `svg`. */
export interface Markup {
  readonly text: string;
}

/** The drawing of a game: docs/elements.md says what each member gives. `t` draws. */
export interface Game {
  back: Markup;
  face(card: string | number, t: Drawing): Markup | null;
  seats(state: any, t: Drawing): number;
  middle(t: Drawing): Child[];
  seat(t: Drawing, seat: number): Child[];
  badge(t: Drawing, seat: number): Child[];
  keys(move: any, t: Drawing): (string | number)[];
  attempts(picked: string[], t: Drawing): Move[];
  acting?(state: any): number[];
  phase?(t: Drawing): string;
  refused?(picked: string[], t: Drawing): string[];
  confirm?(move: any): boolean;
  drags?(move: any): boolean;
  marked?(move: any): boolean;
  part?(key: string | number, t: Drawing): Move | null;
  hides?(move: any, t: Drawing): boolean;
  gathers?(picked: string[], t: Drawing): boolean;
  tools?(t: Drawing): { label: string; run(): object }[];
  more?(t: Drawing): { seat: number; keys: (string | number)[]; run?(): object }[];
}

export type Child = Node | string | null | undefined | Child[];
type Card = string | number | null;

export interface Drawing {
  readonly state: any;
  readonly seats: number;
  readonly picked: readonly string[];
  readonly draft: any;
  name(seat: number): string;
  /** The players of a team, as one name. */
  team(team: number): string;
  title(card: string | number): string;
  called(kind: string, name: string): string;
  option(name: string): unknown;
  can(type: string): boolean;
  mine(seat: number): boolean;
  zones(): { name: string; bySeat: boolean }[];
  lastEvent(code: string, seat?: number): any;
  card(
    card: Card,
    how?: { key?: string | number | null; note?: string; tag?: string; small?: boolean; label?: string },
  ): HTMLElement;
  fan(cards: (Card | Node)[], how?: { label?: string; arc?: boolean; wide?: boolean; small?: boolean }): HTMLElement;
  /** The hand of a seat: one's own in the order in which one left it. */
  hand(seat: number, cards: Card[], how?: { label?: string; arc?: boolean }): HTMLElement;
  group(
    caption: string,
    cards: (Card | Node)[],
    how?: { key?: string; says?: string; small?: boolean; wide?: boolean },
  ): HTMLElement;
  pile(cards: Card[], how?: { label?: string; key?: string | null; up?: boolean; small?: boolean }): HTMLElement;
  row(cards: (Card | Node)[], how?: { label?: string; tight?: boolean }): HTMLElement;
  chips(count: number, label: string): HTMLElement;
}

/** Registers the drawing of a game: `load` resolves to a module whose default export it is. */
export function draw(game: string, load: () => Promise<{ default: Game }>): void;

/** Markup of a picture of 100 × 140. What is put in is escaped, but for other markup and lists of it. */
export function svg(parts: TemplateStringsArray, ...values: unknown[]): Markup;

declare global {
  interface HTMLElementTagNameMap {
    "rules-table": RulesTable;
  }
}
