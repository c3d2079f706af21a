import type { Clock } from "./clock.ts";
import type { Publish } from "./doorcode-event.ts";
import type { Store } from "./store/store.ts";

/** What every part is built on. */
export interface SharedParts {
  readonly name: string;
  readonly clock: Clock;
  readonly publish: Publish;
  readonly store: Store;
}
