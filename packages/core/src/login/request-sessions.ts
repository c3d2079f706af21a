import type { Purpose } from "../codes/purpose.ts";
import type { ProvenPhone } from "./callbacks.ts";

/** The account that a request is logged in to. */
export interface AppSession {
  /** The user's id, as `onLogin` returned it. */
  readonly userId: string;
  /** The session's id. With one, a link or a step-up is held to this very session, not only to its user. */
  readonly sessionId?: string;
  /**
   * When this session proved its number, as Unix milliseconds: the `provenAt` that `session.start` got. Without it, an
   * account that has a number cannot change it, and no guard with `provenWithinSeconds` lets the session pass.
   */
  readonly provenAt?: number | undefined;
  /** The part of the user that a browser may see. */
  readonly user?: unknown;
}

/**
 * Tells whether a session has proven its number recently. An instant as far ahead as that is none: an app that keeps
 * another unit than milliseconds would never be asked for a proof again.
 */
export function isRecentlyProven({ provenAt }: AppSession, now: number, withinSeconds: number): boolean {
  return provenAt !== undefined && Math.abs(now - provenAt) <= withinSeconds * 1000;
}

/** A login whose code was right: `session.start` is called with it. */
export interface ConfirmedLogin extends ProvenPhone {
  /** The id that `onLogin` or `onLink` returned. */
  readonly userId: string;
  /** The purpose of the mount. */
  readonly purpose: Purpose;
}

/** A session that was started and can still be undone. */
export interface StartedSession {
  /** Whole `Set-Cookie` values. */
  readonly cookies: readonly string[];
  /** The token of the session, for a client without cookies. */
  readonly sessionToken?: string;
  /** The part of the user that a browser may see. */
  readonly user?: unknown;
  /** The value that the app's own `session.start` returned; it is part of the answer. */
  readonly result?: unknown;
  /** Ends the session again, because the login failed after all. */
  undo(): Promise<void>;
  /** Ends the session that the browser had before, because the login succeeded. */
  complete(): Promise<void>;
}

/** The sessions of one request: the kit's own or the app's. */
export interface RequestSessions {
  /** Returns the session that the request came with. */
  current(): Promise<AppSession | undefined>;
  /** Starts a session for a confirmed login. */
  start(login: ConfirmedLogin): Promise<StartedSession>;
  /**
   * Ends the user's sessions except this one, also when it has ended itself. With sessions of the app this is the app's
   * matter.
   */
  endOthers(session: AppSession): Promise<void>;
  /** Ends the session that the request came with, and returns the cookies that delete it from the browser. */
  end(): Promise<readonly string[]>;
}
