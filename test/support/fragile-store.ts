import type { Store } from "@doorcode/core/store";
import type { Deployment } from "./deployment.ts";
import { type Call, watchStore } from "./watched-store.ts";

/** How a call of the store goes wrong. */
export interface Failure {
  readonly how: string;
  /** It is carried out all the same. */
  readonly arrives: boolean;
  /** So does everything after it: the process is gone. */
  readonly fatal: boolean;
}

/** Every way in which a call can go wrong. */
export const failures: readonly Failure[] = [
  { how: "never arrives", arrives: false, fatal: false },
  { how: "is not answered", arrives: true, fatal: false },
  { how: "never arrives, nor anything after it", arrives: false, fatal: true },
  { how: "is not answered, and nothing after it arrives", arrives: true, fatal: true },
];

/** A store that fails at the call that a test names. */
export interface FragileStore {
  readonly store: Store;
  /** What it keeps, as another process finds it. */
  readonly inner: Store;
  /** The calls that were carried out. */
  readonly carriedOut: readonly Call[];
  /** What failed, if it came to that. */
  readonly failed: string | undefined;
  /** Fails at the call with this index from now on, 0 for the next. */
  failAt(index: number, failure: Failure): void;
  /** Fails no more. */
  mend(): void;
}

/** Creates such a store for a process of the app. */
export function createFragileStore(app: Deployment): FragileStore {
  const carriedOut: Call[] = [];
  let failed: string | undefined;
  let failure: Failure | undefined;
  let callsLeft = 0;

  const store = watchStore(app.connect(), async (call, ask) => {
    const index = callsLeft--;
    const fails = failure && (index === 0 || (index < 0 && failure.fatal));
    if (fails && index === 0) failed = call.what;
    if (!fails || (index === 0 && failure?.arrives)) carriedOut.push(call);
    if (!fails) return ask();
    if (index === 0 && failure?.arrives) await ask();
    throw new Error(`No answer to "${call.what}".`);
  });

  return {
    store,
    inner: app.connect(),
    carriedOut,
    get failed() {
      return failed;
    },
    failAt(index, how) {
      callsLeft = index;
      failure = how;
    },
    mend() {
      failure = undefined;
    },
  };
}
