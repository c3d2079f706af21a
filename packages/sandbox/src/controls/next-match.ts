import { SandboxError } from "../sandbox-error.ts";
import type { Change, Collection } from "../state/collection.ts";

/** What to wait for, and how long. */
export interface Wanted<Item> {
  readonly matches: (item: Item, change: Change) => boolean;
  /** What to reject with when nothing came in time. */
  readonly missing: () => SandboxError;
  /** On the wall clock. */
  readonly timeoutSeconds: number;
  /** Ends the wait. */
  readonly ends: AbortSignal;
}

/** A longer time-out overflows to none at all: twenty-four days. */
const longestTimeoutMilliseconds = 2 ** 31 - 1;

/**
 * Resolves with the next record that matches as it is written.
 *
 * @throws SandboxError what `missing` makes, after the time-out; `closed` when the wait is ended
 */
export function nextMatch<Item extends { readonly id: string }>(
  collection: Collection<Item>,
  { matches, missing, timeoutSeconds, ends }: Wanted<Item>,
): Promise<Item> {
  const { promise, resolve, reject } = Promise.withResolvers<Item>();
  const end = () => reject(new SandboxError("closed", "The wait was ended."));
  const timer = setTimeout(() => reject(missing()), Math.min(timeoutSeconds * 1000, longestTimeoutMilliseconds));
  const stop = collection.watch((item, change) => {
    if (change !== "removed" && matches(item, change)) resolve(item);
  });
  ends.addEventListener("abort", end, { once: true });
  if (ends.aborted) end();
  return promise.finally(() => {
    clearTimeout(timer);
    stop();
    ends.removeEventListener("abort", end);
  });
}
