import type { Awaitable } from "../primitives/awaitable.ts";
import { callApp } from "../primitives/call-app.ts";
import type { Clock } from "../primitives/clock.ts";
import type { KitCookie } from "../primitives/cookie.ts";
import { DoorcodeError } from "../primitives/errors.ts";
import type { WithHeaders } from "../primitives/headers.ts";
import type { SealedSession, Sealer } from "./sealed-session.ts";
import { type LiveSession, newSessionId, type SessionEntries } from "./session-entries.ts";

/** A session that is valid now. Instants are Unix milliseconds. */
export interface ActiveSession {
  readonly sessionId: string;
  readonly startedAt: number;
  /** The last use, to about a minute. */
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  /** When this session proved its phone number; `undefined` if it never did. */
  readonly provenAt: number | undefined;
  /** The label that the app gave when the session started, such as the name of the browser. */
  readonly label: string | undefined;
}

/** The session of a user who is logged in. */
export interface Session<User = undefined> extends ActiveSession {
  readonly userId: string;
  /** The value that `session.loadUser` returned; `undefined` if the app configured none. */
  readonly user: User;
}

/** Options of {@link Sessions.start}. */
export interface SessionStartOptions {
  readonly userId: string;
  /** When the phone number was proven, as Unix milliseconds. Default: never. Guards may ask for a recent proof. */
  readonly phoneProvenAt?: number | undefined;
  /** The end of the session, as Unix milliseconds, if it is to come before that of its lifetime. Default: its lifetime. */
  readonly expiresAt?: number | undefined;
  /** A label for the user's list of sessions, such as the name of the browser. Default: none. */
  readonly label?: string | undefined;
}

/** A session that was just started. */
export interface NewSession {
  readonly sessionId: string;
  /** The `Set-Cookie` value that gives the session to a browser. */
  readonly setCookie: string;
}

/**
 * The kit's own sessions. The sealed cookie names the session; the store decides whether it is valid, and whose it is.
 *
 * The functions are public for every login that is not by phone: a passkey, a socket, a server component. They reject with
 * `store_unavailable` if the store does. Those that take a request need its `cookie` header and, without `origins`, its
 * `host` header: they reject with `host_not_allowed` if that is not this machine.
 */
export interface Sessions<User> {
  /**
   * Starts a session under a new id. The user's oldest session ends if there are more than 1,000.
   *
   * @throws {@link DoorcodeError} `session_too_large` when some browsers would drop the cookie
   */
  start(options: SessionStartOptions): Promise<NewSession>;
  /** Returns the session of a request, with one read of the store; `undefined` if there is none. */
  current(request: WithHeaders): Promise<Session<User> | undefined>;
  /**
   * Ends the session of a request, in every copy of its cookie.
   *
   * @returns the `Set-Cookie` value that deletes the cookie.
   */
  end(request: WithHeaders): Promise<string>;
  /** Returns the valid sessions of a user, the newest first. */
  list(userId: string): Promise<readonly ActiveSession[]>;
  /** Ends one session of a user. Returns false if the user has no such session. */
  endById(userId: string, sessionId: string): Promise<boolean>;
  /**
   * Ends every session of a user except that of the request: "log out everywhere else".
   *
   * @throws {@link DoorcodeError} `login_required` if the request has no session
   */
  endOthers(request: WithHeaders): Promise<void>;
  /** Ends every session of a user that was started so far, on any process and by any clock. */
  endAll(userId: string): Promise<void>;
}

/** The dependencies of sessions. */
export interface SessionDeps<User> {
  readonly entries: SessionEntries;
  readonly sealer: Sealer;
  readonly cookie: KitCookie;
  readonly clock: Clock;
  readonly lifetimeSeconds: number;
  /** Refuses a request that the kit must not serve. @throws DoorcodeError `host_not_allowed` */
  readonly checkHost: (request: WithHeaders) => void;
  readonly loadUser: ((userId: string) => Awaitable<User | null | undefined>) | undefined;
}

const maxCookieCharacters = 3500;

/** Binds sessions to the store and the cookie of one app. */
export function createSessions<User>(deps: SessionDeps<User>): Sessions<User> {
  const { entries, sealer, cookie, checkHost } = deps;

  async function unseal(request: WithHeaders): Promise<SealedSession | undefined> {
    checkHost(request);
    const text = cookie.read(request.headers);
    return text === undefined ? undefined : sealer.unseal(text);
  }

  async function find(request: WithHeaders): Promise<LiveSession | undefined> {
    const sealed = await unseal(request);
    return sealed && entries.use(sealed.userId, sealed.sessionId);
  }

  return {
    start: (options) => start(deps, options),
    async current(request) {
      const session = await find(request);
      return session && withUser(deps, session);
    },
    async end(request) {
      const sealed = await unseal(request);
      if (sealed) await entries.remove(sealed.sessionId);
      return cookie.drop();
    },
    list: async (userId) => (await entries.list(userId)).map(describe),
    async endById(userId, sessionId) {
      const session = await entries.use(userId, sessionId);
      if (session) await entries.remove(sessionId);
      return session !== undefined;
    },
    async endOthers(request) {
      const own = await find(request);
      if (!own) throw new DoorcodeError("login_required");
      // A session is listed before its cookie is handed out, so none that a browser holds is missing here.
      const others = (await entries.list(own.userId)).filter(({ sessionId }) => sessionId !== own.sessionId);
      await Promise.all(others.map(({ sessionId }) => entries.remove(sessionId)));
    },
    endAll: (userId) => entries.removeAll(userId),
  };
}

async function start<User>(
  { entries, sealer, cookie, clock, lifetimeSeconds }: SessionDeps<User>,
  { userId, phoneProvenAt, expiresAt = Number.POSITIVE_INFINITY, label }: SessionStartOptions,
): Promise<NewSession> {
  const sessionId = newSessionId();
  const startedAt = clock.now();
  const endsAt = Math.min(expiresAt, startedAt + lifetimeSeconds * 1000);
  const maxAgeSeconds = Math.max(0, Math.floor((endsAt - startedAt) / 1000));
  const setCookie = cookie.write(await sealer.seal({ userId, sessionId }), maxAgeSeconds);
  if (setCookie.length > maxCookieCharacters) {
    throw new DoorcodeError("session_too_large", {
      message: "The user's id is too long for a cookie: use a shorter one.",
    });
  }
  await entries.add({ sessionId, userId, startedAt, provenAt: phoneProvenAt, expiresAt: endsAt, label });
  return { sessionId, setCookie };
}

/** Leaves out the user's id and generation, which a list of one user does not need. */
function describe({ sessionId, startedAt, lastUsedAt, expiresAt, provenAt, label }: LiveSession): ActiveSession {
  return { sessionId, startedAt, lastUsedAt, expiresAt, provenAt, label };
}

/** Loads the user. A session whose user is gone ends. */
async function withUser<User>(
  { entries, loadUser }: SessionDeps<User>,
  session: LiveSession,
): Promise<Session<User> | undefined> {
  const { userId } = session;
  if (!loadUser) return { ...describe(session), userId, user: undefined as User };
  const user = (await callApp("session.loadUser", () => loadUser(userId))) ?? undefined;
  if (user !== undefined) return { ...describe(session), userId, user };
  await entries.remove(session.sessionId);
  return undefined;
}
