import { z } from "zod";
import { type ProvenBy, provenByValues } from "../login/account.ts";
import { type Awaitable, callApp } from "../util/call-app.ts";
import { DoorcodeError } from "../util/errors.ts";
import type { WithHeaders } from "../util/headers.ts";
import { newRandomText } from "../util/keys.ts";
import { parseOptions, strictOptions } from "../util/parse-options.ts";
import {
  type ActiveSession,
  addSession,
  findSession,
  type LiveSession,
  listSessions,
  removeAllSessions,
  removeOtherSessions,
  removeSession,
  type SessionRecordsDeps,
  useSession,
} from "./session-records.ts";
import {
  bearerTokenOf,
  type KitCookie,
  type RequestTransport,
  readSessionToken,
  type SealedSession,
  type Sealer,
  sealOfToken,
  type Transport,
  transportOf,
} from "./transport.ts";

/** The session of a user who is logged in. */
export interface Session<User = undefined> extends ActiveSession {
  readonly userId: string;
  /** The value that `session.loadUser` returned; `undefined` if the app configured none. */
  readonly user: User;
}

/** Options of {@link Sessions.start}. */
export interface SessionStartOptions {
  readonly userId: string;
  /** When the user was proven, by a code or a passkey, as Unix milliseconds. Default: never. Guards may ask for a recent proof. */
  readonly provenAt?: number | undefined;
  /** What was proven at `provenAt`: the phone number, or a passkey. Default: `phone`. */
  readonly by?: ProvenBy | undefined;
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
 * The kit's own sessions. The sealed cookie or token names the session; the store decides whether it is valid, and whose it is. The
 * functions are public for every login that is not by phone: a passkey, a socket, a server component.
 *
 * They reject with `store_unavailable` if the store does. Those that take a request need its `cookie` header, with tokens its
 * `authorization` header, and without `origins` its `host` header. They reject with `host_not_allowed` if the host must be this machine and
 * is not, or if the request names two hosts.
 */
export interface Sessions<User> {
  /**
   * Starts a session under a new id. A session ends when its user has started 1,000 newer ones.
   *
   * @throws {@link DoorcodeError} `session_too_large` when some browsers would drop the cookie
   * @throws TypeError if `session.transport` is `bearer`, and for a wrong option
   */
  start(options: SessionStartOptions): Promise<NewSession>;
  /**
   * Starts a session under a new id, for a client without cookies, as {@link Sessions.start} does.
   *
   * @throws {@link DoorcodeError} `session_too_large` when the token would be too long for some proxies
   * @throws TypeError unless `session.transport` is `bearer` or `both`, and for a wrong option
   */
  startBearer(options: SessionStartOptions): Promise<NewBearerSession>;
  /** Returns the session of a request, with one read of the store; `undefined` if there is none. */
  current(request: WithHeaders): Promise<Session<User> | undefined>;
  /** Ends the session of a request, in every copy. Returns the `Set-Cookie` value that deletes it from a browser. */
  end(request: WithHeaders): Promise<string>;
  /** Returns the valid sessions of a user, the newest first. */
  list(userId: string): Promise<readonly ActiveSession[]>;
  /** Ends one session of a user. Returns false if the user has no such session. */
  endById(userId: string, sessionId: string): Promise<boolean>;
  /** Logs the user out everywhere else. @throws {@link DoorcodeError} `login_required` if the request has no session */
  endOthers(request: WithHeaders): Promise<void>;
  /** Ends every session of a user that was started so far, on any process and by any clock. */
  endAll(userId: string): Promise<void>;
}

/** The dependencies of sessions. */
export interface SessionDeps<User> extends SessionRecordsDeps {
  readonly sealer: Sealer;
  readonly cookie: KitCookie;
  readonly transport: Transport;
  /** Refuses a request that the kit must not serve. @throws DoorcodeError `host_not_allowed` */
  readonly checkHost: (request: WithHeaders) => void;
  readonly loadUser: ((userId: string) => Awaitable<User | null | undefined>) | undefined;
}

const maxTextCharacters = 3500;

const expectedInstant = "expected Unix milliseconds, such as Date.now()";
const startShape = strictOptions({
  userId: z.string("expected the user's id as a string").min(1, "expected the user's id"),
  provenAt: z.number(expectedInstant).optional(),
  by: z.enum(provenByValues, 'expected "phone" or "passkey"').optional(),
  expiresAt: z.number(expectedInstant).optional(),
  label: z.string("expected a text").optional(),
});

/**
 * Parses the options of a start. A guard would never let a session with a wrong `provenAt` pass, and `by` alone would name a proof that never
 * happened.
 *
 * @throws TypeError for a wrong option
 */
function parseStart(call: string, options: SessionStartOptions): SessionStartOptions {
  const parsed = parseOptions(`doorcode.session.${call}`, startShape, options);
  if (parsed.by === undefined || parsed.provenAt !== undefined) return parsed;
  throw new TypeError(`doorcode.session.${call}: by needs provenAt, the time of the proof, such as Date.now().`);
}

/** Binds sessions to the store and the cookie of one app. */
export function createSessions<User>(deps: SessionDeps<User>): Sessions<User> {
  const { sealer, cookie, transport, checkHost } = deps;

  /** Returns the session that a request names, valid or not. */
  async function namedIn(request: WithHeaders): Promise<SealedSession | undefined> {
    checkHost(request);
    const { headers } = request;
    const carriedAs = transportOf(transport, headers);
    const seal = carriedAs === "cookie" ? cookie.read(headers) : sealOfToken(readSessionToken(headers) ?? "");
    const named = seal === undefined ? undefined : await sealer.unseal(seal);
    // A cookie is no token, and a token no cookie.
    return (named?.transport ?? "cookie") === carriedAs ? named : undefined;
  }

  async function currentOf(request: WithHeaders): Promise<LiveSession | undefined> {
    const named = await namedIn(request);
    return named && useSession(deps, named.userId, named.sessionId);
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
    async current(request) {
      const session = await currentOf(request);
      return session && withUser(deps, session);
    },
    async end(request) {
      const named = await namedIn(request);
      if (named) await removeSession(deps, named.sessionId);
      return cookie.drop();
    },
    list: async (userId) => (await listSessions(deps, userId)).map(({ userId: _, ...session }) => session),
    async endById(userId, sessionId) {
      const session = await findSession(deps, userId, sessionId);
      if (session) await removeSession(deps, sessionId);
      return session !== undefined;
    },
    async endOthers(request) {
      const own = await currentOf(request);
      if (!own) throw new DoorcodeError("login_required");
      await removeOtherSessions(deps, own);
    },
    endAll: (userId) => removeAllSessions(deps, userId),
  };
}

/** Starts a session, and returns the text that gives it to a client: a `Set-Cookie` value or a token. */
async function start<User>(
  deps: SessionDeps<User>,
  carriedAs: RequestTransport,
  options: SessionStartOptions,
): Promise<{ readonly sessionId: string; readonly text: string }> {
  const isBearer = carriedAs === "bearer";
  const call = isBearer ? "startBearer" : "start";
  const { userId, provenAt, by, expiresAt, label } = parseStart(call, options);
  const { sealer, cookie, transport, clock, lifetimeSeconds } = deps;
  if (transport !== "both" && transport !== carriedAs) {
    const fix = `session.transport is "${transport}": set it to "${carriedAs}" or "both" in createDoorcode`;
    throw new TypeError(`doorcode.session.${call}: ${fix}.`);
  }
  const sessionId = newRandomText();
  const startedAt = clock.now();
  const endsAt = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, startedAt + lifetimeSeconds * 1000);
  const seal = await sealer.seal({ userId, sessionId, ...(isBearer && { transport: carriedAs }) });
  const maxAgeSeconds = Math.max(0, Math.floor((endsAt - startedAt) / 1000));
  const text = isBearer ? bearerTokenOf(seal) : cookie.write(seal, maxAgeSeconds);
  if (text.length > maxTextCharacters) {
    throw new DoorcodeError("session_too_large", {
      message: `The user's id is too long for a ${isBearer ? "token" : "cookie"}: use a shorter one.`,
    });
  }
  const provenBy = provenAt === undefined ? undefined : (by ?? "phone");
  await addSession(deps, { sessionId, userId, startedAt, provenAt, provenBy, expiresAt: endsAt, label });
  return { sessionId, text };
}

/** Adds the user to a session. A session whose user is gone ends. */
async function withUser<User>(deps: SessionDeps<User>, session: LiveSession): Promise<Session<User> | undefined> {
  const { loadUser } = deps;
  // Without `loadUser` the type of the user is `undefined`.
  if (!loadUser) return { ...session, user: undefined as User };
  const user = await callApp("session.loadUser", () => loadUser(session.userId));
  if (user != null) return { ...session, user };
  await removeSession(deps, session.sessionId);
  return undefined;
}
