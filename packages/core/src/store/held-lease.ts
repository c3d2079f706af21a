import { randomUUID } from "node:crypto";
import type { Clock } from "../primitives/clock.ts";
import type { Store } from "./store.ts";

/** Options of {@link takeLease}. */
export interface LeaseOptions {
  /** The clock of the renewals. The lease itself runs on the store's clock. */
  readonly clock: Clock;
  /** The length of the lease after each renewal. {@link HeldLease.keepAlive} renews after a third of it. */
  readonly leaseSeconds: number;
  /** The lifetime of the entry after each write and renewal. */
  readonly ttlSeconds: number;
}

/** The result of {@link takeLease}: the lease, or the value of a key that another token holds. */
export type TakenLease = HeldLease | { readonly held: false; readonly value: string | undefined };

/** A lease of a key: the right to replace its value, as long as no other holder takes over. */
export interface HeldLease {
  /** Distinguishes it from a lease that another token holds. */
  readonly held: true;
  /** The value when the lease was taken. */
  readonly value: string | undefined;
  /**
   * Renews the lease from now on, until `stop`, `settle` or the limit. Call it once per lease.
   *
   * @param limitSeconds - the time after which the renewals stop and the signal aborts.
   */
  keepAlive(limitSeconds: number): Renewal;
  /**
   * Writes the value and keeps the lease as long as it was to run. Returns false, and writes nothing, if another holder took over.
   * Rejects with the store's error: it is then unknown whether the value was written.
   */
  write(value: string): Promise<boolean>;
  /**
   * Writes the value, or deletes it if it is `undefined`, and ends the lease and its renewals.
   *
   * Returns false, and writes nothing, if another holder took over. Rejects with the store's error: it is then unknown
   * whether the value was written, and the lease runs out by itself.
   *
   * @param settleWith - replaces the store's `settle`, for example within a transaction.
   */
  settle(value: string | undefined, settleWith?: Store["settle"]): Promise<boolean>;
}

/** A lease that is being renewed. */
export interface Renewal {
  /**
   * Aborts if another holder takes over, if no renewal succeeds for the length of the lease, or at the limit. The
   * reason is a `DOMException`: `TimeoutError` at the limit, else `AbortError`.
   */
  readonly signal: AbortSignal;
  /** Ends the renewals. The signal never aborts after that. */
  stop(): void;
}

/**
 * Takes the lease of a key under a new token, unless another token holds it.
 *
 * Rejects with the store's error.
 */
export async function takeLease(store: Store, key: string, options: LeaseOptions): Promise<TakenLease> {
  const token = randomUUID();
  const takenAt = options.clock.now();
  const { held, value } = await store.lease(key, token, options);
  return held ? holdLease(store, key, { token, takenAt, value }, options) : { held, value };
}

/** A lease that the store granted. */
interface Grant {
  readonly token: string;
  /** The instant of the request, in Unix milliseconds on the clock of the renewals. */
  readonly takenAt: number;
  readonly value: string | undefined;
}

function holdLease(store: Store, key: string, { token, takenAt, value }: Grant, options: LeaseOptions): HeldLease {
  const inSequence = createSequence();
  let written = value;
  let lost = false;
  let renewal: Renewal | undefined;

  async function renew(): Promise<boolean> {
    const found = await store.lease(key, token, options);
    if (found.held && found.value === written) return true;
    lost = true;
    // Another holder took over and settled before this renewal. With the lease that the store just granted, this
    // process could overwrite that work. So it releases the key, with the value that it found.
    if (found.held) await store.settle(key, token, found.value, options);
    return false;
  }

  return {
    held: true,
    value,
    keepAlive(limitSeconds) {
      renewal = startRenewal({ ...options, limitSeconds, takenAt, renew: () => inSequence(renew) });
      return renewal;
    },
    write(next) {
      return inSequence(async () => {
        if (lost || !(await store.settle(key, token, next, { ttlSeconds: options.ttlSeconds, hold: true })))
          return false;
        written = next;
        return true;
      });
    },
    settle(next, settleWith = (...args) => store.settle(...args)) {
      renewal?.stop();
      return inSequence(async () => !lost && settleWith(key, token, next, { ttlSeconds: options.ttlSeconds }));
    },
  };
}

/**
 * Creates a function that runs tasks one after the other. Otherwise a renewal could reach the store after `settle`, and
 * take the lease again.
 */
function createSequence(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}

interface RenewalOptions {
  readonly clock: Clock;
  readonly leaseSeconds: number;
  readonly limitSeconds: number;
  readonly takenAt: number;
  /** Renews the lease. Returns false if it is lost. */
  readonly renew: () => Promise<boolean>;
}

function startRenewal({ clock, leaseSeconds, limitSeconds, takenAt, renew }: RenewalOptions): Renewal {
  const controller = new AbortController();
  const leaseMilliseconds = leaseSeconds * 1000;
  const intervalMilliseconds = leaseMilliseconds / 3;
  let renewedAt = takenAt;
  let stopped = false;
  let cancelNext = clock.schedule(Math.max(0, takenAt + intervalMilliseconds - clock.now()), renewNext);
  const cancelLimit = clock.schedule(limitSeconds * 1000, () => {
    giveUp("The work took longer than its limit.", "TimeoutError");
  });

  function stop(): void {
    stopped = true;
    cancelNext();
    cancelLimit();
  }

  function giveUp(message: string, name: "AbortError" | "TimeoutError"): void {
    stop();
    controller.abort(new DOMException(message, name));
  }

  async function renewNext(): Promise<void> {
    const requestedAt = clock.now();
    const isRenewed = await renew().catch(() => undefined);
    if (stopped) return;
    if (isRenewed === true) renewedAt = requestedAt;
    // A store that fails may recover in time, so the lease is given up only once it has surely run out.
    const lost = isRenewed === false || clock.now() - renewedAt >= leaseMilliseconds;
    if (lost) return giveUp("The lease was lost.", "AbortError");
    cancelNext = clock.schedule(intervalMilliseconds, renewNext);
  }

  return { signal: controller.signal, stop };
}
