import { randomBytes } from "node:crypto";
import type { Awaitable } from "../primitives/awaitable.ts";
import type { Clock } from "../primitives/clock.ts";
import type { KitCookie } from "../primitives/cookie.ts";
import { DoorcodeError } from "../primitives/errors.ts";
import type { WithHeaders } from "../primitives/headers.ts";
import type { Store } from "../store/store.ts";
import { createSealer, type SealedSession, type Sealer } from "./sealed-session.ts";

/** The session of a user who is logged in. */
export interface Session<User = undefined> {
  readonly userId: string;
  readonly sessionId: string;
  /** The value that `session.loadUser` returned; `undefined` if the app configured none. */
  readonly user: User;
  /** The start of the session, as Unix milliseconds. */
  readonly startedAt: number;
  /** When this session proved its phone number, as Unix milliseconds; `undefined` if it never did. */
  readonly provenAt: number | undefined;
}

/** Options of {@link Sessions.start}. */
export interface SessionStartOptions {
  readonly userId: string;
  /** When the phone number was proven, as Unix milliseconds. Default: never. Guards may ask for a recent proof. */
  readonly phoneProvenAt?: number | undefined;
}

/** A session that was just started. */
export interface NewSession {
  readonly sessionId: string;
  /** The `Set-Cookie` value that gives the session to a browser. */
  readonly setCookie: string;
}

/**
 * The kit's own sessions. The sealed cookie identifies the user; the store decides whether the session is still valid.
 *
 * The functions are public for every login that is not by phone: a passkey, a socket, a server component.
 */
export interface Sessions<User> {
  /**
   * Starts a session under a new id.
   *
   * @throws {@link DoorcodeError} `session_too_large` when some browsers would drop the cookie; `store_unavailable`
   */
  start(options: SessionStartOptions): Promise<NewSession>;
  /** Returns the session of a request, with one read of the store; `undefined` if there is none. @throws `store_unavailable` */
  current(request: WithHeaders): Promise<Session<User> | undefined>;
  /**
   * Ends the session of a request, in every copy of its cookie.
   *
   * @returns the `Set-Cookie` value that deletes the cookie.
   * @throws `store_unavailable`
   */
  end(request: WithHeaders): Promise<string>;
  /** Ends one session by its id. @throws `store_unavailable` */
  endById(sessionId: string): Promise<void>;
  /** Ends every session that a user has now. @throws `store_unavailable` */
  endAll(userId: string): Promise<void>;
}

/** The dependencies of sessions. */
export interface SessionDeps<User> {
  readonly store: Store;
  readonly clock: Clock;
  readonly cookie: KitCookie;
  /** The passwords that seal cookies: the newest first, then those still accepted. */
  readonly passwords: readonly string[];
  /** The prefix of the app's keys in the store. */
  readonly name: string;
  readonly lifetimeSeconds: number;
  readonly loadUser: ((userId: string) => Awaitable<User | null | undefined>) | undefined;
}

const maxCookieCharacters = 3500;

/** The longest time for which browsers keep a cookie. An `endAll` is remembered for longer than any session lives. */
export const maxLifetimeSeconds = 34_560_000;

/** Binds sessions to the store, clock and cookie of one app. */
export function createSessions<User>(deps: SessionDeps<User>): Sessions<User> {
  const { store, cookie, name, lifetimeSeconds } = deps;
  const sealer = createSealer(deps.passwords, deps.clock);
  const keys: SessionKeys = {
    live: (sessionId) => `${name}:session:${sessionId}`,
    ended: (userId) => `${name}:sessions-ended:${userId}`,
  };
  const endById = (sessionId: string) =>
    store.put(keys.live(sessionId), undefined, { ttlSeconds: entrySeconds(lifetimeSeconds) });

  async function unseal({ headers }: WithHeaders): Promise<SealedSession | undefined> {
    const text = cookie.read(headers);
    return text === undefined ? undefined : sealer.unseal(text);
  }

  return {
    start: (options) => start(deps, sealer, keys, options),
    async current(request) {
      const sealed = await unseal(request);
      const session = sealed && (await isLive(store, keys, sealed)) ? sealed : undefined;
      return session && withUser(deps, session, endById);
    },
    async end(request) {
      const session = await unseal(request);
      if (session) await endById(session.sessionId);
      return cookie.drop();
    },
    endById,
    endAll: (userId) => endAll(deps, keys.ended(userId)),
  };
}

/** The keys of sessions in the store. */
interface SessionKeys {
  /** The key of the entry that stands while a session is valid. */
  live(sessionId: string): string;
  /** The key of the instant at which all sessions of a user were ended. */
  ended(userId: string): string;
}

/** A minute longer, for clocks that differ. */
function entrySeconds(lifetimeSeconds: number): number {
  return lifetimeSeconds + 60;
}

async function start<User>(
  { store, clock, cookie, lifetimeSeconds }: SessionDeps<User>,
  sealer: Sealer,
  keys: SessionKeys,
  { userId, phoneProvenAt: provenAt }: SessionStartOptions,
): Promise<NewSession> {
  const sessionId = randomBytes(16).toString("base64url");
  const startedAt = clock.now();
  const expiresAt = startedAt + lifetimeSeconds * 1000;
  const sealed = await sealer.seal({ userId, sessionId, startedAt, expiresAt, provenAt });
  const setCookie = cookie.write(sealed, lifetimeSeconds);
  if (setCookie.length > maxCookieCharacters) {
    throw new DoorcodeError("session_too_large", {
      message: "The user's id is too long for a cookie: use a shorter one.",
    });
  }
  // An allow list: a session that the store lost is over. A deny list would bring ended sessions back.
  await store.put(keys.live(sessionId), "live", { ttlSeconds: entrySeconds(lifetimeSeconds) });
  return { sessionId, setCookie };
}

async function isLive(store: Store, keys: SessionKeys, session: SealedSession): Promise<boolean> {
  const { sessionId, userId, startedAt } = session;
  const [live, endedAt] = await store.get([keys.live(sessionId), keys.ended(userId)]);
  return live !== undefined && startedAt > Number(endedAt ?? Number.NEGATIVE_INFINITY);
}

/** Loads the user. A session whose user is gone ends. */
async function withUser<User>(
  { loadUser }: SessionDeps<User>,
  { userId, sessionId, startedAt, provenAt }: SealedSession,
  endById: (sessionId: string) => Promise<void>,
): Promise<Session<User> | undefined> {
  if (!loadUser) return { userId, sessionId, startedAt, provenAt, user: undefined as User };
  const user = (await loadUser(userId)) ?? undefined;
  if (user !== undefined) return { userId, sessionId, startedAt, provenAt, user };
  await endById(sessionId);
  return undefined;
}

async function endAll<User>({ store, clock }: SessionDeps<User>, endedKey: string): Promise<void> {
  const [before] = await store.get([endedKey]);
  // Never back in time: a process whose clock is behind must not bring sessions back.
  const endedAt = Math.max(clock.now(), Number(before ?? 0));
  await store.put(endedKey, String(endedAt), { ttlSeconds: maxLifetimeSeconds + 60 });
}
