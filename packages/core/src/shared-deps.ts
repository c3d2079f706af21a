import type { DoorcodeEvent } from "./doorcode-event.ts";
import type { Store } from "./store/store.ts";
import type { ChangeListeners } from "./util/change-listeners.ts";
import type { Clock } from "./util/clock.ts";
import type { WithHeaders } from "./util/headers.ts";
import type { Publish } from "./util/publish.ts";

/** The dependencies that login, sessions and webhooks have in common. */
export interface SharedDeps {
  /** The prefix of the app's cookies and of its keys in the store. */
  readonly name: string;
  readonly clock: Clock;
  readonly publish: Publish<DoorcodeEvent>;
  readonly store: Store;
  readonly changes: ChangeListeners;
  /** Refuses a request that the kit must not serve. @throws DoorcodeError `host_not_allowed` */
  readonly checkHost: (request: WithHeaders) => void;
  /** The URL of the service. */
  readonly serviceUrl: string | undefined;
}
