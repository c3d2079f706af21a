import type { Purpose } from "../codes/purpose.ts";
import type { LoginDeps } from "../login/login-deps.ts";
import type { LoginStep } from "../login/login-event.ts";
import { createOffer, type LoginOffer } from "../login/offer.ts";
import { transactionKeyOf } from "../login/transaction-store.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import { bearerChallenge, type RequestTransport, transportOf } from "../sessions/transport.ts";
import type { Awaitable } from "../util/awaitable.ts";
import { secondsSince } from "../util/clock.ts";
import type { KitCookie } from "../util/cookie.ts";
import { type DoorcodeError, type ErrorCode, isDoorcodeError } from "../util/errors.ts";
import type { WithHeaders } from "../util/headers.ts";
import { type Carrier, type Carriers, createCarriers, type LoginTokens } from "./carriers.ts";
import { type ClientReader, createClientReader } from "./client-reader.ts";
import type { HttpRequest, HttpResponse, Mount, ProxySetting } from "./exchange.ts";
import { type BodyFormat, type LoginBody, readLoginBody } from "./login-body.ts";
import { type LoginHandler, type LoginPost, linkHandlers, loginHandlers } from "./login-handlers.ts";
import { type LoginState, readLogin } from "./login-state.ts";
import { doneLocation, type FormPages, pageLocation, seeOther } from "./pages.ts";
import { cacheable, jsonResponse, leavesBodyUnread, problem, refuse } from "./problem.ts";
import { openProofs, type ProofDeps } from "./proof-source.ts";
import { answerUnread, formatFor, refuseUnread } from "./refuse-unread.ts";
import type { Origins } from "./same-origin.ts";
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
  /** Describes the endpoints (OpenAPI); `undefined` if they are not to be described. */
  readonly describe: (() => Promise<unknown>) | undefined;
}

/** The endpoints of a login. */
export interface LoginMount<RequestContext extends ReadContext, ReadContext> extends Mount<RequestContext> {
  /** Reads the state of a browser's login, for a page that is being rendered. @throws DoorcodeError `store_unavailable` */
  readState(request: WithHeaders, context: ReadContext): Promise<LoginState>;
  /** The countries and channels of the login, for a page that is being rendered. */
  readonly offer: LoginOffer;
}

/**
 * Creates the endpoints of a login: POST `/start`, `/resend`, `/confirm`, `/cancel` and `/logout`, and GET `/state`,
 * `/offer` and, on wish, `/openapi.json`. A `verify` has no `/logout`, and a `link` may have `/remove`.
 *
 * JSON is answered with the login state, an HTML form with 303. Only a POST changes anything, and only from the app's own
 * pages.
 */
