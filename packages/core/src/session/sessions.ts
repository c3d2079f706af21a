import { randomBytes } from "node:crypto";
import type { Awaitable } from "../awaitable.ts";
import type { Clock } from "../clock.ts";
import { DoorcodeError } from "../errors.ts";
import type { KitCookie } from "../http/cookies.ts";
import type { HttpRequest } from "../http/exchange.ts";
import type { Store } from "../store/store.ts";
import { createSealer, type SealedSession } from "./sealed-session.ts";

/** Someone who is logged in. */
export interface Login<User = undefined> {
  readonly userId: string;
  readonly sessionId: string;
  /** What `session.loadUser` answered; `undefined` when the app configured none. */
  readonly user: User;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** When this session proved its phone number, Unix milliseconds; `undefined` for one that began otherwise. */
  readonly provenAt: number | undefined;
}

/** Anything that carries request headers by lower-case name: a Node request, a Fastify or Express request. */
export interface WithHeaders {
  readonly headers: HttpRequest["headers"];
}

/** Whose session starts. */
export interface SessionLogin {
  readonly userId: string;
  /** When the phone number was proven, Unix milliseconds: guards may ask for a recent proof. Left out: never. */
  readonly phoneProvenAt?: number | undefined;
}

/** A session just started. */
export interface NewSession {
  readonly sessionId: string;
  /** The `Set-Cookie` value that makes a browser carry it. */
  readonly setCookie: string;
}

/**
 * The kit's own sessions: a sealed cookie that says who, and an entry of the store that says whether still.
 *
 * The verbs are public, for whatever is no login by phone: a passkey, a socket, a server component.
 */
export interface Sessions<User> {
  /**
   * Starts a session under a new id.
   *
   * @throws {@link DoorcodeError} `session_too_large` when the cookie would not be kept by every browser;
   * `store_unavailable`
   */
  start(login: SessionLogin): Promise<NewSession>;
  /** Answers who is logged in, with one read of the store; `undefined` when nobody is. @throws `store_unavailable` */
  current(request: WithHeaders): Promise<Login<User> | undefined>;
  /** Ends the session a request came with, in every copy of its cookie, and answers the `Set-Cookie` value to send. @throws `store_unavailable` */
  end(request: WithHeaders): Promise<string>;
  /** Ends one session by its id. @throws `store_unavailable` */
  endById(sessionId: string): Promise<void>;
  /** Ends every session that a user has now. @throws `store_unavailable` */
  endAll(userId: string): Promise<void>;
}

/** What sessions are made of. */
export interface SessionParts<User> {
  readonly store: Store;
  readonly clock: Clock;
  readonly cookie: KitCookie;
  readonly passwords: readonly string[];
  readonly name: string;
  readonly lifetimeSeconds: number;
  readonly loadUser: ((userId: string) => Awaitable<User | null | undefined>) | undefined;
}

const mostCookieCharacters = 3500;

/** What a browser keeps a cookie for at the most. An end of sessions outlives them all, whatever their lifetime was. */
export const longestLifetimeSeconds = 34_560_000;

/** Binds sessions to the store, clock and cookie of one app. */
export function createSessions<User>(parts: SessionParts<User>): Sessions<User> {
  const { store, clock, cookie, name, lifetimeSeconds, loadUser } = parts;
  const sealer = createSealer(parts.passwords, clock);
  const liveKey = (sessionId: string) => `${name}:session:${sessionId}`;
  const endedKey = (userId: string) => `${name}:sessions-ended:${userId}`;
  const ttlSeconds = lifetimeSeconds + 60;

  async function unseal({ headers }: WithHeaders): Promise<SealedSession | undefined> {
    const text = cookie.read(headers);
    return text === undefined ? undefined : sealer.unseal(text);
  }

  async function start({ userId, phoneProvenAt: provenAt }: SessionLogin): Promise<NewSession> {
    const sessionId = randomBytes(16).toString("base64url");
    const startedAt = clock.now();
    const expiresAt = startedAt + lifetimeSeconds * 1000;
    const sealed = await sealer.seal({ userId, sessionId, startedAt, expiresAt, provenAt });
    const setCookie = cookie.write(sealed, lifetimeSeconds);
    if (setCookie.length > mostCookieCharacters) {
      throw new DoorcodeError("session_too_large", {
        message: "The user's id is too long for a cookie: use a shorter one.",
      });
    }
    // An allow list: a session that the store forgot is over, where a deny list would bring it back.
    await store.put(liveKey(sessionId), "live", { ttlSeconds });
    return { sessionId, setCookie };
  }

  async function current(request: WithHeaders): Promise<Login<User> | undefined> {
    const session = await unseal(request);
    if (!session) return undefined;
    const { userId, sessionId, startedAt, provenAt } = session;
    const [live, endedAt] = await store.get([liveKey(sessionId), endedKey(userId)]);
    if (live === undefined || startedAt <= Number(endedAt ?? Number.NEGATIVE_INFINITY)) return undefined;
    if (!loadUser) return { userId, sessionId, startedAt, provenAt, user: undefined as User };
    const user = (await loadUser(userId)) ?? undefined;
    if (user === undefined) await endById(sessionId);
    return user === undefined ? undefined : { userId, sessionId, startedAt, provenAt, user };
  }

  async function endById(sessionId: string): Promise<void> {
    await store.put(liveKey(sessionId), undefined, { ttlSeconds });
  }

  return {
    start,
    current,
    async end(request) {
      const session = await unseal(request);
      if (session) await endById(session.sessionId);
      return cookie.drop();
    },
    endById,
    async endAll(userId) {
      const [before] = await store.get([endedKey(userId)]);
      // Never back in time: a process whose clock is behind must not bring sessions back.
      const endedAt = Math.max(clock.now(), Number(before ?? 0));
      await store.put(endedKey(userId), String(endedAt), { ttlSeconds: longestLifetimeSeconds + 60 });
    },
  };
}
