import { randomUUID } from "node:crypto";
import type { Clock } from "../primitives/clock.ts";
import type { Store } from "./store.ts";

/** How a key is taken. */
export interface LeaseOptions {
  /** Times the renewals; the lease itself runs on the store's clock. */
  readonly clock: Clock;
  /** How long the key stays taken after the last renewal; {@link HeldLease.keepAlive} renews at a third of it. */
  readonly leaseSeconds: number;
  /** How long the entry lives after each write and renewal. */
  readonly ttlSeconds: number;
}

/** What {@link takeLease} found: the lease, or the value of a key that somebody else holds. */
export type TakenLease = HeldLease | { readonly held: false; readonly value: string | undefined };

/** The right to replace the value of a key, for as long as nobody took it over. */
export interface HeldLease {
  readonly held: true;
  /** The value as it was when the lease was taken. */
  readonly value: string | undefined;
  /**
   * Renews the lease from now on, until `stop`, `settle`, or the limit. Called once per lease.
   *
   * @param limitSeconds - after that the lease is given up and the signal aborts.
   */
  keepAlive(limitSeconds: number): Renewal;
  /**
   * Writes the value, or deletes it when `undefined`; the lease ends with it, and its renewal too.
   *
   * False means that somebody else took over and nothing was written. Rejects with what the store rejects with; whether
   * the value was written is then unknown, and the lease runs out by itself.
   *
   * @param through - settles instead of the store, such as within a transaction. The store's own when left out.
   */
  settle(value: string | undefined, through?: Store["settle"]): Promise<boolean>;
}

/** A lease that is being renewed. */
export interface Renewal {
  /**
   * Aborts when the lease is lost: taken over, not renewed for its whole length, or at the limit. The reason is a
   * `DOMException`: `TimeoutError` at the limit, else `AbortError`.
   */
  readonly signal: AbortSignal;
  /** Ends the renewing without a word; the signal never aborts after that. */
  stop(): void;
}

/**
 * Takes the lease of a key under a token of its own, or tells that somebody else holds it.
 *
 * Rejects with what the store rejects with.
 */
export async function takeLease(store: Store, key: string, options: LeaseOptions): Promise<TakenLease> {
  const token = randomUUID();
  const takenAt = options.clock.now();
  const { held, value } = await store.lease(key, token, options);
  return held ? holdLease(store, key, { token, takenAt, value }, options) : { held, value };
}

/** A lease as it was granted. */
interface Grant {
  readonly token: string;
  /** Milliseconds, on the clock of the renewals. */
  readonly takenAt: number;
  readonly value: string | undefined;
}

function holdLease(store: Store, key: string, { token, takenAt, value }: Grant, options: LeaseOptions): HeldLease {
  const inTurn = createSequence();
  let lost = false;
  let renewal: Renewal | undefined;

  async function renew(): Promise<boolean> {
    const found = await store.lease(key, token, options);
    if (found.held && found.value === value) return true;
    lost = true;
    // Somebody took over and was done before this renewal came. Keeping what the store just granted would let us
    // overwrite that work, so the key is set free as it was found.
    if (found.held) await store.settle(key, token, found.value, options);
    return false;
  }

  return {
    held: true,
    value,
    keepAlive(limitSeconds) {
      renewal = startRenewal({ ...options, limitSeconds, takenAt, renew: () => inTurn(renew) });
      return renewal;
    },
    settle(next, through = (...given) => store.settle(...given)) {
      renewal?.stop();
      return inTurn(async () => !lost && through(key, token, next, { ttlSeconds: options.ttlSeconds }));
    },
  };
}

/** Runs acts one after the other: a renewal that reaches the store after the end of its lease would take it again. */
function createSequence(): <Result>(act: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const turn = last.then(act);
    last = turn.catch(() => undefined);
    return turn;
  };
}

interface RenewalOptions {
  readonly clock: Clock;
  readonly leaseSeconds: number;
  readonly limitSeconds: number;
  readonly takenAt: number;
  /** False when the lease is lost. */
  readonly renew: () => Promise<boolean>;
}

function startRenewal({ clock, leaseSeconds, limitSeconds, takenAt, renew }: RenewalOptions): Renewal {
  const controller = new AbortController();
  const leaseMilliseconds = leaseSeconds * 1000;
  const intervalMilliseconds = leaseMilliseconds / 3;
  let renewedAt = takenAt;
  let stopped = false;
  let cancelNext = clock.schedule(Math.max(0, takenAt + intervalMilliseconds - clock.now()), tick);
  const cancelLimit = clock.schedule(limitSeconds * 1000, () => {
    giveUp("The work took longer than its limit.", "TimeoutError");
  });

  function stop(): void {
    stopped = true;
    cancelNext();
    cancelLimit();
  }

  function giveUp(message: string, name: "AbortError" | "TimeoutError"): void {
    if (stopped) return;
    stop();
    controller.abort(new DOMException(message, name));
  }

  async function tick(): Promise<void> {
    const askedAt = clock.now();
    const kept = await renew().catch(() => undefined);
    if (stopped) return;
    if (kept === true) renewedAt = askedAt;
    // A store that does not answer may come back in time; only a lease that has surely run out is given up.
    const lost = kept === false || clock.now() - renewedAt >= leaseMilliseconds;
    if (lost) return giveUp("The lease was lost.", "AbortError");
    cancelNext = clock.schedule(intervalMilliseconds, tick);
  }

  return { signal: controller.signal, stop };
}
