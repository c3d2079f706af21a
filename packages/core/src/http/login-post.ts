import type { Purpose } from "../codes/code-strategy.ts";
import type { LoginDeps } from "../login/login-deps.ts";
import type { LoginStep } from "../login/login-event.ts";
import { transactionKeyOf } from "../login/transaction.ts";
import type { SessionSource } from "../sessions/session-source.ts";
import {
  asksForTokens,
  bearerChallenge,
  type RequestTransport,
  type Transport,
  transportOf,
} from "../sessions/transport.ts";
import type { Awaitable } from "../util/awaitable.ts";
import { secondsSince } from "../util/clock.ts";
import { type DoorcodeError, type ErrorCode, isDoorcodeError } from "../util/errors.ts";
import type { WithHeaders } from "../util/headers.ts";
import {
  doneLocation,
  type FormPages,
  jsonResponse,
  leavesBodyUnread,
  pageLocation,
  problem,
  refuse,
  seeOther,
} from "./answers.ts";
import type { Carrier, Carriers } from "./carriers.ts";
import type { ClientReader } from "./client.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";
import { type BodyFormat, bodyFormat, type LoginBody, readLoginBody } from "./login-body.ts";
import type { LoginHandler, LoginOutcome, LoginPost } from "./login-handlers.ts";
import { isSameOrigin, isWebPage, type Origins } from "./origin.ts";
import { openProofs, type ProofDeps } from "./proofs.ts";

/** The dependencies of the POSTs of a mounted login. */
export interface LoginPostDeps<RequestContext extends ReadContext, ReadContext> extends ProofDeps<ReadContext> {
  readonly login: LoginDeps;
  readonly purpose: Purpose;
  readonly origins: Origins;
  /** Refuses a request that the kit must not serve. @throws DoorcodeError `host_not_allowed` */
  readonly checkHost: (request: WithHeaders) => void;
  readonly sessions: SessionSource<RequestContext, ReadContext>;
  /** The pages of forms. Without a `page`, the mount serves it at its own path. */
  readonly forms: Omit<FormPages, "page"> & { readonly page: string | undefined };
  /** Reads what the app adds to the context of `beforeSend`. */
  readonly signals: ((context: ReadContext) => Awaitable<unknown>) | undefined;
  readonly carriers: Readonly<Record<RequestTransport, Carriers>>;
  readonly readClient: ClientReader<RequestContext>;
}

/**
 * Answers a POST: JSON with the login state, an HTML form with 303. The request is judged by its headers before its body is read.
 *
 * Rejects with the error of a callback of the app, and with `host_not_allowed`.
 */
export async function answerPost<RequestContext extends ReadContext, ReadContext>(
  deps: LoginPostDeps<RequestContext, ReadContext>,
  handler: LoginHandler,
  request: HttpRequest,
  context: RequestContext,
): Promise<HttpResponse> {
  const { login, checkHost, origins, sessions } = deps;
  const forms: FormPages = { ...deps.forms, page: deps.forms.page ?? request.basePath };
  const { headers } = request;
  const startedAt = login.clock.now();
  const publishRefusal = (code: ErrorCode) => {
    // The paths of the handlers are the steps.
    const step = request.path.slice(1) as LoginStep;
    login.publish({ type: "login.refused", code, step, durationSeconds: secondsSince(login.clock, startedAt) });
  };
  checkHost(request);
  const transport = transportOf(sessions.transport, headers);
  const format = formatFor(transport, request);
  const refusal = refuseUnread(request, origins, format, sessions.transport);
  if (refusal) {
    publishRefusal(refusal);
    return answerUnread(refusal);
  }

  let body: LoginBody = {};
  const transactions = readTransactions(deps.carriers[transport].transactions, request);
  try {
    body = await readLoginBody(request, format ?? "none", login.clock);
    const outcome = await handler({ ...postOf(deps, request, context, transport), transactions, body });
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

/** Reads the format of a body. A form is answered with a redirect, which cannot carry tokens. */
function formatFor(transport: RequestTransport, request: HttpRequest): BodyFormat | undefined {
  const format = bodyFormat(request);
  return transport === "bearer" && format === "form" ? undefined : format;
}

/**
 * Returns why a POST is refused before its body is read. The origin is checked however the request travels, so no header of a
 * client turns the check off.
 */
function refuseUnread(
  request: HttpRequest,
  origins: Origins,
  format: BodyFormat | undefined,
  transport: Transport,
): ErrorCode | undefined {
  if (request.method !== "POST") return "method_not_allowed";
  if (!isSameOrigin(request, origins, format === "json")) return "foreign_origin";
  if (!allowsTransport(request, transport)) return "transport_not_allowed";
  return format === undefined ? "media_type_unsupported" : undefined;
}

/**
 * Tells whether a request may travel as it does. With `both`, a page of a website gets no tokens: they would give a script that was
 * injected into it what cookies keep from it.
 */
function allowsTransport(request: HttpRequest, transport: Transport): boolean {
  if (transport === "cookie") return !asksForTokens(request.headers);
  if (transport === "bearer") return true;
  return transportOf(transport, request.headers) === "cookie" || !isWebPage(request);
}

const fixes: Readonly<Partial<Record<ErrorCode, string>>> = {
  foreign_origin:
    "Send the POST from a page whose origin is in `origins`. A client that is not a browser sends application/json without Origin.",
  transport_not_allowed:
    'Tokens are handed out with session: { transport: "both" }, to clients that are no pages of a website, or with "bearer", to all.',
};

function answerUnread(refusal: ErrorCode): HttpResponse {
  if (refusal === "method_not_allowed") return refuse(refusal, {}, { allow: "POST" });
  const message = fixes[refusal];
  return refuse(refusal, message === undefined ? {} : { message });
}

/** Reads the ids of transactions, of every purpose. */
function readTransactions(carriers: readonly Carrier[], { headers }: WithHeaders): LoginPost["transactions"] {
  return carriers.flatMap((carrier) => {
    const id = carrier.read(headers);
    return id === undefined ? [] : [{ carrier, id }];
  });
}

/** Collects what a handler may read of a request, beside its body and its transactions. */
function postOf<RequestContext extends ReadContext, ReadContext>(
  deps: LoginPostDeps<RequestContext, ReadContext>,
  request: HttpRequest,
  context: RequestContext,
  transport: RequestTransport,
): Omit<LoginPost, "transactions" | "body"> {
  const { transaction: carrier, device: deviceCarrier } = deps.carriers[transport];
  return {
    deps: deps.login,
    purpose: deps.purpose,
    carrier,
    id: carrier.read(request.headers),
    deviceCarrier,
    device: deviceCarrier.read(request.headers),
    client: deps.readClient(request, context),
    readSignals: () => deps.signals?.(context),
    sessions: deps.sessions.open(request, context),
    openProofs: () => openProofs(deps, request, context, transport),
  };
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
