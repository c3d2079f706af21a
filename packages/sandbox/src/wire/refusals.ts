import type { Refusal, RefusalStatus } from "../primitives/refusal.ts";
import type { Dialect } from "../state/dialect.ts";

/** The answer to a refused API request. */
export interface WireRefusal {
  /** The HTTP status. */
  readonly status: RefusalStatus;
  /** The content type; undefined for an empty body. */
  readonly contentType: string | undefined;
  /** The body; undefined for an empty one. */
  readonly body: string | undefined;
}

/**
 * Returns the answer to a refused API request, in the form of the dialect.
 *
 * @see "Errors" of the specification, which leaves the form open
 */
export function wireRefusal({ refusalStatus, refusalBody }: Dialect, refusal: Refusal): WireRefusal {
  const status = (refusalStatus === "403_400" && otherStatuses.get(refusal.status)) || refusal.status;
  switch (refusalBody) {
    case "json":
      return { status, contentType: "application/json", body: JSON.stringify(refusalRecord(refusal)) };
    case "empty":
      return { status, contentType: undefined, body: undefined };
    case "html":
      return { status, contentType: "text/html", body: "<!doctype html><title>Error</title><h1>Error</h1>" };
  }
}

/** Returns the JSON of a refusal, in the default dialect and for everything outside of the API. */
export function refusalRecord({ code, message, field }: Refusal): object {
  return { error_code: code, error_message: message, ...(field !== undefined && { field }) };
}

const otherStatuses: ReadonlyMap<RefusalStatus, RefusalStatus> = new Map([
  [401, 403],
  [422, 400],
]);
