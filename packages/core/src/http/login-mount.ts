import type { Purpose } from "../codes/code-strategy.ts";
import type { LoginDeps } from "../login/login-deps.ts";
import type { LoginStep } from "../login/login-event.ts";
import { createOffer, type LoginOffer, type LoginState, type ReadLogin, readLogin } from "../login/state.ts";
import { transactionKeyOf } from "../login/transaction.ts";
import { typedNumberSeconds } from "../login/typed-number.ts";
import { parseTypedPhone } from "../phone/allowed-numbers.ts";
import type { RememberedBrowsers } from "../sessions/remembered-browsers.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import {
  asksForTokens,
  bearerChallenge,
  type Carriers,
  createCarriers,
  type KitCookie,
  type RequestTransport,
  type Transport,
  transportOf,
} from "../sessions/transport.ts";
import type { Awaitable } from "../util/call-app.ts";
import { type ClientReader, createClientReader, type ProxySetting, summarizeClient } from "../util/client.ts";
import { secondsSince } from "../util/clock.ts";
import { DoorcodeError, type ErrorCode, isDoorcodeError } from "../util/errors.ts";
import type { WithHeaders } from "../util/headers.ts";
import { isSameOrigin, isWebPage, type Origins } from "../util/origin.ts";
import {
  answerFile,
  answerPage,
  cacheable,
  doneLocation,
  type FormPages,
  jsonResponse,
  type LoginPage,
  leavesBodyUnread,
  pageLocation,
  problem,
  refuse,
  seeOther,
} from "./answers.ts";
import { type BodyFormat, bodyFormat, type LoginBody, readLoginBody } from "./body.ts";
import type { HttpRequest, HttpResponse, Mount } from "./exchange.ts";
import { handlersOf, type LoginHandler, type LoginOutcome, type LoginPost } from "./login-handlers.ts";
import { openProofs, type ProofDeps } from "./request-proofs.ts";
import { answerState, type StateWaits } from "./waits.ts";

/** The dependencies of a mounted login. */
export interface LoginMountDeps<RequestContext extends ReadContext, ReadContext> extends ProofDeps<ReadContext> {
  readonly login: LoginDeps;
  readonly purpose: Purpose;
  readonly origins: Origins;
  /** Refuses a request that the kit must not serve. @throws DoorcodeError `host_not_allowed` */
  readonly checkHost: (request: WithHeaders) => void;
  readonly sessions: SessionSource<RequestContext, ReadContext>;
  /** The cookies that carry the ids of transactions. */
  readonly cookies: Readonly<Record<Purpose, KitCookie>>;
  /** The cookie by which a device is known again. */
  readonly deviceCookie: KitCookie;
  /** The cookie that keeps the number of a refused form, for the page that the browser loads next. */
  readonly typedCookie: KitCookie;
  /** The requests for the state that wait for a change. */
  readonly waits: StateWaits;
  readonly proxySetting: ProxySetting<RequestContext>;
  readonly rememberedBrowsers: RememberedBrowsers;
  /** The time for which a browser is remembered; `undefined` if none is. */
  readonly rememberSeconds: number | undefined;
  /** The page that the mount serves; `undefined` if the app has its own. */
  readonly page: LoginPage | undefined;
  /** The pages of forms. Without a `page`, the mount serves it at its own path. */
  readonly forms: Omit<FormPages, "page"> & { readonly page: string | undefined };
  /** Reads what the app adds to the context of `beforeSend`. */
  readonly signals: ((context: ReadContext) => Awaitable<unknown>) | undefined;
  /** Describes the endpoints at these paths (OpenAPI); `undefined` if they are not to be described. */
  readonly describe: ((paths: readonly string[]) => Promise<unknown>) | undefined;
}

/** The endpoints of a login. */
export interface LoginMount<RequestContext extends ReadContext, ReadContext> extends Mount<RequestContext> {
  /** Reads the state of a browser's login, for a page that is being rendered. @throws DoorcodeError `store_unavailable` */
  readState(request: WithHeaders, context: ReadContext): Promise<LoginState>;
  /** The countries of the login, for a page that is being rendered. */
  readonly offer: LoginOffer;
}

/**
 * Creates the endpoints of a login. JSON is answered with its state, a form with 303. Only a POST from the app's own pages has an effect.
 */
