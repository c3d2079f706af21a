import { DoorcodeError } from "@doorcode/core";

/** The end of the time that a verb has, for everything it waits for. */
export interface Deadline {
  /** Settles as `work` does, or rejects with `store_unavailable` when the time is over first. */
  meet<Result>(work: Promise<Result>): Promise<Result>;
  clear(): void;
}

/** Starts the time of a verb. */
export function createDeadline(seconds: number): Deadline {
  const { promise, reject } = Promise.withResolvers<never>();
  // Nobody may be waiting when it is over.
  promise.catch(() => undefined);
  const timer = setTimeout(() => {
    const message = `PostgreSQL did not answer within ${seconds} s: look for locks, a full pool, or a server that is down.`;
    reject(new DoorcodeError("store_unavailable", { message }));
  }, seconds * 1000);
  return {
    meet: (work) => Promise.race([work, promise]),
    clear: () => clearTimeout(timer),
  };
}

/** Makes an end of the time of a signal: everything rejects with its reason from then on. Never, without one. */
export function endAt(signal: AbortSignal | undefined): Deadline {
  if (!signal) return { meet: (work) => work, clear: () => undefined };
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return {
    meet: (work) => Promise.race([work, promise]),
    clear: () => signal.removeEventListener("abort", abort),
  };
}
