import { type Doorcode, partsOf, twoSessionsFix } from "./doorcode.ts";
import {
  type Admission,
  type AppSessionGuardOptions,
  createGuard,
  type GuardedRequest,
  type GuardOptions,
} from "./http/guard.ts";
import type { AppSession } from "./login/request-sessions.ts";
import type { RegisteredUser } from "./register.ts";
import { readAppSession } from "./sessions/session-source.ts";
import type { Session, Sessions } from "./sessions/sessions.ts";
import { transportShape } from "./sessions/transport.ts";
import type { WithHeaders } from "./util/headers.ts";
import { functionOption, parseOptions, strictOptions } from "./util/parse-options.ts";

const appSessionShape = strictOptions({
  session: strictOptions({
    transport: transportShape.optional(),
    start: functionOption().optional(),
    current: functionOption(),
    end: functionOption().optional(),
  }),
});

/**
 * Creates the guard of routes that need a login: by the kit's sessions, or by the app's own if the options have them.
 *
 * @throws TypeError for a wrong option, if there are no sessions, and if both the kit and the options have some
 */
export function createLoginGuard<ReadContext>(
  doorcode: Doorcode,
  options: AppSessionGuardOptions<ReadContext>,
): (request: GuardedRequest, context: ReadContext) => Promise<Admission<AppSession>>;
export function createLoginGuard(
  doorcode: Doorcode,
  options?: GuardOptions,
): (request: GuardedRequest, context?: unknown) => Promise<Admission<Session<RegisteredUser>>>;
export function createLoginGuard<ReadContext>(
  doorcode: Doorcode,
  options?: GuardOptions | AppSessionGuardOptions<ReadContext>,
): (request: GuardedRequest, context: ReadContext) => Promise<Admission<Session<RegisteredUser> | AppSession>>;
export function createLoginGuard<ReadContext>(
  doorcode: Doorcode,
  { session, ...options }: GuardOptions | AppSessionGuardOptions<ReadContext> = {},
): (request: GuardedRequest, context: ReadContext) => Promise<Admission<AppSession>> {
  const { clock, checkHost, sessions, sessionSource } = partsOf(doorcode);
  if (session === undefined) {
    const { current } = sessions ?? noSessions("requireLogin");
    return createGuard({ current, transport: sessionSource?.transport ?? "cookie", clock }, options);
  }
  if (sessions) throw new TypeError(`requireLogin: ${twoSessionsFix}`);
  parseOptions("requireLogin", appSessionShape, { session });
  return createGuard(
    {
      async current(request, context: ReadContext) {
        checkHost(request);
        return readAppSession(session, context);
      },
      transport: session.transport ?? "cookie",
      clock,
    },
    options,
  );
}

/**
 * Reads the session of a request, for routes that are open to all; `undefined` if there is none.
 *
 * @throws TypeError if the kit has no sessions of its own
 * @throws DoorcodeError `store_unavailable`
 */
export function readSession(doorcode: Doorcode, request: WithHeaders): Promise<Session<RegisteredUser> | undefined> {
  const sessions = partsOf(doorcode).sessions ?? noSessions("getSession");
  return (sessions as Sessions<RegisteredUser>).current(request);
}

const appSessionFixes = {
  requireLogin: "or give requireLogin the sessions of your app, as session: { current }",
  getSession: "or read the session of your app",
};

function noSessions(caller: keyof typeof appSessionFixes): never {
  throw new TypeError(`${caller}: createDoorcode was called without session: add it, ${appSessionFixes[caller]}.`);
}