export function createLoginMount<RequestContext extends ReadContext, ReadContext>(
  deps: LoginMountDeps<RequestContext, ReadContext>,
): LoginMount<RequestContext, ReadContext> {
  const { login, purpose, cookies, deviceCookie, sessions, checkHost, proxySetting, waits, describe } = deps;
  const readClient = createClientReader(login.publish, proxySetting);
  const carriers = createCarriers(purpose, cookies, deviceCookie);
  const offer = createOffer(login);
  const handlers = handlersOf(purpose, login);
  const readPaths = ["/state", "/offer", ...(describe ? ["/openapi.json"] : [])];

  function readerOf(request: WithHeaders, context: ReadContext): () => ReturnType<typeof readLogin> {
    checkHost(request);
    const transport = transportOf(sessions.transport, request.headers);
    const id = carriers[transport].transaction.read(request.headers);
    const readSession = () => sessions.current(request, context);
    if (purpose !== "verify") return () => readLogin(login, { purpose, id }, readSession);
    return () => readLogin(login, { purpose, id }, readSession, openProofs(deps, request, context, transport).current);
  }

  async function get(request: HttpRequest, context: RequestContext): Promise<HttpResponse> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refuse("method_not_allowed", {}, { allow: "GET, HEAD" });
    }
    const read = readerOf(request, context);
    if (request.path === "/offer") return cacheable(jsonResponse(200, offer));
    if (request.path === "/openapi.json") return cacheable(jsonResponse(200, await describe?.()));
    return answerState({ ...login, waits, read }, request, mount);
  }

  const mount: LoginMount<RequestContext, ReadContext> = {
    paths: [...handlers.keys(), ...readPaths],
    async handle(request, context) {
      const { path } = request;
      try {
        if (readPaths.includes(path)) return await get(request, context);
        const handler = handlers.get(path);
        return handler && (await post({ ...deps, carriers, readClient }, handler, request, context));
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

/** The dependencies of a mount's POSTs. */
interface PostDeps<RequestContext extends ReadContext, ReadContext>
  extends LoginMountDeps<RequestContext, ReadContext> {
  readonly carriers: Readonly<Record<RequestTransport, Carriers>>;
  readonly readClient: ClientReader<RequestContext>;
}

async function post<RequestContext extends ReadContext, ReadContext>(
  deps: PostDeps<RequestContext, ReadContext>,
  handler: LoginHandler,
  request: HttpRequest,
  context: RequestContext,
): Promise<HttpResponse> {
  const { login, purpose, carriers, origins, checkHost, sessions, forms, readClient, signals } = deps;
  const startedAt = login.clock.now();
  const publishRefusal = (code: ErrorCode) => {
    // The paths of the handlers are the steps.
    const step = request.path.slice(1) as LoginStep;
    login.publish({ type: "login.refused", code, step, durationSeconds: secondsSince(login.clock, startedAt) });
  };
  checkHost(request);
  const transport = transportOf(sessions.transport, request.headers);
  const format = formatFor(transport, request);
  const refusal = refuseUnread(request, origins, format, sessions.transport);
  if (refusal) publishRefusal(refusal);
  if (refusal) return answerUnread(refusal);

  let body: LoginBody = {};
  const { transaction: carrier, device: deviceCarrier, transactions: allTransactions } = carriers[transport];
  const transactions = readTransactions(allTransactions, request);
  try {
    body = await readLoginBody(request, format ?? "none", login.clock);
    const outcome = await handler({
      deps: login,
      purpose,
      carrier,
      id: carrier.read(request.headers),
      transactions,
      deviceCarrier,
      device: deviceCarrier.read(request.headers),
      client: readClient(request, context),
      readSignals: () => signals?.(context),
      body,
      sessions: sessions.open(request, context),
      proofs: openProofs(deps, request, context, transport),
    });
    const cookies = outcome.handouts.flatMap((handout) => handout.cookies);
    const tokens: LoginTokens = Object.assign({}, ...outcome.handouts.map((handout) => handout.tokens));
    if (format !== "form") return jsonResponse(200, { ...outcome.state, ...tokens }, cookies);
    return seeOther(outcome.done ? doneLocation(forms, body.next) : pageLocation(forms, body.next), cookies);
  } catch (error) {
    if (!isDoorcodeError(error)) throw error;
    publishRefusal(error.code);
    if (showsPage(format, error)) return seeOther(pageLocation(forms, body.next, error), []);
    return problem(error, error.status === 401 ? bearerChallenge(sessions.transport, request.headers) : {});
  } finally {
    // Other tabs wait for what this one did, also for what a refused code has used up.
    login.changes.announce(...transactions.map(({ id }) => transactionKeyOf(login, id)));
  }
}

/** Reads the ids of transactions, of every purpose. */
function readTransactions(carriers: readonly Carrier[], { headers }: WithHeaders): LoginPost["transactions"] {
  return carriers.flatMap((carrier) => {
    const id = carrier.read(headers);
    return id === undefined ? [] : [{ carrier, id }];
  });
}

/** A refused form goes back to its page, except when the unread rest of its body blocks the connection. */
function showsPage(format: BodyFormat | undefined, error: DoorcodeError): boolean {
  return format === "form" && !leavesBodyUnread(error);
}
