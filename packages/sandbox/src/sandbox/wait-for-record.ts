import { SandboxError } from "../primitives/errors.ts";
import type { Change, Collection } from "../state/collection.ts";
import { maxTimeoutMilliseconds } from "../state/record.ts";

/** The time limit of a wait in a program. Vitest and Jest end a test after 5 seconds, and the error of the wait says more than theirs. */
export const defaultTimeoutSeconds = 4;

interface RecordWait<Item> {
  readonly matches: (item: Item, change: Change) => boolean;
  readonly missing: () => SandboxError;
  readonly timeoutSeconds: number;
  readonly closed: AbortSignal;
  readonly signal: AbortSignal | undefined;
}

/**
 * Resolves with the next matching record that is written.
 *
 * @throws SandboxError the result of `missing` after the time limit; `closed` when the wait is ended
 */
export function waitForRecord<Item>(
  records: Collection<Item>,
  { matches, missing, timeoutSeconds, closed, signal }: RecordWait<Item>,
): Promise<Item> {
  const { promise, resolve, reject } = Promise.withResolvers<Item>();
  const ended = signal ? AbortSignal.any([closed, signal]) : closed;
  const end = () => reject(new SandboxError("closed", "The wait was ended."));
  const timer = setTimeout(() => reject(missing()), Math.min(timeoutSeconds * 1000, maxTimeoutMilliseconds));
  const stop = records.watch((item, change) => {
    if (change !== "removed" && matches(item, change)) resolve(item);
  });
  ended.addEventListener("abort", end, { once: true });
  if (ended.aborted) end();
  return promise.finally(() => {
    clearTimeout(timer);
    stop();
    ended.removeEventListener("abort", end);
  });
}

/**
 * Calls a program's watcher with the records of an application after these changes.
 *
 * The watcher runs after the code that has changed the record. A watcher that throws or resets the application cannot interrupt that code.
 *
 * @returns a function that ends it.
 */
export function watchRecords<Item extends { readonly applicationId: string }>(
  records: Collection<Item>,
  applicationId: string,
  changes: readonly Change[],
  watcher: (item: Item) => void,
): () => void {
  return records.watch((item, change) => {
    if (item.applicationId === applicationId && changes.includes(change)) queueMicrotask(() => watcher(item));
  });
}
