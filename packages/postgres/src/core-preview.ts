// Until core's entries have landed.
import type { Clock, DoorcodeError } from "@doorcode/core";
import { z } from "zod";

export type {
  BuriedEntry as DeadLetterEntry,
  Inbox,
  InboxEntry,
  InboxHandler,
  InboxWorker,
  InboxWorkOptions,
  LastError as ErrorSummary,
  TakenEntry,
  Verdict as InboxVerdict,
} from "@doorcode/core";
export { type Clock, systemClock, within as waitAtMost } from "@doorcode/core";

export const functionOption: z.ZodType<(...given: never[]) => unknown> = z.custom<(...given: never[]) => unknown>(
  (value) => typeof value === "function",
  "expected a function",
);
export const clockOption: z.ZodType<Clock> = z.custom<Clock>((value) => {
  const { now, schedule } = (value ?? {}) as Partial<Clock>;
  return typeof now === "function" && typeof schedule === "function";
}, "expected a Clock, with now and schedule");

export function parseOptions<Shape extends z.ZodType>(place: string, shape: Shape, options: unknown): z.output<Shape> {
  const parsed = shape.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const option = issue?.path.map(String).join(".") || "options";
  throw new TypeError(`${place}: ${option}: ${issue?.message}.`);
}

export interface Deadline {
  readonly isOver: boolean;
  race<Result>(work: Promise<Result>): Promise<Result>;
  clear(): void;
}

export function createDeadline(clock: Clock, seconds: number, createError: () => unknown): Deadline {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  let isOver = false;
  const clear = clock.schedule(seconds * 1000, () => {
    isOver = true;
    reject(createError());
  });
  return {
    get isOver() {
      return isOver;
    },
    race: (work) => Promise.race([work, promise]),
    clear,
  };
}

export async function orAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    promise.catch(() => undefined);
  }
}

export function wait(clock: Clock, delayMilliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(delayMilliseconds, resolve);
  });
}

export type { DoorcodeError };
