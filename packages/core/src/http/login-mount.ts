import { readDeviceId } from "../login/device.ts";
import type { LoginDeps } from "../login/login-deps.ts";
import type { LoginStep } from "../login/login-event.ts";
import { createOffer, type LoginOffer } from "../login/offer.ts";
import type { Purpose } from "../login/transaction.ts";
import { transactionKeyOf } from "../login/transaction-store.ts";
import type { Awaitable } from "../primitives/awaitable.ts";
import { secondsSince } from "../primitives/clock.ts";
import type { KitCookie } from "../primitives/cookie.ts";
import { type DoorcodeError, type ErrorCode, isDoorcodeError } from "../primitives/errors.ts";
import type { WithHeaders } from "../primitives/headers.ts";
import type { SessionSource } from "../session/session-source.ts";
import { type ClientReader, createClientReader } from "./client-reader.ts";
import type { HttpRequest, HttpResponse, Mount, ProxySetting } from "./exchange.ts";
import { type BodyFormat, bodyFormat, type LoginBody, readLoginBody } from "./login-body.ts";
import { type LoginHandler, type LoginPost, linkHandlers, loginHandlers } from "./login-handlers.ts";
import { type LoginState, readLogin } from "./login-state.ts";
import { doneLocation, type FormPages, pageLocation, seeOther } from "./pages.ts";
import { cacheable, jsonResponse, problem, refuse } from "./problem.ts";
import { openProofs, type ProofDeps } from "./proof-source.ts";
import { isSameOrigin, type Origins } from "./same-origin.ts";
import { answerState } from "./state-request.ts";
import type { StateWaits } from "./state-waits.ts";
import { verifyHandlers } from "./verify-handlers.ts";

/** The dependencies of a mounted login. */
export interface LoginMountDeps<RequestContext extends ReadContext, ReadContext> extends ProofDeps<ReadContext> {
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
  /** The requests for the state that wait for a change. */
  readonly waits: StateWaits;
  readonly forms: FormPages;
  readonly proxySetting: ProxySetting<RequestContext>;
  /** Reads what the app adds to the context of `beforeSend`. */
  readonly signals: ((context: ReadContext) => Awaitable<unknown>) | undefined;
}

/** The endpoints of a login. */
export interface LoginMount<RequestContext extends ReadContext, ReadContext> extends Mount<RequestContext> {
  /** Reads the state of a browser's login, for a page that is being rendered. @throws DoorcodeError `store_unavailable` */
  readState(request: WithHeaders, context: ReadContext): Promise<LoginState>;
  /** The countries and channels of the login, for a page that is being rendered. */
  readonly offer: LoginOffer;
}

/**
 * Creates the endpoints of a login: POST `/start`, `/resend`, `/confirm`, `/cancel` and `/logout`, and GET `/state` and `/offer`. A `verify`
 * has no `/logout`, and a `link` may have `/remove`.
 *
 * JSON is answered with the login state, an HTML form with 303. Only a POST changes anything, and only from the app's own
 * pages.
 */
export function createLoginMount<RequestContext extends ReadContext, ReadContext>(
  deps: LoginMountDeps<RequestContext, ReadContext>,
): LoginMount<RequestContext, ReadContext> {
  const { login, purpose, cookies, sessions, checkHost, proxySetting, waits } = deps;
  const readClient = createClientReader(login.publish, proxySetting);
  const offer = createOffer(login);
  const handlers = handlersOf(purpose, login);

  function readerOf(request: WithHeaders, context: ReadContext): () => ReturnType<typeof readLogin> {
    checkHost(request);
    const id = cookies[purpose].read(request.headers);
    const readSession = () => sessions.current(request, context);
    if (purpose !== "verify") return () => readLogin(login, { purpose, id }, readSession);
    return () => readLogin(login, { purpose, id }, readSession, openProofs(deps, request, context).current);
  }

  async function get(request: HttpRequest, context: RequestContext): Promise<HttpResponse> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refuse("method_not_allowed", {}, { allow: "GET, HEAD" });
    }
    const read = readerOf(request, context);
    if (request.path === "/offer") return cacheable(jsonResponse(200, offer));
    return answerState({ ...login, waits, read }, request, mount);
  }

  const mount: LoginMount<RequestContext, ReadContext> = {
    paths: [...handlers.keys(), "/state", "/offer"],
    async handle(request, context) {
      const { path } = request;
      try {
        if (path === "/state" || path === "/offer") return await get(request, context);
        const handler = handlers.get(path);
        return handler && (await post({ ...deps, readClient }, handler, request, context));
      } catch (error) {
        if (isDoorcodeError(error)) return problem(error);
        throw error;
      }
    },
    async readState(request, context) {
      const { state } = await readerOf(request, context)();
      return state;
    },
    offer,
    close: () => waits.close(mount),
  };
  return mount;
}

function handlersOf(purpose: Purpose, { callbacks }: LoginDeps): ReadonlyMap<string, LoginHandler> {
  if (purpose === "verify") return verifyHandlers;
  return purpose === "link" && callbacks.onRemove ? linkHandlers : loginHandlers;
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
  const transactions = readTransactions(cookies, request);
  try {
    body = await readLoginBody(request, format ?? "none", login.clock);
    const cookie = cookies[purpose];
    const outcome = await handler({
      deps: login,
      purpose,
      cookie,
      id: cookie.read(request.headers),
      transactions,
      deviceCookie,
      device: readDeviceId(deviceCookie.read(request.headers)),
      client: readClient(request, context),
      readSignals: () => signals?.(context),
      body,
      sessions: sessions.open(request, context),
      proofs: openProofs(deps, request, context),
    });
    if (format !== "form") return jsonResponse(200, outcome.state, outcome.cookies);
    return seeOther(outcome.done ? doneLocation(forms, body.next) : pageLocation(forms, body.next), outcome.cookies);
  } catch (error) {
    if (!isDoorcodeError(error)) throw error;
    publishRefusal(error.code);
    return showsPage(format, error) ? seeOther(pageLocation(forms, body.next, error), []) : problem(error);
  } finally {
    // Other tabs wait for what this one did, also for what a refused code has used up.
    login.changes.announce(...transactions.map(({ id }) => transactionKeyOf(login, id)));
  }
}

/** Reads the cookies of transactions, of every purpose. */
function readTransactions(
  cookies: Readonly<Record<Purpose, KitCookie>>,
  { headers }: WithHeaders,
): LoginPost["transactions"] {
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
