import { randomUUID } from "node:crypto";
import type { Clock } from "../util/clock.ts";
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
   * @param onAbort - called when the signal aborts. A listener of the signal would cost each lease more.
   */
  keepAlive(limitSeconds: number, onAbort?: () => void): Renewal;
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
export function takeLease(store: Store, key: string, options: LeaseOptions): Promise<TakenLease> {
  const token = createToken();
  const takenAt = options.clock.now();
  return store
    .lease(key, token, options)
    .then(({ held, value }) =>
      held ? new GrantedLease({ store, key, token, takenAt, value, options }) : { held, value },
    );
}

/** As many as Node draws random bytes for at once. */
const tokensPerRandomText = 128;
let randomText = "";
let tokens = 0;

/** Creates a token that no other process has. A random text for each would cost a webhook as much as its place in the queue. */
function createToken(): string {
  if (tokens % tokensPerRandomText === 0) randomText = randomUUID();
  tokens += 1;
  return `${randomText}.${tokens}`;
}

/** A lease that the store granted. */
interface Grant {
  readonly store: Store;
  readonly key: string;
  readonly token: string;
  /** The instant of the request, in Unix milliseconds on the clock of the renewals. */
  readonly takenAt: number;
  readonly value: string | undefined;
  readonly options: LeaseOptions;
}

/** A lease and its renewal in one object: a webhook has both, and each object more costs it as much as its comparison. */
class GrantedLease implements HeldLease, Renewal {
  readonly held = true;
  readonly value: string | undefined;
  readonly #grant: Grant;
  /** The value that this holder has written last. */
  #written: string | undefined;
  #lost = false;
  /** The last call of the store. The next one waits for it: a renewal that came after `settle` would take the lease again. */
  #lastCall: Promise<unknown> | undefined;
  #controller: AbortController | undefined;
  #onAbort: (() => void) | undefined;
  #renewedAt: number;
  #stopped = false;
  #cancelNext: (() => void) | undefined;
  #cancelLimit: (() => void) | undefined;

  constructor(grant: Grant) {
    this.value = grant.value;
    this.#grant = grant;
    this.#written = grant.value;
    this.#renewedAt = grant.takenAt;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  keepAlive(limitSeconds: number, onAbort?: () => void): Renewal {
    this.#onAbort = onAbort;
    this.#beginRenewals(limitSeconds);
    return this;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelNext?.();
    this.#cancelLimit?.();
  }

  write(next: string): Promise<boolean> {
    return this.#inSequence(async () => {
      const isWritten = await this.#settle(next, { hold: true });
      if (isWritten) this.#written = next;
      return isWritten;
    });
  }

  settle(next: string | undefined, settleWith?: Store["settle"]): Promise<boolean> {
    this.stop();
    return this.#inSequence(() => this.#settle(next, {}, settleWith));
  }

  #inSequence<Result>(call: () => Promise<Result>): Promise<Result> {
    const answered = this.#lastCall ? this.#lastCall.then(call, call) : call();
    this.#lastCall = answered;
    return answered;
  }

  #settle(value: string | undefined, hold: { readonly hold?: true }, settleWith?: Store["settle"]): Promise<boolean> {
    if (this.#lost) return Promise.resolve(false);
    const { store, key, token, options } = this.#grant;
    const settleOptions = { ttlSeconds: options.ttlSeconds, ...hold };
    if (!settleWith) return store.settle(key, token, value, settleOptions);
    // The promise of another library may ask its database again at each `then`, and the next call uses one, too.
    return Promise.resolve(settleWith(key, token, value, settleOptions));
  }

  #beginRenewals(limitSeconds: number): void {
    const { takenAt, options } = this.#grant;
    const { clock } = options;
    this.#renewIn(Math.max(0, takenAt + intervalMilliseconds(options) - clock.now()));
    this.#cancelLimit = clock.schedule(limitSeconds * 1000, () => {
      this.#giveUp("The work took longer than its limit.", "TimeoutError");
    });
  }

  #renewIn(milliseconds: number): void {
    this.#cancelNext = this.#grant.options.clock.schedule(milliseconds, () => void this.#renewNext());
  }

  async #renewNext(): Promise<void> {
    const { options } = this.#grant;
    const requestedAt = options.clock.now();
    const isRenewed = await this.#inSequence(() => this.#renew()).catch(() => undefined);
    if (this.#stopped) return;
    if (isRenewed === true) this.#renewedAt = requestedAt;
    // A store that fails may recover in time, so the lease is given up only once it has surely run out.
    const hasRunOut = options.clock.now() - this.#renewedAt >= options.leaseSeconds * 1000;
    if (isRenewed === false || hasRunOut) return this.#giveUp("The lease was lost.", "AbortError");
    this.#renewIn(intervalMilliseconds(options));
  }

  async #renew(): Promise<boolean> {
    const { store, key, token, options } = this.#grant;
    const found = await store.lease(key, token, options);
    if (found.held && found.value === this.#written) return true;
    this.#lost = true;
    // Another holder took over and settled before this renewal. With the lease that the store just granted, this
    // process could overwrite that work. So it releases the key, with the value that it found.
    if (found.held) await store.settle(key, token, found.value, options);
    return false;
  }

  #giveUp(message: string, name: "AbortError" | "TimeoutError"): void {
    this.stop();
    this.#controller ??= new AbortController();
    this.#controller.abort(new DOMException(message, name));
    this.#onAbort?.();
  }
}

/** A lease is renewed after a third of its length, so that a store may fail twice. */
function intervalMilliseconds({ leaseSeconds }: LeaseOptions): number {
  return (leaseSeconds * 1000) / 3;
}
