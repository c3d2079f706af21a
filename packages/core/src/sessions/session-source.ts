import type { AppSession, ConfirmedLogin, ProvenBy, RequestSessions, StartedSession } from "../login/account.ts";
import { type Awaitable, CallbackMistake, callApp } from "../util/call-app.ts";
import type { Clock } from "../util/clock.ts";
import type { WithHeaders } from "../util/headers.ts";
import { removeOtherSessions } from "./session-records.ts";
import type { SessionDeps, SessionStartOptions, Sessions } from "./sessions.ts";
import { type Transport, transportOf } from "./transport.ts";

/** A confirmed login, as the app's `session.start` gets it. */
export interface AppLogin extends ConfirmedLogin {
  /**
   * When the new session was proven, as Unix milliseconds: keep it in the session, and return it from `current`. It is now, or,
   * for a link, the value of the session before: a number that is being added proves nothing about the account.
   */
  readonly provenAt: number | undefined;
  /** What was proven then: `phone`, or, for a link, the value of the session before. Keep it if your app has passkeys. */
  readonly provenBy: ProvenBy | undefined;
}

/** The part of an app's own sessions that a guard calls. */
export interface AppSessionReader<ReadContext> {
  /**
   * How the login travels: see `session.transport` of `createDoorcode`. With tokens, return that of your session from `start`, and read it
   * in `current`. Default: `cookie`.
   */
  readonly transport?: Transport;
  /** Returns the account that the request is logged in to; `undefined` if there is none. An object without a user's id is an error. */
  current(context: ReadContext): Awaitable<AppSession | null | undefined>;
}

/**
 * The sessions that an app already has (express-session, Passport, @fastify/session, a JWT), as three functions. Each gets
 * the framework's own request.
 */
export interface AppSessions<RequestContext extends ReadContext, ReadContext> extends AppSessionReader<ReadContext> {
  /** Logs the user in. Renew the session's id here. The returned value is part of the answer, as `result`. */
  start(login: AppLogin, context: RequestContext): unknown;
  /** Logs the user out. */
  end(context: RequestContext): unknown;
}

/** The source of sessions for a mounted login: the kit's own sessions or the app's. */
export interface SessionSource<RequestContext extends ReadContext, ReadContext> {
  readonly transport: Transport;
  /** Returns the session of a request. A page that is being rendered has no response yet. */
  current(request: WithHeaders, context: ReadContext): Promise<AppSession | undefined>;
  /** Returns the sessions of one request, for a POST that may start or end one. */
  open(request: WithHeaders, context: RequestContext): RequestSessions;
}

/** The options that decide what is shown of a user and of a session. */
export interface SessionView<User> {
  /** Loads the user of each guarded request. `undefined` or `null` ends the session. */
  readonly loadUser?: (userId: string) => Awaitable<User | null | undefined>;
  /** Returns the part of the user that a browser may see. Default: nothing but the id. */
  readonly publicUser?: (user: NoInfer<User>) => unknown;
  /** Returns the label of a session that a request starts, for `doorcode.session.list`. Default: none. */
  readonly label?: (request: WithHeaders) => string | undefined;
}

/** Lets a login use the kit's own sessions. */
export function createKitSessions<User>(
  sessions: Sessions<User>,
  deps: SessionDeps<User>,
  view: SessionView<User>,
): SessionSource<unknown, unknown> {
  const { clock, transport } = deps;
  const isBearer = ({ headers }: WithHeaders) => transportOf(transport, headers) === "bearer";

  async function current(request: WithHeaders): Promise<AppSession | undefined> {
    const session = await sessions.current(request);
    if (!session) return undefined;
    const { userId, sessionId, provenAt, provenBy } = session;
    return { userId, sessionId, provenAt, provenBy, ...(await show(view, session.user)) };
  }

  async function startOn(request: WithHeaders, options: SessionStartOptions) {
    if (isBearer(request)) return { cookies: [], ...(await sessions.startBearer(options)) };
    const { sessionId, setCookie } = await sessions.start(options);
    return { sessionId, cookies: [setCookie] };
  }

  async function start(request: WithHeaders, { userId, purpose }: ConfirmedLogin): Promise<StartedSession> {
    const { loadUser, publicUser } = view;
    const user = loadUser && publicUser && (await callApp("session.loadUser", () => loadUser(userId)));
    const shown = await show(view, user);
    // A number that is being added proves nothing about the account: its proof stays as it is, and its end gets no later.
    const before = purpose === "link" ? await sessions.current(request) : undefined;
    const { sessionId, ...given } = await startOn(request, {
      userId,
      ...(purpose === "link"
        ? { provenAt: before?.provenAt, by: before?.provenBy }
        : { provenAt: clock.now(), by: "phone" }),
      expiresAt: before?.expiresAt,
      label: await callApp("session.label", () => view.label?.(request)),
    });
    return {
      ...shown,
      ...given,
      undo: async () => void (await sessions.endById(userId, sessionId)),
      // The new cookie or token replaces the old one; the old session must end in the store as well.
      complete: async () => void (await sessions.end(request)),
    };
  }

  async function end(request: WithHeaders): Promise<readonly string[]> {
    const setCookie = await sessions.end(request);
    return isBearer(request) ? [] : [setCookie];
  }

  return {
    transport,
    current,
    open: (request) => ({
      current: () => current(request),
      start: (login) => start(request, login),
      endOthers: (session) => removeOtherSessions(deps, session),
      end: () => end(request),
    }),
  };
}

