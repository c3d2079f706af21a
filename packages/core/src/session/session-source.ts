import type { Awaitable } from "../awaitable.ts";
import type { Clock } from "../clock.ts";
import type { CurrentSession, SessionPort, SessionStart } from "../login/login.ts";
import type { Sessions, WithHeaders } from "./sessions.ts";

/**
 * The sessions that an app already has, as three verbs with the framework's own request at hand: express-session,
 * Passport, @fastify/session, a JWT.
 */
export interface AppSessions<Native extends Reading, Reading> {
  /** Logs the user in; renew the session's id here. What it returns stands in the answer as `result`. */
  start(login: SessionStart, native: Native): unknown;
  /** Who is logged in, if anyone. */
  current(native: Reading): Awaitable<CurrentSession | null | undefined>;
  /** Logs out. */
  end(native: Native): unknown;
}

/** The sessions of an app, whoever keeps them. */
export interface SessionSource<Native extends Reading, Reading> {
  /** Who is logged in; a page that is being rendered has no more than the request. */
  current(request: WithHeaders, reading: Reading): Promise<CurrentSession | undefined>;
  /** The sessions as one post sees them. */
  open(request: WithHeaders, native: Native): SessionPort;
}

/** What the kit's own sessions show of a user to a browser. */
export interface UserView<User> {
  readonly loadUser?: (userId: string) => Awaitable<User | null | undefined>;
  readonly publicUser?: (user: NoInfer<User>) => unknown;
}

/** Lets a login use the kit's own sessions. */
export function createKitSessions<User>(
  sessions: Sessions<User>,
  clock: Clock,
  { loadUser, publicUser }: UserView<User>,
): SessionSource<unknown, unknown> {
  const show = (user: User | null | undefined) => (publicUser && user != null ? { user: publicUser(user) } : {});

  async function current(request: WithHeaders): Promise<CurrentSession | undefined> {
    const login = await sessions.current(request);
    return login && { userId: login.userId, sessionId: login.sessionId, ...show(login.user) };
  }

  return {
    current,
    open: (request) => ({
      current: () => current(request),
      async start({ userId, purpose }) {
        const shown = publicUser && loadUser ? show(await loadUser(userId)) : {};
        // A number that is being added proves nothing about the account it is added to.
        const phoneProvenAt = purpose === "link" ? (await sessions.current(request))?.provenAt : clock.now();
        const { sessionId, setCookie } = await sessions.start({ userId, phoneProvenAt });
        return {
          ...shown,
          cookies: [setCookie],
          undo: () => sessions.endById(sessionId),
          // The browser's old session ends with the new one; its cookie is replaced anyway.
          async complete() {
            await sessions.end(request);
          },
        };
      },
      end: async () => [await sessions.end(request)],
    }),
  };
}

/** Lets a login use the app's own sessions. */
export function createAppSessions<Native extends Reading, Reading>(
  app: AppSessions<Native, Reading>,
): SessionSource<Native, Reading> {
  return {
    current: async (_request, reading) => (await app.current(reading)) ?? undefined,
    open: (_request, native) => ({
      current: async () => (await app.current(native)) ?? undefined,
      async start(login) {
        const result = await app.start(login, native);
        return {
          cookies: [],
          ...(result !== undefined && { result }),
          async undo() {
            await app.end(native);
          },
          async complete() {},
        };
      },
      async end() {
        await app.end(native);
        return [];
      },
    }),
  };
}
