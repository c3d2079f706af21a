import type { Refusal, RefusalStatus } from "../refusal.ts";
import type { Dialect } from "./dialect.ts";

/** A refusal as it stands on the wire. */
export interface WireRefusal {
  readonly status: RefusalStatus;
  readonly contentType: string | undefined;
  /** Undefined leaves the body empty, and without a type. */
  readonly body: string | undefined;
}

/** Writes a refusal of the API as the dialect has it. @see "Errors" of the specification, which leaves the form open */
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

/** The members of a refusal, in the default dialect and on everything that is not the API. */
export function refusalRecord({ code, message, field }: Refusal): object {
  return { error_code: code, error_message: message, ...(field !== undefined && { field }) };
}

const otherStatuses: ReadonlyMap<RefusalStatus, RefusalStatus> = new Map([
  [401, 403],
  [422, 400],
]);
