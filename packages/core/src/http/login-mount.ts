import { type DoorcodeError, type ErrorCode, isDoorcodeError } from "../errors.ts";
import type { LoginParts } from "../login/login.ts";
import type { Purpose } from "../login/transaction.ts";
import type { SessionSource } from "../session/session-source.ts";
import type { WithHeaders } from "../session/sessions.ts";
import type { KitCookie } from "./cookies.ts";
import type { HttpRequest, HttpResponse, Mount } from "./exchange.ts";
import { type LoginAct, loginActs } from "./login-acts.ts";
import { type BodyFormat, bodyFormat, type LoginBody, readLoginBody } from "./login-body.ts";
import { type LoginState, readLoginState } from "./login-state.ts";
import { doneLocation, type FormPages, pageLocation, seeOther } from "./pages.ts";
import { jsonResponse, problem, refuse } from "./problem.ts";
import { isSameOrigin, type Origins } from "./same-origin.ts";

/** What the endpoints of a login work with. */
export interface LoginMountParts<Native extends Reading, Reading> {
  readonly login: LoginParts;
  readonly purpose: Purpose;
  readonly cookie: KitCookie;
  readonly origins: Origins;
  readonly sessions: SessionSource<Native, Reading>;
  readonly forms: FormPages;
}

/** The endpoints of a login, and the state of a browser for whoever renders the page. */
export interface LoginMount<Native extends Reading, Reading> extends Mount<Native> {
  readState(request: WithHeaders, reading: Reading): Promise<LoginState>;
}

/**
 * Makes the endpoints of a login: `/start`, `/resend`, `/confirm`, `/cancel` and `/logout` by POST, `/state` by GET.
 *
 * JSON is answered with the login state, an HTML form with 303. Only posts change anything, and only posts of the app's
 * own pages.
 */
export function createLoginMount<Native extends Reading, Reading>(
  parts: LoginMountParts<Native, Reading>,
): LoginMount<Native, Reading> {
  const { login, purpose, cookie, sessions } = parts;
  const readState = (request: WithHeaders, reading: Reading) =>
    readLoginState(login, purpose, cookie.read(request.headers), () => sessions.current(request, reading));

  async function get(request: HttpRequest, native: Native): Promise<HttpResponse> {
    if (request.method !== "GET" && request.method !== "HEAD")
      return refuse("method_not_allowed", {}, { allow: "GET, HEAD" });
    return jsonResponse(200, await readState(request, native));
  }

  return {
    paths: [...loginActs.keys(), "/state"],
    async handle(request, native) {
      const { path } = request;
      try {
        if (path === "/state") return await get(request, native);
        const act = loginActs.get(path);
        return act && (await post(parts, act, request, native));
      } catch (error) {
        if (isDoorcodeError(error)) return problem(error);
        throw error;
      }
    },
    readState,
    close() {},
  };
}

const whatPasses =
  "Post from a page of an origin that is listed in `origins`; what is no browser posts application/json without Origin.";

async function post<Native extends Reading, Reading>(
  parts: LoginMountParts<Native, Reading>,
  act: LoginAct,
  request: HttpRequest,
  native: Native,
): Promise<HttpResponse> {
  const { login, purpose, cookie, forms } = parts;
  const format = bodyFormat(request);
  const refusal = refuseUnread(request, parts.origins, format);
  if (refusal) login.publish({ type: "login.refused", code: refusal });
  if (refusal === "method_not_allowed") return refuse(refusal, {}, { allow: "POST" });
  if (refusal) return refuse(refusal, refusal === "foreign_origin" ? { message: whatPasses } : {});

  let body: LoginBody = {};
  try {
    body = await readLoginBody(request, format ?? "none");
    const id = cookie.read(request.headers);
    const outcome = await act({ login, purpose, cookie, id, body, sessions: parts.sessions.open(request, native) });
    if (format !== "form") return jsonResponse(200, outcome.state, outcome.cookies);
    return seeOther(outcome.done ? doneLocation(forms, body.next) : pageLocation(forms, body.next), outcome.cookies);
  } catch (error) {
    if (!isDoorcodeError(error)) throw error;
    login.publish({ type: "login.refused", code: error.code });
    return wantsPage(format, error) ? seeOther(pageLocation(forms, body.next, error), []) : problem(error);
  }
}

/** Why a post is not even read. */
function refuseUnread(request: HttpRequest, origins: Origins, format: BodyFormat | undefined): ErrorCode | undefined {
  if (request.method !== "POST") return "method_not_allowed";
  if (!isSameOrigin(request, origins, format === "json")) return "foreign_origin";
  return format === undefined ? "media_type_unsupported" : undefined;
}

/** A form is led back to its page; not so when the rest of its body still blocks the connection. */
function wantsPage(format: BodyFormat | undefined, { code }: DoorcodeError): boolean {
  return format === "form" && code !== "body_too_large";
}
