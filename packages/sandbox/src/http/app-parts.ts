import type { Service } from "../service/service.ts";
import type { Application } from "../state/application.ts";

/** What the routes stand on. */
export interface AppParts {
  readonly service: Service;
  /** The application that the page and the control API show, as it is now. */
  readonly application: () => Application;
  readonly reset: () => void;
  /** Ends streams and waits. */
  readonly closed: AbortSignal;
}