async function show<User>(
  { publicUser }: SessionView<User>,
  user: User | null | undefined,
): Promise<{ readonly user?: unknown }> {
  if (!publicUser || user == null) return {};
  return { user: await callApp("session.publicUser", () => publicUser(user)) };
}

/**
 * Returns the account of the app's session.
 *
 * @throws CallbackMistake without a user's id, with which a guard would let all in, and for a session's id that is no text, with which no
 * link and no step-up would be found again
 */
export async function readAppSession<ReadContext>(
  app: AppSessionReader<ReadContext>,
  context: ReadContext,
): Promise<AppSession | undefined> {
  const session = await callApp("session.current", () => app.current(context));
  if (!session) return undefined;
  const { userId, sessionId }: { readonly userId: unknown; readonly sessionId?: unknown } = session;
  const hasTexts = typeof userId === "string" && (sessionId === undefined || typeof sessionId === "string");
  if (hasTexts && userId !== "") return session;
  throw new CallbackMistake(
    "session.current must return { userId } with the user's id as a string, and sessionId as a string or not at all; or undefined if " +
      "nobody is logged in.",
  );
}

/** Creates the sessions of a `verify`, which has none: it neither reads nor starts one. Its logins travel as those of the kit. */
export function createNoSessions(transport: Transport): SessionSource<unknown, unknown> {
  return {
    transport,
    current: async () => undefined,
    open: () => ({
      current: async () => undefined,
      async start() {
        throw new Error("A verify starts no session.");
      },
      async endOthers() {},
      end: async () => [],
    }),
  };
}

/** Returns the proof of a session; one that names no kind of proof is of the phone. */
function proofOf({ provenAt, provenBy = "phone" }: Partial<AppSession> = {}): Pick<AppLogin, "provenAt" | "provenBy"> {
  return { provenAt, provenBy: provenAt === undefined ? undefined : provenBy };
}

/** Lets a login use the app's own sessions. */
export function createAppSessions<RequestContext extends ReadContext, ReadContext>(
  app: AppSessions<RequestContext, ReadContext>,
  clock: Clock,
): SessionSource<RequestContext, ReadContext> {
  const current = (context: ReadContext) => readAppSession(app, context);
  const end = async (context: RequestContext) => void (await callApp("session.end", () => app.end(context)));

  return {
    transport: app.transport ?? "cookie",
    current: (_request, context) => current(context),
    open(_request, context) {
      let started: AppSession | undefined;
      return {
        // The app's `start` may have ended the session that the request names. A session of another user still counts.
        current: async () => (await current(context)) ?? started,
        async start(login) {
          const proof =
            login.purpose === "link"
              ? proofOf(await current(context))
              : { provenAt: clock.now(), provenBy: "phone" as const };
          const result = await callApp("session.start", () => app.start({ ...login, ...proof }, context));
          started = { userId: login.userId };
          return {
            cookies: [],
            result,
            undo: () => end(context),
            // The app's `start` has renewed its own session.
            async complete() {},
          };
        },
        // An app that ends sessions does so in `onRemove`.
        async endOthers() {},
        async end() {
          await end(context);
          return [];
        },
      };
    },
  };
}
