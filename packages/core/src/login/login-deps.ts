import type { EventEmitter } from "node:events";
import type { CodeStrategy } from "../codes/code-strategy.ts";
import type { Counters } from "../limits/counters.ts";
import type { LoginLimits } from "../limits/login-limits.ts";
import type { AllowedCountries, OfferedChannels } from "../phone/allowed-numbers.ts";
import type { Store } from "../store/store.ts";
import type { Clock } from "../util/clock.ts";
import type { CodeKeys } from "../util/keys.ts";
import type { Publish } from "../util/publish.ts";
import type { NumberProofs } from "../verify/number-proof.ts";
import type { LoginCallbacks } from "./callbacks.ts";
import type { LoginEvent, PublishLogin } from "./login-event.ts";
import type { TypedNumbers } from "./typed-number.ts";

/** The dependencies of a login, created once at start. */
export interface LoginDeps {
  readonly name: string;
  readonly store: Store;
  /** Emits the key of an entry in the store after it has changed in this process. A request that waits listens. */
  readonly changes: EventEmitter;
  readonly clock: Clock;
  /** Warns, once, of an id whose login the store does not have; `undefined` for a store that survives a restart. */
  readonly warnOfLostLogin: (() => void) | undefined;
  /** Publishes an event that names no login transaction. */
  readonly publish: Publish<LoginEvent>;
  readonly publishLogin: PublishLogin;
  readonly keys: CodeKeys;
  /** The tools for the proofs of a `verify`. */
  readonly proofs: NumberProofs;
  /** The tools for the number of a refused form. */
  readonly typedNumbers: TypedNumbers;
  readonly limits: LoginLimits;
  readonly counters: Counters;
  /** The owner of the code: the service or the app. */
  readonly codes: CodeStrategy;
  readonly countries: AllowedCountries;
  /** The channels of `codes`, and the types of numbers that each takes. */
  readonly channels: OfferedChannels;
  readonly callbacks: LoginCallbacks;
  readonly beforeSendFails: "closed" | "open";
  /** Whether `beforeSend` may suppress codes. Then no login shows a delivery, because a suppressed code has none. */
  readonly suppresses: boolean;
  /** The time without a proof after which a number may have changed hands. */
  readonly suspicionAfterSeconds: number;
}
