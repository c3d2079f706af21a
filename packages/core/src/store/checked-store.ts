import type { z } from "zod";
import { DoorcodeError } from "../util/errors.ts";
import type { Publish } from "../util/publish.ts";
import type { CounterChange, Store } from "./store.ts";

/**
 * Checks keys, tokens and values, for an implementation of {@link Store}. Skips `undefined`.
 *
 * @throws TypeError for a text with half of a surrogate pair. UTF-8 cannot encode it, so two such keys would be equal.
 */
export function checkTexts(...texts: readonly (string | undefined)[]): void {
  for (const text of texts) {
    if (text?.isWellFormed() === false) throw new TypeError("A key, token or value must be well-formed Unicode.");
  }
}

/**
 * Checks lifetimes and lengths of leases, for an implementation of {@link Store}.
 *
 * @throws TypeError for a number that is not a whole number of seconds above 0, or is inexact in milliseconds. An entry that expires at
 * `NaN`, for example, would never expire.
 */
export function checkSeconds(...durations: readonly number[]): void {
  for (const seconds of durations) {
    if (Number.isSafeInteger(seconds) && seconds > 0 && Number.isSafeInteger(seconds * 1000)) continue;
    throw new TypeError("A lifetime or the length of a lease must be a whole number of seconds above 0.");
  }
}

/**
 * Checks a change of a counter, for an implementation of {@link Store}. Check the whole list before the first change.
 *
 * @throws TypeError for a wrong key, lifetime, amount or limit. A limit may be any number, even an inexact one.
 */
export function checkCounterChange({ key, by, limit = 0, ttlSeconds }: CounterChange): void {
  checkTexts(key);
  checkSeconds(ttlSeconds);
  if (!Number.isSafeInteger(by)) throw new TypeError("increment: by must be a whole number.");
  if (typeof limit !== "number" || Number.isNaN(limit)) throw new TypeError("increment: limit must be a number.");
}

/** An event about the store, for `onEvent`. */
export interface StoreEvent {
  readonly type: "store.failed";
  readonly error: unknown;
}

/** Wraps a store: every rejection is published and becomes `store_unavailable`. Nothing goes on without an answer. */
export function createFailClosedStore(store: Store, publish: Publish<StoreEvent>): Store {
  async function failClosed<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      return await ask();
    } catch (error) {
      publish({ type: "store.failed", error });
      throw new DoorcodeError("store_unavailable", { retryAfterSeconds: 1, cause: error });
    }
  }

  return {
    get: (...given) => failClosed(() => store.get(...given)),
    put: (...given) => failClosed(() => store.put(...given)),
    increment: (...given) => failClosed(() => store.increment(...given)),
    lease: (...given) => failClosed(() => store.lease(...given)),
    settle: (...given) => failClosed(() => store.settle(...given)),
  };
}

/** Parses a record that was stored as JSON. Returns `undefined` for an absent or empty text, and for a wrong shape. */
export function readRecord<Shape extends z.ZodType>(
  shape: Shape,
  text: string | undefined,
): z.output<Shape> | undefined {
  const stored = parseText(text);
  return stored === undefined ? undefined : shape.safeParse(stored).data;
}

/** Parses a text as JSON. Returns `undefined` for an absent or empty text, and for any other that is no JSON. */
export function parseText(text: string | undefined): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Finds every number that parsing can change, by what may stand before a number. An id in hexadecimal such as "1e5f…" is none. */
const mayHaveLongNumber = /(?:^|[:,[\s])-?(?:[\d.]{16}|[\d.]+e)/i;

/**
 * Parses JSON with each number that may have been rounded as its text: an identifier could otherwise name another record, and two events
 * could look the same. Returns `undefined` for a text that is no JSON, or is nested too deeply.
 */
export function parseExact(text: string): unknown {
  // Most texts have none, and are parsed seven times as fast.
  if (!mayHaveLongNumber.test(text)) return parseText(text);
  try {
    return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) => {
      const { source = "" } = context ?? {};
      return typeof value !== "number" || isExact(value, source) ? value : source;
    });
  } catch {
    return undefined;
  }
}

/** Tells whether a number has the digits of its text. A whole number beyond 2^53 is the same for several texts, and counts as rounded. */
function isExact(value: number, source: string): boolean {
  // No number has so many digits, and to compare them would take long.
  if (source.length > 100 || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  return digitsOf(source) === digitsOf(String(value));
}

/** Returns the significant digits of a number, which are the same in each spelling of it: 1.5E3, 1500 and 1500.0. */
function digitsOf(number: string): string {
  return number
    .replace(/e.*/i, "")
    .replaceAll(/[-.]/g, "")
    .replaceAll(/^0+|0+$/g, "");
}
