import type { Doorcode } from "@doorcode/core";
import type { AppSessions, PhoneLoginOptions, ProofOptions } from "@doorcode/core/adapter";

/** The secret that the deliveries of these tests are signed with. */
export const secret = "whk_of_the_adapter_tests";

/** What an app is built from. */
export interface AppPlan {
  readonly doorcode: Doorcode;
  /** Sessions of the app's own. */
  readonly sessions?: AppSessions<unknown, unknown>;
  /** What `login.beforeSend` gets of the framework's own request. */
  readonly signals?: (context: unknown) => unknown;
  /** The login only verifies numbers, with these proofs. */
  readonly proof?: ProofOptions<unknown>;
}

/** An app that listens on the loopback. */
export interface ServedApp {
  readonly url: string;
  /** What reached the error path of the app's own framework. */
  readonly faults: readonly unknown[];
  close(): Promise<void>;
}

/**
 * A framework and its adapter. The app is the same on each:
 *
 * - every answer carries the app's cookies `early=1`, set before any route, and `late=1`, set as late as can be
 * - `/webhooks` and `/login` are the mounts; `GET /login`, `POST /login/other` and `POST /webhooks/other` are pages of the
 *   app, and the last two answer with the body they read
 * - `GET /account` needs a login, with `/login` as its page, and answers `userId` and `user`
 * - `GET /who` answers `userId` or null; `GET /standing` answers the state of the login, and `GET /offered` its offer
 * - what is thrown is kept in `faults` and answered with 500 and the text `the app's error page`
 */
export interface AdapterHost {
  readonly name: string;
  serve(plan: AppPlan): Promise<ServedApp>;
}

/** The options of an app's login. Forms are led to its own pages. */
export function loginOptions({ sessions, signals, proof }: AppPlan): PhoneLoginOptions<unknown, unknown> {
  return {
    forms: { page: "/login", done: "/account" },
    openapi: true,
    ...(sessions && { session: sessions }),
    ...(signals && { signals }),
    ...(proof && { purpose: "verify", proof }),
  };
}
