import { readDeviceId } from "../login/device.ts";
import type { LoginDeps } from "../login/login-deps.ts";
import type { LoginStep } from "../login/login-event.ts";
import type { Purpose } from "../login/transaction.ts";
import type { Awaitable } from "../primitives/awaitable.ts";
import { secondsSince } from "../primitives/clock.ts";
import type { KitCookie } from "../primitives/cookie.ts";
import { type DoorcodeError, type ErrorCode, isDoorcodeError } from "../primitives/errors.ts";
import type { WithHeaders } from "../primitives/headers.ts";
import type { SessionSource } from "../session/session-source.ts";
import { type ClientReader, createClientReader } from "./client-reader.ts";
import type { HttpRequest, HttpResponse, Mount, ProxySetting } from "./exchange.ts";
import { type BodyFormat, bodyFormat, type LoginBody, readLoginBody } from "./login-body.ts";
import { type LoginHandler, type LoginPost, loginHandlers } from "./login-handlers.ts";
import { type LoginState, readLoginState } from "./login-state.ts";
import { doneLocation, type FormPages, pageLocation, seeOther } from "./pages.ts";
import { jsonResponse, problem, refuse } from "./problem.ts";
import { isSameOrigin, type Origins } from "./same-origin.ts";

/** The dependencies of a mounted login. */
export interface LoginMountDeps<RequestContext extends ReadContext, ReadContext> {
  readonly login: LoginDeps;
  readonly purpose: Purpose;
  /** The cookies that carry the ids of transactions. */
  readonly cookies: Readonly<Record<Purpose, KitCookie>>;
  /** The cookie by which a device is known again. */
  readonly deviceCookie: KitCookie;
  readonly origins: Origins;
  /** Refuses a request that the kit must not serve. @throws DoorcodeError `host_not_allowed` */
  readonly checkHost: (request: WithHeaders) => void;
  readonly sessions: SessionSource<RequestContext, ReadContext>;
  readonly forms: FormPages;
  readonly proxySetting: ProxySetting<RequestContext>;
  /** Reads what the app adds to the context of `beforeSend`. */
  readonly signals: ((context: ReadContext) => Awaitable<unknown>) | undefined;
}

/** The endpoints of a login. */
export interface LoginMount<RequestContext extends ReadContext, ReadContext> extends Mount<RequestContext> {
  /** Reads the state of a browser's login, for a page that is being rendered. @throws DoorcodeError `store_unavailable` */
  readState(request: WithHeaders, context: ReadContext): Promise<LoginState>;
}

/**
 * Creates the endpoints of a login: POST `/start`, `/resend`, `/confirm`, `/cancel` and `/logout`, and GET `/state`.
 *
 * JSON is answered with the login state, an HTML form with 303. Only a POST changes anything, and only from the app's own
 * pages.
 */
export function createLoginMount<RequestContext extends ReadContext, ReadContext>(
  deps: LoginMountDeps<RequestContext, ReadContext>,
): LoginMount<RequestContext, ReadContext> {
  const { login, purpose, cookies, sessions, checkHost, proxySetting } = deps;
  const readClient = createClientReader(login.publish, proxySetting);

  async function readState(request: WithHeaders, context: ReadContext): Promise<LoginState> {
    checkHost(request);
    const id = cookies[purpose].read(request.headers);
    return readLoginState(login, { purpose, id }, () => sessions.current(request, context));
  }

  async function get(request: HttpRequest, context: RequestContext): Promise<HttpResponse> {
    if (request.method !== "GET" && request.method !== "HEAD")
      return refuse("method_not_allowed", {}, { allow: "GET, HEAD" });
    return jsonResponse(200, await readState(request, context));
  }

  return {
    paths: [...loginHandlers.keys(), "/state"],
    async handle(request, context) {
      const { path } = request;
      try {
        if (path === "/state") return await get(request, context);
        const handler = loginHandlers.get(path);
        return handler && (await post({ ...deps, readClient }, handler, request, context));
      } catch (error) {
        if (isDoorcodeError(error)) return problem(error);
        throw error;
      }
    },
    readState,
    close() {},
  };
}

const foreignOriginFix =
  "Send the POST from a page whose origin is in `origins`. A client that is not a browser sends application/json without Origin.";

async function post<RequestContext extends ReadContext, ReadContext>(
  deps: LoginMountDeps<RequestContext, ReadContext> & { readonly readClient: ClientReader<RequestContext> },
  handler: LoginHandler,
  request: HttpRequest,
  context: RequestContext,
): Promise<HttpResponse> {
  const { login, purpose, cookies, deviceCookie, origins, checkHost, sessions, forms, readClient, signals } = deps;
  const startedAt = login.clock.now();
  const publishRefusal = (code: ErrorCode) => {
    // The paths of the handlers are the steps.
    const step = request.path.slice(1) as LoginStep;
    login.publish({ type: "login.refused", code, step, durationSeconds: secondsSince(login.clock, startedAt) });
  };
  checkHost(request);
  const format = bodyFormat(request);
  const refusal = refuseUnread(request, origins, format);
  if (refusal) publishRefusal(refusal);
  if (refusal === "method_not_allowed") return refuse(refusal, {}, { allow: "POST" });
  if (refusal) return refuse(refusal, refusal === "foreign_origin" ? { message: foreignOriginFix } : {});

  let body: LoginBody = {};
  try {
    body = await readLoginBody(request, format ?? "none", login.clock);
    const cookie = cookies[purpose];
    const outcome = await handler({
      deps: login,
      purpose,
      cookie,
      id: cookie.read(request.headers),
      readTransactions: () => readTransactions(cookies, request),
      deviceCookie,
      device: readDeviceId(deviceCookie.read(request.headers)),
      client: readClient(request, context),
      readSignals: () => signals?.(context),
      body,
      sessions: sessions.open(request, context),
    });
    if (format !== "form") return jsonResponse(200, outcome.state, outcome.cookies);
    return seeOther(outcome.done ? doneLocation(forms, body.next) : pageLocation(forms, body.next), outcome.cookies);
  } catch (error) {
    if (!isDoorcodeError(error)) throw error;
    publishRefusal(error.code);
    return showsPage(format, error) ? seeOther(pageLocation(forms, body.next, error), []) : problem(error);
  }
}

/** Reads the cookies of transactions, of every purpose. */
function readTransactions(
  cookies: Readonly<Record<Purpose, KitCookie>>,
  { headers }: WithHeaders,
): ReturnType<LoginPost["readTransactions"]> {
  return Object.values(cookies).flatMap((cookie) => {
    const id = cookie.read(headers);
    return id === undefined ? [] : [{ cookie, id }];
  });
}

/** Returns why a POST is refused before its body is read. */
function refuseUnread(request: HttpRequest, origins: Origins, format: BodyFormat | undefined): ErrorCode | undefined {
  if (request.method !== "POST") return "method_not_allowed";
  if (!isSameOrigin(request, origins, format === "json")) return "foreign_origin";
  return format === undefined ? "media_type_unsupported" : undefined;
}

/** A refused form goes back to its page, except when the unread rest of its body blocks the connection. */
function showsPage(format: BodyFormat | undefined, { code }: DoorcodeError): boolean {
  return format === "form" && code !== "body_too_large" && code !== "body_too_slow";
}