export function createLoginMount<RequestContext extends ReadContext, ReadContext>(
  deps: LoginMountDeps<RequestContext, ReadContext>,
): LoginMount<RequestContext, ReadContext> {
  const { login, purpose, checkHost, waits, page, describe } = deps;
  const readClient = createClientReader(
    (mistake) => login.publish({ type: "login.proxy_misconfigured", mistake }),
    deps.proxySetting,
  );
  const carriers = createCarriers(purpose, deps.cookies, deps.deviceCookie);
  const offer = createOffer(login, deps.rememberSeconds !== undefined);
  const handlers = handlersOf(purpose, login);
  const pagePaths = page ? ["/", ...Object.keys(page.files)] : [];
  const readPaths = ["/state", "/offer", ...(describe ? ["/openapi.json"] : []), ...pagePaths];
  const paths = [...handlers.keys(), ...readPaths];

  const { read, readForPage } = createStateReaders(deps, carriers);
  const postDeps = { ...deps, carriers, readClient };

  async function get(request: HttpRequest, context: RequestContext): Promise<HttpResponse> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refuse("method_not_allowed", {}, { allow: "GET, HEAD" });
    }
    checkHost(request);
    const file = page?.files[request.path];
    if (file) return answerFile(file);
    if (page && request.path === "/") {
      return answerPage(page, request, { state: await readForPage(request, context), offer, purpose });
    }
    if (request.path === "/offer") return cacheable(jsonResponse(offer));
    if (request.path === "/openapi.json") return cacheable(jsonResponse(await describe?.(paths)));
    return answerState(waits, () => read(request, context), request, mount);
  }

  const mount: LoginMount<RequestContext, ReadContext> = {
    paths,
    async handle(request, context) {
      try {
        if (readPaths.includes(request.path)) return await get(request, context);
        const handler = handlers.get(request.path);
        return handler && (await answerPost(postDeps, handler, request, context));
      } catch (error) {
        if (isDoorcodeError(error)) return problem(error);
        throw error;
      }
    },
    readState: readForPage,
    offer,
    close: () => waits.close(mount),
  };
  return mount;
}

/** Creates the functions that read the state of a browser's login. */
function createStateReaders<RequestContext extends ReadContext, ReadContext>(
  deps: LoginMountDeps<RequestContext, ReadContext>,
  carriers: Readonly<Record<RequestTransport, Carriers>>,
) {
  const { login, purpose, sessions, checkHost, typedCookie } = deps;

  async function read(request: WithHeaders, context: ReadContext): Promise<ReadLogin> {
    checkHost(request);
    const transport = transportOf(sessions.transport, request.headers);
    const id = carriers[transport].transaction.read(request.headers);
    const readSession = () => sessions.current(request, context);
    const proofs = purpose === "verify" ? openProofs(deps, request, context, transport) : undefined;
    return readLogin(login, { purpose, id }, readSession, proofs?.current);
  }

  /** Reads the state for a page that is being rendered: it may show the number of a refused form again. */
  async function readForPage(request: WithHeaders, context: ReadContext): Promise<LoginState> {
    const [{ state }, typed] = await Promise.all([
      read(request, context),
      login.typedNumbers.open(typedCookie.read(request.headers)),
    ]);
    return typed && state.status !== "code_sent" ? { ...state, typed } : state;
  }

  return { read, readForPage };
}

interface PostDeps<RequestContext extends ReadContext, ReadContext>
  extends LoginMountDeps<RequestContext, ReadContext> {
  readonly carriers: Readonly<Record<RequestTransport, Carriers>>;
  readonly readClient: ClientReader<RequestContext>;
}

/** Answers a POST: JSON with the login state, a form with 303. The headers are judged before the body is read. */
async function answerPost<RequestContext extends ReadContext, ReadContext>(
  deps: PostDeps<RequestContext, ReadContext>,
  handler: LoginHandler,
  request: HttpRequest,
  context: RequestContext,
): Promise<HttpResponse> {
  const { login, purpose, origins, sessions } = deps;
  const { headers } = request;
  const startedAt = login.clock.now();
  let body: LoginBody = {};
  const publishRefusal = (code: ErrorCode) => {
    // The paths of the handlers are the steps.
    const step = request.path.slice(1) as LoginStep;
    const durationSeconds = secondsSince(login.clock, startedAt);
    const country = body.phone && parseTypedPhone(body.phone, body.country, login.countries)?.country;
    login.publish({ type: "login.refused", code, step, purpose, durationSeconds, ...(country && { country }) });
  };
  try {
    deps.checkHost(request);
  } catch (error) {
    if (isDoorcodeError(error)) publishRefusal(error.code);
    throw error;
  }
  const transport = transportOf(sessions.transport, headers);
  const format = formatFor(transport, request);
  const refusal = refuseUnread(request, origins, format, sessions.transport);
  if (refusal) {
    publishRefusal(refusal.code);
    return problem(refusal, refusal.code === "method_not_allowed" ? { allow: "POST" } : {});
  }

  const forms: FormPages = { ...deps.forms, page: deps.forms.page ?? request.basePath };
  const post = postOf(deps, request, context, transport);
  try {
    body = await readLoginBody(request, format ?? "none", login.clock);
    const outcome = await handler({ ...post, body });
    return answerOutcome(withoutTyped(deps, request, outcome), format, forms, body);
  } catch (error) {
    if (!isDoorcodeError(error)) throw error;
    publishRefusal(error.code);
    // The page of a refused form, except when the unread rest of its body blocks the connection.
    if (format === "form" && !leavesBodyUnread(error))
      return seeOther(pageLocation(forms, body.next, error), await keepTyped(deps, request, body));
    return problem(error, error.status === 401 ? bearerChallenge(sessions.transport, headers) : {});
  } finally {
    // Other tabs wait for what this one did, also for what a refused code has used up.
    for (const { id } of post.transactions) login.changes.emit(transactionKeyOf(login, id));
  }
}

