import type { AppSession, ConfirmedLogin, RequestSessions } from "../login/request-sessions.ts";
import type { Awaitable } from "../primitives/awaitable.ts";
import type { Clock } from "../primitives/clock.ts";
import type { WithHeaders } from "../primitives/headers.ts";
import type { Sessions } from "./sessions.ts";

/**
 * The sessions that an app already has (express-session, Passport, @fastify/session, a JWT), as three functions. Each gets
 * the framework's own request.
 */
export interface AppSessions<RequestContext extends ReadContext, ReadContext> {
  /** Logs the user in. Renew the session's id here. The returned value is part of the answer, as `result`. */
  start(login: ConfirmedLogin, context: RequestContext): unknown;
  /** Returns the account that the request is logged in to, if any. */
  current(context: ReadContext): Awaitable<AppSession | null | undefined>;
  /** Logs the user out. */
  end(context: RequestContext): unknown;
}

/** The source of sessions for a mounted login: the kit's own sessions or the app's. */
export interface SessionSource<RequestContext extends ReadContext, ReadContext> {
  /** Returns the session of a request. A page that is being rendered has no response yet. */
  current(request: WithHeaders, context: ReadContext): Promise<AppSession | undefined>;
  /** Returns the sessions of one request, for a POST that may start or end one. */
  open(request: WithHeaders, context: RequestContext): RequestSessions;
}

/** The options that decide what a browser sees of a user. */
export interface UserView<User> {
  /** Loads a user by id. */
  readonly loadUser?: (userId: string) => Awaitable<User | null | undefined>;
  /** Returns the part of the user that a browser may see. */
  readonly publicUser?: (user: NoInfer<User>) => unknown;
}

/** Lets a login use the kit's own sessions. */
export function createKitSessions<User>(
  sessions: Sessions<User>,
  clock: Clock,
  { loadUser, publicUser }: UserView<User>,
): SessionSource<unknown, unknown> {
  const show = (user: User | null | undefined) => (publicUser && user != null ? { user: publicUser(user) } : {});

  async function current(request: WithHeaders): Promise<AppSession | undefined> {
    const session = await sessions.current(request);
    return session && { userId: session.userId, sessionId: session.sessionId, ...show(session.user) };
  }

  async function start(request: WithHeaders, { userId, purpose }: ConfirmedLogin) {
    const shown = publicUser && loadUser ? show(await loadUser(userId)) : {};
    // A number that is being added proves nothing about the account it is added to.
    const phoneProvenAt = purpose === "link" ? (await sessions.current(request))?.provenAt : clock.now();
    const { sessionId, setCookie } = await sessions.start({ userId, phoneProvenAt });
    return {
      ...shown,
      cookies: [setCookie],
      undo: () => sessions.endById(sessionId),
      // The new cookie replaces the old one in the browser; the old session must end in the store as well.
      async complete() {
        await sessions.end(request);
      },
    };
  }

  return {
    current,
    open: (request) => ({
      current: () => current(request),
      start: (login) => start(request, login),
      end: async () => [await sessions.end(request)],
    }),
  };
}

/** Lets a login use the app's own sessions. */
export function createAppSessions<RequestContext extends ReadContext, ReadContext>(
  app: AppSessions<RequestContext, ReadContext>,
): SessionSource<RequestContext, ReadContext> {
  return {
    current: async (_request, context) => (await app.current(context)) ?? undefined,
    open: (_request, context) => ({
      current: async () => (await app.current(context)) ?? undefined,
      async start(login) {
        const result = await app.start(login, context);
        return {
          cookies: [],
          ...(result !== undefined && { result }),
          async undo() {
            await app.end(context);
          },
          // The app's `start` has renewed its own session.
          async complete() {},
        };
      },
      async end() {
        await app.end(context);
        return [];
      },
    }),
  };
}
