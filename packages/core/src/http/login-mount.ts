import type { Purpose } from "../codes/code-strategy.ts";
import { createOffer, type LoginOffer } from "../login/state.ts";
import { transportOf } from "../sessions/transport.ts";
import type { KitCookie } from "../util/cookie.ts";
import { isDoorcodeError } from "../util/errors.ts";
import type { WithHeaders } from "../util/headers.ts";
import { cacheable, jsonResponse, problem, refuse } from "./answers.ts";
import { createCarriers } from "./carriers.ts";
import { createClientReader } from "./client.ts";
import type { HttpRequest, HttpResponse, Mount, ProxySetting } from "./exchange.ts";
import { handlersOf } from "./login-handlers.ts";
import { answerFile, answerPage, type LoginPage } from "./login-page.ts";
import { answerPost, type LoginPostDeps } from "./login-post.ts";
import { type LoginState, type ReadLogin, readLogin } from "./login-state.ts";
import { openProofs } from "./proofs.ts";
import { answerState, type StateWaits } from "./waits.ts";

/** The dependencies of a mounted login. */
export interface LoginMountDeps<RequestContext extends ReadContext, ReadContext>
  extends Omit<LoginPostDeps<RequestContext, ReadContext>, "carriers" | "readClient"> {
  /** The cookies that carry the ids of transactions. */
  readonly cookies: Readonly<Record<Purpose, KitCookie>>;
  /** The cookie by which a device is known again. */
  readonly deviceCookie: KitCookie;
  /** The requests for the state that wait for a change. */
  readonly waits: StateWaits;
  readonly proxySetting: ProxySetting<RequestContext>;
  /** The page that the mount serves; `undefined` if the app has its own. */
  readonly page: LoginPage | undefined;
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
 * `/offer` and, on wish, the page and `/openapi.json`. A `verify` has no `/logout`, and a `link` may have `/remove`.
 *
 * JSON is answered with the login state, an HTML form with 303. Only a POST changes anything, and only from the app's own
 * pages.
 */
export function createLoginMount<RequestContext extends ReadContext, ReadContext>(
  deps: LoginMountDeps<RequestContext, ReadContext>,
): LoginMount<RequestContext, ReadContext> {
  const { login, purpose, sessions, checkHost, waits, page, describe } = deps;
  const readClient = createClientReader(login.publish, deps.proxySetting);
  const carriers = createCarriers(purpose, deps.cookies, deps.deviceCookie);
  const offer = createOffer(login);
  const handlers = handlersOf(purpose, login);
  const pagePaths = page ? ["/", ...Object.keys(page.files)] : [];
  const readPaths = ["/state", "/offer", ...(describe ? ["/openapi.json"] : []), ...pagePaths];
  const paths = [...handlers.keys(), ...readPaths];

  async function read(request: WithHeaders, context: ReadContext): Promise<ReadLogin> {
    checkHost(request);
    const transport = transportOf(sessions.transport, request.headers);
    const id = carriers[transport].transaction.read(request.headers);
    const readSession = () => sessions.current(request, context);
    const proofs = purpose === "verify" ? openProofs(deps, request, context, transport) : undefined;
    return readLogin(login, { purpose, id }, readSession, proofs?.current);
  }

  async function showPage(page: LoginPage, request: HttpRequest, context: RequestContext): Promise<HttpResponse> {
    const { state } = await read(request, context);
    const query = Object.fromEntries(new URLSearchParams(request.query));
    const acceptLanguage = String(request.headers["accept-language"] ?? "");
    return answerPage(page, { state, offer, purpose, basePath: request.basePath, query, acceptLanguage });
  }

  async function get(request: HttpRequest, context: RequestContext): Promise<HttpResponse> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refuse("method_not_allowed", {}, { allow: "GET, HEAD" });
    }
    checkHost(request);
    const file = page?.files[request.path];
    if (file) return answerFile(file);
    if (page && request.path === "/") return showPage(page, request, context);
    if (request.path === "/offer") return cacheable(jsonResponse(200, offer));
    if (request.path === "/openapi.json") return cacheable(jsonResponse(200, await describe?.(paths)));
    return answerState(waits, () => read(request, context), request, mount);
  }

  const mount: LoginMount<RequestContext, ReadContext> = {
    paths,
    async handle(request, context) {
      try {
        if (readPaths.includes(request.path)) return await get(request, context);
        const handler = handlers.get(request.path);
        return handler && (await answerPost({ ...deps, carriers, readClient }, handler, request, context));
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