/** Keeps the number of a refused form in the browser. In the query of its page it would be in logs and in the history. */
async function keepTyped(
  { login, typedCookie }: Pick<LoginMountDeps<unknown, unknown>, "login" | "typedCookie">,
  { path }: HttpRequest,
  { phone, country }: LoginBody,
): Promise<readonly string[]> {
  const sealed = path === "/start" && phone !== undefined && (await login.typedNumbers.seal({ phone, country }));
  return sealed ? [typedCookie.write(sealed, typedNumberSeconds)] : [];
}

/** Lets the browser forget a typed number with the start that follows it. */
function withoutTyped(
  { typedCookie }: Pick<LoginMountDeps<unknown, unknown>, "typedCookie">,
  { path, headers }: HttpRequest,
  outcome: LoginOutcome,
): LoginOutcome {
  if (path !== "/start" || typedCookie.read(headers) === undefined) return outcome;
  return { ...outcome, credentials: [...outcome.credentials, { cookies: [typedCookie.drop()] }] };
}

/** Reads the format of a body. A form is answered with a redirect, which cannot carry tokens. */
function formatFor(transport: RequestTransport, request: HttpRequest): BodyFormat | undefined {
  const format = bodyFormat(request);
  return transport === "bearer" && format === "form" ? undefined : format;
}

/** The origin is checked however the request travels, so no header of a client turns the check off. */
function refuseUnread(
  request: HttpRequest,
  origins: Origins,
  format: BodyFormat | undefined,
  transport: Transport,
): DoorcodeError | undefined {
  if (request.method !== "POST") return new DoorcodeError("method_not_allowed");
  if (!isSameOrigin(request, origins, format === "json")) {
    return new DoorcodeError("foreign_origin", { message: foreignOriginFix });
  }
  if (!allowsTransport(request, transport)) {
    return new DoorcodeError("transport_not_allowed", { message: transportFix });
  }
  return format === undefined ? new DoorcodeError("media_type_unsupported") : undefined;
}

const foreignOriginFix =
  "Send the POST from a page whose origin is in `origins`. A client that is not a browser sends application/json without Origin.";
const transportFix =
  'Tokens are handed out with session: { transport: "both" }, to clients that are no pages of a website, or with "bearer", to all.';

/** Tells whether a request may travel as it does. With `both`, no page of a website gets tokens: an injected script could read them. */
function allowsTransport(request: HttpRequest, transport: Transport): boolean {
  if (transport === "cookie") return !asksForTokens(request.headers);
  if (transport === "bearer") return true;
  return transportOf(transport, request.headers) === "cookie" || !isWebPage(request);
}

function postOf<RequestContext extends ReadContext, ReadContext>(
  deps: PostDeps<RequestContext, ReadContext>,
  request: HttpRequest,
  context: RequestContext,
  transport: RequestTransport,
): Omit<LoginPost, "body"> {
  const { headers } = request;
  const { transaction: carrier, transactions, device: deviceCarrier } = deps.carriers[transport];
  return {
    deps: deps.login,
    purpose: deps.purpose,
    carrier,
    id: carrier.read(headers),
    transactions: transactions.flatMap((carrier) => {
      const id = carrier.read(headers);
      return id === undefined ? [] : [{ carrier, id }];
    }),
    deviceCarrier,
    deviceId: deviceCarrier.read(headers),
    consents: deps.page?.consents,
    client: deps.readClient(request, context),
    clientSummary: summarizeClient(request),
    readSignals: () => deps.signals?.(context),
    sessions: deps.sessions.open(request, context),
    rememberedBrowsers: deps.rememberedBrowsers,
    rememberSeconds: deps.rememberSeconds,
    openProofs: () => openProofs(deps, request, context, transport),
  };
}

function answerOutcome(
  { state, credentials, done }: LoginOutcome,
  format: BodyFormat | undefined,
  forms: FormPages,
  { next }: LoginBody,
): HttpResponse {
  const cookies = credentials.flatMap((credential) => credential.cookies ?? []);
  if (format === "form") return seeOther(done ? doneLocation(forms, next) : pageLocation(forms, next), cookies);
  const tokens = credentials.map((credential) => credential.tokens);
  return jsonResponse(Object.assign({}, state, ...tokens), cookies);
}
