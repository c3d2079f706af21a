import type { Awaitable } from "../util/awaitable.ts";
import { callApp } from "../util/call-app.ts";
import type { Clock } from "../util/clock.ts";
import type { KitCookie } from "../util/cookie.ts";
import { DoorcodeError } from "../util/errors.ts";
import type { WithHeaders } from "../util/headers.ts";
import { rememberTexts } from "./known-texts.ts";
import type { Sealer } from "./sealed-session.ts";
import { type LiveSession, type NamedSession, newSessionId, type SessionEntries } from "./session-entries.ts";
import {
  bearerTokenOf,
  type RequestTransport,
  readSessionToken,
  sealOfToken,
  type Transport,
  transportOf,
} from "./transport.ts";

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

/** A session that was just started, for a client without cookies. */
export interface NewBearerSession {
  readonly sessionId: string;
  /** The token that names the session, in the header `Authorization`, after `Bearer`. */
  readonly sessionToken: string;
}

/**
 * The kit's own sessions. The sealed cookie or token names the session; the store decides whether it is valid, and whose it is.
 *
 * The functions are public for every login that is not by phone: a passkey, a socket, a server component. They reject with
 * `store_unavailable` if the store does. Those that take a request need its `cookie` header, with tokens its
 * `authorization` header, and without `origins` its `host` header: they reject with `host_not_allowed` if that is not this machine, or if
 * the request names two hosts.
 */
export interface Sessions<User> {
  /**
   * Starts a session under a new id. The user's oldest session ends if there are more than 1,000.
   *
   * @throws {@link DoorcodeError} `session_too_large` when some browsers would drop the cookie
   * @throws TypeError if `session.transport` is `bearer`
   */
  start(options: SessionStartOptions): Promise<NewSession>;
  /**
   * Starts a session under a new id, for a client without cookies, as {@link Sessions.start} does.
   *
   * @throws {@link DoorcodeError} `session_too_large` when the token would be too long for some proxies
   * @throws TypeError unless `session.transport` is `bearer` or `both`
   */
  startBearer(options: SessionStartOptions): Promise<NewBearerSession>;
  /** Returns the session of a request, with one read of the store; `undefined` if there is none. */
  current(request: WithHeaders): Promise<Session<User> | undefined>;
  /**
   * Ends the session of a request, in every copy of its cookie or token.
   *
   * @returns the `Set-Cookie` value that deletes the cookie. A client with tokens needs none.
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
  readonly transport: Transport;
  readonly clock: Clock;
  readonly lifetimeSeconds: number;
  /** Refuses a request that the kit must not serve. @throws DoorcodeError `host_not_allowed` */
  readonly checkHost: (request: WithHeaders) => void;
  readonly loadUser: ((userId: string) => Awaitable<User | null | undefined>) | undefined;
}

const maxTextCharacters = 3500;

