import type { Purpose } from "../codes/purpose.ts";
import type { LoginDeps } from "../login/login-deps.ts";
import type { LoginStep } from "../login/login-event.ts";
import { createOffer, type LoginOffer } from "../login/offer.ts";
import { transactionKeyOf } from "../login/transaction-store.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import { bearerChallenge, transportOf } from "../sessions/transport.ts";
import type { Awaitable } from "../util/awaitable.ts";
import { secondsSince } from "../util/clock.ts";
import type { KitCookie } from "../util/cookie.ts";
import { type DoorcodeError, type ErrorCode, isDoorcodeError } from "../util/errors.ts";
import type { WithHeaders } from "../util/headers.ts";
import {
  cacheable,
  doneLocation,
  type FormPages,
  jsonResponse,
  leavesBodyUnread,
  pageLocation,
  problem,
  refuse,
  seeOther,
} from "./answers.ts";
import { createCarriers } from "./carriers.ts";
import { createClientReader } from "./client.ts";
import type { HttpRequest, HttpResponse, Mount, ProxySetting } from "./exchange.ts";
import { type BodyFormat, type LoginBody, readLoginBody } from "./login-body.ts";
import { handlersOf, type LoginHandler, type LoginOutcome } from "./login-handlers.ts";
import { type LoginState, type ReadLogin, readLogin } from "./login-state.ts";
import type { Origins } from "./origin.ts";
import { openProofs, type ProofDeps } from "./proofs.ts";
import { answerUnread, formatFor, refuseUnread } from "./refuse-unread.ts";
import { answerState, type StateWaits } from "./waits.ts";

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
  /** Describes the endpoints at these paths (OpenAPI); `undefined` if they are not to be described. */
  readonly describe: ((paths: readonly string[]) => Promise<unknown>) | undefined;
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
  const { login, purpose, sessions, checkHost, origins, forms, waits, describe } = deps;
  const readClient = createClientReader(login.publish, deps.proxySetting);
  const carriersOf = createCarriers(purpose, deps.cookies, deps.deviceCookie);
  const offer = createOffer(login);
  const handlers = handlersOf(purpose, login);
  const readPaths = ["/state", "/offer", ...(describe ? ["/openapi.json"] : [])];
  const paths = [...handlers.keys(), ...readPaths];

  async function read(request: WithHeaders, context: ReadContext): Promise<ReadLogin> {
    checkHost(request);
    const transport = transportOf(sessions.transport, request.headers);
    const id = carriersOf[transport].transaction.read(request.headers);
    const readSession = () => sessions.current(request, context);
    const proofs = purpose === "verify" ? openProofs(deps, request, context, transport) : undefined;
    return readLogin(login, { purpose, id }, readSession, proofs?.current);
  }

  async function get(request: HttpRequest, context: RequestContext): Promise<HttpResponse> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refuse("method_not_allowed", {}, { allow: "GET, HEAD" });
    }
    checkHost(request);
    if (request.path === "/offer") return cacheable(jsonResponse(200, offer));
    if (request.path === "/openapi.json") return cacheable(jsonResponse(200, await describe?.(paths)));
    return answerState(waits, () => read(request, context), request, mount);
  }

  async function post(handler: LoginHandler, request: HttpRequest, context: RequestContext): Promise<HttpResponse> {
    const startedAt = login.clock.now();
    const publishRefusal = (code: ErrorCode) => {
      // The paths of the handlers are the steps.
      const step = request.path.slice(1) as LoginStep;
      login.publish({ type: "login.refused", code, step, durationSeconds: secondsSince(login.clock, startedAt) });
    };
    checkHost(request);
    const { headers } = request;
    const transport = transportOf(sessions.transport, headers);
    const format = formatFor(transport, request);
    const refusal = refuseUnread(request, origins, format, sessions.transport);
    if (refusal) {
      publishRefusal(refusal);
      return answerUnread(refusal);
    }

    let body: LoginBody = {};
    const carriers = carriersOf[transport];
    const transactions = carriers.transactions.flatMap((carrier) => {
      const id = carrier.read(headers);
      return id === undefined ? [] : [{ carrier, id }];
    });
    try {
      body = await readLoginBody(request, format ?? "none", login.clock);
      const outcome = await handler({
        deps: login,
        purpose,
        carrier: carriers.transaction,
        id: carriers.transaction.read(headers),
        transactions,
        deviceCarrier: carriers.device,
        device: carriers.device.read(headers),
        client: readClient(request, context),
        readSignals: () => deps.signals?.(context),
        body,
        sessions: sessions.open(request, context),
        proofs: openProofs(deps, request, context, transport),
      });
      return answerOutcome(outcome, format, forms, body);
    } catch (error) {
      if (!isDoorcodeError(error)) throw error;
      publishRefusal(error.code);
      if (showsPage(format, error)) return seeOther(pageLocation(forms, body.next, error));
      return problem(error, error.status === 401 ? bearerChallenge(sessions.transport, headers) : {});
    } finally {
      // Other tabs wait for what this one did, also for what a refused code has used up.
      login.changes.announce(...transactions.map(({ id }) => transactionKeyOf(login, id)));
    }
  }

  const mount: LoginMount<RequestContext, ReadContext> = {
    paths,
    async handle(request, context) {
      try {
        if (readPaths.includes(request.path)) return await get(request, context);
        const handler = handlers.get(request.path);
        return handler && (await post(handler, request, context));
      } catch (error) {
        if (isDoorcodeError(error)) return problem(error);
        throw error;
      }
    },
    readState: async (request, context) => (await read(request, context)).state,
    offer,
    close: () => waits.close(mount),
  };
  return mount;
}

/** Answers JSON with the state and the tokens, and a form with a redirect. */
function answerOutcome(
  { state, handouts, done }: LoginOutcome,
  format: BodyFormat | undefined,
  forms: FormPages,
  { next }: LoginBody,
): HttpResponse {
  const cookies = handouts.flatMap((handout) => handout.cookies ?? []);
  if (format === "form") return seeOther(done ? doneLocation(forms, next) : pageLocation(forms, next), cookies);
  const tokens = handouts.map((handout) => handout.tokens);
  return jsonResponse(200, Object.assign({}, state, ...tokens), cookies);
}

/** A refused form goes back to its page, except when the unread rest of its body blocks the connection. */
function showsPage(format: BodyFormat | undefined, error: DoorcodeError): boolean {
  return format === "form" && !leavesBodyUnread(error);
}
