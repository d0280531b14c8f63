/** Problems as errors: one class a kind, recognised by the document's `type`. */

import type { Problem } from "./models.ts";

/** A request that was refused, or failed. */
export class RefereeProblem extends Error {
  /** What to decide by; `unknown` for one that this package does not know. */
  readonly kind: string = "unknown";
  /** The document; of an answer without one, as much as is known. */
  readonly problem: Problem;

  constructor(problem: Problem, message = problem.detail) {
    super(message);
    this.name = new.target.name;
    this.problem = problem;
  }

  /** The HTTP status. */
  get status(): number {
    return this.problem.status;
  }
}

/** A document with those members that come with this kind of problem. */
type With<Members extends keyof Problem> = Problem & Required<Pick<Problem, Members>>;

export class MalformedJson extends RefereeProblem {
  override readonly kind = "malformed-json";
}

export class InvalidRequest extends RefereeProblem {
  override readonly kind = "invalid-request";
  declare readonly problem: With<"errors">;
}

export class Unauthorized extends RefereeProblem {
  override readonly kind = "unauthorized";
}

export class Forbidden extends RefereeProblem {
  override readonly kind = "forbidden";
}

export class NotFound extends RefereeProblem {
  override readonly kind = "not-found";
}

export class MethodNotAllowed extends RefereeProblem {
  override readonly kind = "method-not-allowed";
}

export class NotAcceptable extends RefereeProblem {
  override readonly kind = "not-acceptable";
}

export class RequestInProgress extends RefereeProblem {
  override readonly kind = "request-in-progress";
}

export class SessionFull extends RefereeProblem {
  override readonly kind = "session-full";
}

export class SeatTaken extends RefereeProblem {
  override readonly kind = "seat-taken";
}

export class IncidentOpen extends RefereeProblem {
  override readonly kind = "incident-open";
  declare readonly problem: With<"closes_in_ms">;
}

export class TimeRunning extends RefereeProblem {
  override readonly kind = "time-running";
  declare readonly problem: With<"ends_in_ms">;
}

export class TimeOver extends RefereeProblem {
  override readonly kind = "time-over";
}

export class NotOver extends RefereeProblem {
  override readonly kind = "not-over";
}

export class VersionMismatch extends RefereeProblem {
  override readonly kind = "version-mismatch";
  declare readonly problem: With<"version" | "view">;
}

export class PayloadTooLarge extends RefereeProblem {
  override readonly kind = "payload-too-large";
}

export class UnsupportedMediaType extends RefereeProblem {
  override readonly kind = "unsupported-media-type";
}

export class InvalidState extends RefereeProblem {
  override readonly kind = "invalid-state";
  declare readonly problem: With<"faults">;
}

/** Its message: the sentence and the clause of the first violation. */
export class IllegalMove extends RefereeProblem {
  override readonly kind = "illegal-move";
  declare readonly problem: With<"violations">;

  constructor(problem: With<"violations">) {
    const first = problem.violations?.[0];
    super(problem, first && `${first.text} (${first.rule})`);
  }
}

export class SeedMismatch extends RefereeProblem {
  override readonly kind = "seed-mismatch";
}

export class TooMuchAsked extends RefereeProblem {
  override readonly kind = "too-much-asked";
}

export class IdempotencyKeyReused extends RefereeProblem {
  override readonly kind = "idempotency-key-reused";
}

export class TooManyRequests extends RefereeProblem {
  override readonly kind = "too-many-requests";
}

export class HeadersTooLarge extends RefereeProblem {
  override readonly kind = "headers-too-large";
}

export class InternalError extends RefereeProblem {
  override readonly kind = "internal-error";
}

export class StoreUnavailable extends RefereeProblem {
  override readonly kind = "store-unavailable";
}

export class Overloaded extends RefereeProblem {
  override readonly kind = "overloaded";
}

/** No answer of a referee: the connection failed or broke off, took too long, or brought something else. `cause` is the error
 * of the platform. `status` is that of the answer, 0 if there was none. */
export class NetworkError extends RefereeProblem {
  constructor(detail: string, status: number, cause: unknown) {
    super({ type: "about:blank", title: "", status, detail, instance: "" });
    this.cause = cause;
  }
}

/** The class of each `type`. */
export const BY_TYPE: Readonly<Record<string, new (problem: never) => RefereeProblem>> = {
  "/problems/malformed-json": MalformedJson,
  "/problems/invalid-request": InvalidRequest,
  "/problems/unauthorized": Unauthorized,
  "/problems/forbidden": Forbidden,
  "/problems/not-found": NotFound,
  "/problems/method-not-allowed": MethodNotAllowed,
  "/problems/not-acceptable": NotAcceptable,
  "/problems/request-in-progress": RequestInProgress,
  "/problems/session-full": SessionFull,
  "/problems/seat-taken": SeatTaken,
  "/problems/incident-open": IncidentOpen,
  "/problems/time-running": TimeRunning,
  "/problems/time-over": TimeOver,
  "/problems/not-over": NotOver,
  "/problems/version-mismatch": VersionMismatch,
  "/problems/payload-too-large": PayloadTooLarge,
  "/problems/unsupported-media-type": UnsupportedMediaType,
  "/problems/invalid-state": InvalidState,
  "/problems/illegal-move": IllegalMove,
  "/problems/seed-mismatch": SeedMismatch,
  "/problems/too-much-asked": TooMuchAsked,
  "/problems/idempotency-key-reused": IdempotencyKeyReused,
  "/problems/too-many-requests": TooManyRequests,
  "/problems/headers-too-large": HeadersTooLarge,
  "/problems/internal-error": InternalError,
  "/problems/store-unavailable": StoreUnavailable,
  "/problems/overloaded": Overloaded,
};
