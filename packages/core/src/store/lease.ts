import { randomUUID } from "node:crypto";
import type { Clock } from "../util/clock.ts";
import type { Store } from "./store.ts";

/** Options of {@link takeLease}. */
export interface LeaseOptions {
  /** The clock of the renewals. The lease itself runs on the store's clock. */
  readonly clock: Clock;
  /** The length of the lease after each renewal. {@link HeldLease.keepAlive} renews after a quarter of it. */
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
  /** Renews the lease until `stop`, `settle` or the limit, at which the signal aborts. Call it once per lease. */
  keepAlive(limitSeconds: number): Renewal;
  /**
   * Writes the value and keeps the lease as long as it was to run. Returns false, and writes nothing, if another holder
   * took over. Rejects with the store's error: it is then unknown whether the value was written.
   */
  write(value: string): Promise<boolean>;
  /**
   * Writes the value as `write` does, or deletes it if it is `undefined`, and ends the lease and its renewals. After an
   * error the lease runs out by itself.
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

/** Takes the lease of a key under a new token, unless another token holds it. Rejects with the store's error. */
export async function takeLease(store: Store, key: string, options: LeaseOptions): Promise<TakenLease> {
  const { clock, ttlSeconds } = options;
  const token = randomUUID();
  let renewedAt = clock.now();
  const { held, value } = await store.lease(key, token, options);
  if (!held) return { held, value };

  let written = value;
  let isLost = false;
  let renewal: Renewal | undefined;
  let lastCall: Promise<unknown> = Promise.resolve();

  /** Each call waits for the one before it: a renewal that came after `settle` would take the lease again. */
  function afterLastCall(call: () => Promise<boolean>): Promise<boolean> {
    const answered = lastCall.then(call, call);
    lastCall = answered;
    return answered;
  }

  function hasRunOut(): boolean {
    return clock.now() - renewedAt >= options.leaseSeconds * 1000;
  }

  async function renew(): Promise<boolean> {
    // A lease that has run out may have had another holder, even if the value is the same. Without a renewal the
    // store still knows whether it had one, and `settle` asks the store.
    if (hasRunOut()) return false;
    const requestedAt = clock.now();
    const found = await store.lease(key, token, options);
    if (found.held && found.value === written && !hasRunOut()) {
      renewedAt = requestedAt;
      return true;
    }
    isLost = true;
    // Another holder may have taken over and settled before this renewal. With the lease that the store just granted, this
    // process could overwrite that work. So it releases the key, with the value that it found.
    if (found.held) await store.settle(key, token, found.value, { ttlSeconds });
    return false;
  }

  return {
    held,
    value,
    keepAlive(limitSeconds) {
      renewal = startRenewal(options, renewedAt, limitSeconds, { renew: () => afterLastCall(renew), hasRunOut });
      return renewal;
    },
    write: (next) =>
      afterLastCall(async () => {
        const isWritten = !isLost && (await store.settle(key, token, next, { ttlSeconds, hold: true }));
        if (isWritten) written = next;
        return isWritten;
      }),
    settle(next, settleWith = (...given) => store.settle(...given)) {
      renewal?.stop();
      return afterLastCall(async () => !isLost && settleWith(key, token, next, { ttlSeconds }));
    },
  };
}

interface Renewer {
  /** Resolves to false if the lease is lost. Rejects with the store's error. */
  renew(): Promise<boolean>;
  /** True if the store has surely ended the lease. */
  hasRunOut(): boolean;
}

/** Renews a lease after each quarter of its length, so that the store may fail twice. */
function startRenewal(
  { clock, leaseSeconds }: LeaseOptions,
  takenAt: number,
  limitSeconds: number,
  { renew, hasRunOut }: Renewer,
): Renewal {
  const intervalMilliseconds = (leaseSeconds * 1000) / 4;
  const controller = new AbortController();
  let isStopped = false;
  let cancelNext = clock.schedule(Math.max(0, takenAt + intervalMilliseconds - clock.now()), renewNext);
  const cancelLimit = clock.schedule(limitSeconds * 1000, () =>
    giveUp("The work took longer than its limit.", "TimeoutError"),
  );

  async function renewNext(): Promise<void> {
    const isRenewed = await renew().catch(() => undefined);
    if (isStopped) return;
    // A store that fails may recover in time, so the lease is given up only once it has surely run out.
    if (isRenewed === false || hasRunOut()) giveUp("The lease was lost.", "AbortError");
    else cancelNext = clock.schedule(intervalMilliseconds, renewNext);
  }

  function stop(): void {
    isStopped = true;
    cancelNext();
    cancelLimit();
  }

  function giveUp(message: string, name: "AbortError" | "TimeoutError"): void {
    stop();
    controller.abort(new DOMException(message, name));
  }

  return { signal: controller.signal, stop };
}
