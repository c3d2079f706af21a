import type { Store } from "@doorcode/core/store";
import type { Deployment } from "./deployment.ts";
import { interceptStore, type StoreCall } from "./intercepted-store.ts";

/** How a single call of the store fails. */
export interface CallFailure {
  /** For the titles of tests. */
  readonly how: string;
  /** The store carries the call out, and only its answer is lost. */
  readonly carriedOut: boolean;
  /** Every later call fails too, as after the death of the process. */
  readonly fatal: boolean;
}

/** Every way in which a call can fail. */
export const callFailures: readonly CallFailure[] = [
  { how: "does not arrive", carriedOut: false, fatal: false },
  { how: "loses its answer", carriedOut: true, fatal: false },
  { how: "does not arrive and the process dies", carriedOut: false, fatal: true },
  { how: "is carried out and the process dies", carriedOut: true, fatal: true },
];

/** A store that fails where a test says. */
export interface FailingStore {
  readonly store: Store;
  /** The same entries without failures, as another process reaches them. */
  readonly working: Store;
  /** The calls that the store carried out. */
  readonly carriedOut: readonly StoreCall[];
  /** The description of the call that `failAt` chose, once it has failed. */
  readonly failed: string | undefined;
  /** The calls that the store carried out before that. */
  readonly carriedOutBefore: readonly StoreCall[];
  /** Fails one call, 0 for the next. */
  failAt(index: number, failure: CallFailure): void;
  /** Fails each call that matches, or every call; before the store carries it out, unless `carriedOut` is true. */
  failOn(matches?: (call: StoreCall) => boolean, carriedOut?: boolean): void;
  /** Ends all failures. */
  repair(): void;
}

/** Creates a failing store for one process of an app. It works until the test lets it fail. */
export function createFailingStore(app: Deployment): FailingStore {
  const working: FailureOf = () => undefined;
  const carriedOut: StoreCall[] = [];
  let failed: string | undefined;
  let carriedOutBefore: readonly StoreCall[] = [];
  let failureOf = working;

  const store = interceptStore(app.connect(), async (call, ask) => {
    const failure = failureOf(call);
    if (!failure || failure.carriedOut) carriedOut.push(call);
    if (!failure) return ask();
    if (failure.carriedOut) await ask();
    throw new Error(`No answer to "${call.what}".`);
  });

  return {
    store,
    working: app.connect(),
    carriedOut,
    get failed() {
      return failed;
    },
    get carriedOutBefore() {
      return carriedOutBefore;
    },
    failAt(index, failure) {
      let next = index;
      failureOf = ({ what }) => {
        const left = next--;
        if (left === 0) {
          failed = what;
          carriedOutBefore = [...carriedOut];
          return failure;
        }
        return left < 0 && failure.fatal ? { carriedOut: false } : undefined;
      };
    },
    failOn(matches = () => true, carriedOut = false) {
      failureOf = (call) => (matches(call) ? { carriedOut } : undefined);
    },
    repair() {
      failureOf = working;
    },
  };
}

type FailureOf = (call: StoreCall) => Pick<CallFailure, "carriedOut"> | undefined;