/** Binds sessions to the store and the cookie of one app. */
export function createSessions<User>(deps: SessionDeps<User>): Sessions<User> {
  const { entries, sealer, cookie, transport, checkHost, loadUser } = deps;

  function namedInSeal(seal: string | undefined, carriedAs: RequestTransport): NamedSession | undefined {
    const sealed = seal === undefined ? undefined : sealer.unseal(seal);
    // A cookie is no token, and a token no cookie.
    const isRight = sealed !== undefined && (sealed.transport ?? "cookie") === carriedAs;
    return isRight ? entries.name(sealed.userId, sealed.sessionId) : undefined;
  }

  const namedInCookie = rememberTexts((value) => namedInSeal(value, "cookie"));
  const namedInToken = rememberTexts((token) => namedInSeal(sealOfToken(token), "bearer"));

  /** Returns the session that a request names, valid or not. */
  function namedIn(request: WithHeaders): NamedSession | undefined {
    checkHost(request);
    const { headers } = request;
    const isBearer = transportOf(transport, headers) === "bearer";
    const text = isBearer ? readSessionToken(headers) : cookie.read(headers);
    if (text === undefined) return undefined;
    return isBearer ? namedInToken(text) : namedInCookie(text);
  }

  return {
    async start(options) {
      const { sessionId, text: setCookie } = await start(deps, "cookie", options);
      return { sessionId, setCookie };
    },
    async startBearer(options) {
      const { sessionId, text: sessionToken } = await start(deps, "bearer", options);
      return { sessionId, sessionToken };
    },
    current(request) {
      try {
        const named = namedIn(request);
        const live = named ? entries.use(named) : Promise.resolve(undefined);
        // Without `loadUser` there is no user, and the session is complete.
        if (!loadUser) return live as Promise<Session<User> | undefined>;
        return live.then((session) => session && withUser(deps, loadUser, session));
      } catch (error) {
        return Promise.reject(error);
      }
    },
    async end(request) {
      const named = namedIn(request);
      if (named) await entries.remove(named.sessionId);
      return cookie.drop();
    },
    list: async (userId) => (await entries.list(userId)).map(describe),
    async endById(userId, sessionId) {
      const session = await entries.use(entries.name(userId, sessionId));
      if (session) await entries.remove(sessionId);
      return session !== undefined;
    },
    async endOthers(request) {
      const named = namedIn(request);
      const own = named && (await entries.use(named));
      if (!own) throw new DoorcodeError("login_required");
      // A session is listed before its cookie is handed out, so none that a browser holds is missing here.
      const others = (await entries.list(own.userId)).filter(({ sessionId }) => sessionId !== own.sessionId);
      await Promise.all(others.map(({ sessionId }) => entries.remove(sessionId)));
    },
    endAll: (userId) => entries.removeAll(userId),
  };
}

/** Starts a session, and returns the text that gives it to a client: a `Set-Cookie` value or a token. */
async function start<User>(
  { entries, sealer, cookie, transport, clock, lifetimeSeconds }: SessionDeps<User>,
  carriedAs: RequestTransport,
  { userId, phoneProvenAt, expiresAt = Number.POSITIVE_INFINITY, label }: SessionStartOptions,
): Promise<{ readonly sessionId: string; readonly text: string }> {
  if (transport !== "both" && transport !== carriedAs) throw otherTransport(transport);
  const sessionId = newSessionId();
  const startedAt = clock.now();
  const endsAt = Math.min(expiresAt, startedAt + lifetimeSeconds * 1000);
  const maxAgeSeconds = Math.max(0, Math.floor((endsAt - startedAt) / 1000));
  const isBearer = carriedAs === "bearer";
  const seal = sealer.seal({ userId, sessionId, ...(isBearer && { transport: carriedAs }) });
  const text = isBearer ? bearerTokenOf(seal) : cookie.write(seal, maxAgeSeconds);
  if (text.length > maxTextCharacters) {
    throw new DoorcodeError("session_too_large", {
      message: `The user's id is too long for a ${isBearer ? "token" : "cookie"}: use a shorter one.`,
    });
  }
  await entries.add({ sessionId, userId, startedAt, provenAt: phoneProvenAt, expiresAt: endsAt, label });
  return { sessionId, text };
}

function otherTransport(transport: Transport): TypeError {
  const [call, value] =
    transport === "cookie" ? ["startBearer", '"bearer" or "both"'] : ["start", '"cookie" or "both"'];
  return new TypeError(
    `doorcode.session.${call}: session.transport is "${transport}": set it to ${value} in createDoorcode.`,
  );
}

/** Leaves out the user's id and generation, which a list of one user does not need. */
function describe({ sessionId, startedAt, lastUsedAt, expiresAt, provenAt, label }: LiveSession): ActiveSession {
  return { sessionId, startedAt, lastUsedAt, expiresAt, provenAt, label };
}

/** Loads the user. A session whose user is gone ends. */
async function withUser<User>(
  { entries }: SessionDeps<User>,
  loadUser: NonNullable<SessionDeps<User>["loadUser"]>,
  session: LiveSession,
): Promise<Session<User> | undefined> {
  const { userId } = session;
  const user = (await callApp("session.loadUser", () => loadUser(userId))) ?? undefined;
  if (user !== undefined) return { ...describe(session), userId, user };
  await entries.remove(session.sessionId);
  return undefined;
}
