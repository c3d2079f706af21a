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
  current(native: Reading): Promise<CurrentSession | undefined> | CurrentSession | undefined;
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
  readonly loadUser: ((userId: string) => Promise<User | undefined> | User | undefined) | undefined;
  readonly publicUser: ((user: User) => unknown) | undefined;
}

/** Lets a login use the kit's own sessions. */
export function kitSessions<User>(
  sessions: Sessions<User>,
  { loadUser, publicUser }: UserView<User>,
): SessionSource<unknown, unknown> {
  const show = (user: User | undefined) => (publicUser && user !== undefined ? { user: publicUser(user) } : {});

  async function current(request: WithHeaders): Promise<CurrentSession | undefined> {
    const login = await sessions.current(request);
    return login && { userId: login.userId, sessionId: login.sessionId, ...show(login.user) };
  }

  return {
    current,
    open: (request) => ({
      current: () => current(request),
      async start({ userId }) {
        const shown = publicUser && loadUser ? show(await loadUser(userId)) : {};
        const { sessionId, setCookie } = await sessions.start({ userId });
        return {
          ...shown,
          cookies: [setCookie],
          undo: () => sessions.endById(sessionId),
          // The browser's old session ends with the new one; its cookie is replaced anyway.
          complete: async () => void (await sessions.end(request)),
        };
      },
      end: async () => [await sessions.end(request)],
    }),
  };
}

/** Lets a login use the app's own sessions. */
export function appSessions<Native extends Reading, Reading>(
  app: AppSessions<Native, Reading>,
): SessionSource<Native, Reading> {
  return {
    current: async (_request, reading) => app.current(reading),
    open: (_request, native) => ({
      current: async () => app.current(native),
      async start(login) {
        const result = await app.start(login, native);
        return {
          cookies: [],
          ...(result !== undefined && { result }),
          undo: async () => void (await app.end(native)),
          complete: async () => undefined,
        };
      },
      async end() {
        await app.end(native);
        return [];
      },
    }),
  };
}
