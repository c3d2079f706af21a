import { type Handler, Hono, type MiddlewareHandler } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { recordRequests } from "../api/record-requests.ts";
import { createServiceApi } from "../api/service-api.ts";
import { createControlApi } from "../control/control-api.ts";
import { guard } from "../http/guard.ts";
import { hostnameOf } from "../http/listen.ts";
import { readJson } from "../http/read-request.ts";
import { refuse } from "../http/refuse.ts";
import { createControlClient } from "../mcp/control-client.ts";
import { loadMcpServer } from "../mcp/load.ts";
import { createLogin } from "../page/login.tsx";
import { createPage, renderNotFound } from "../page/page.tsx";
import { Refusal } from "../primitives/errors.ts";
import { isLoopbackInterface } from "../primitives/loopback.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";
import type { ParsedOptions } from "./options.ts";

/** The options of the HTTP application. */
export type HttpOptions = Pick<ParsedOptions, "host" | "allowedHosts" | "token">;

/**
 * Creates the HTTP application of a sandbox: the API below `/v1`, the control API below `/_sandbox`, the tools for agents at `/mcp`, and
 * the page.
 */
export function createHttpApp(deps: SandboxDeps, { host, allowedHosts, token }: HttpOptions): Hono {
  const app = new Hono();
  app.onError(refuse);
  app.notFound((c) => {
    const text = "There is nothing here. The API is below /v1, the control API below /_sandbox.";
    // A browser says that it wants a page.
    const isBrowser = c.req.header("accept")?.includes("text/html") ?? false;
    return isBrowser ? renderNotFound(c, deps) : refuse(new Refusal("request.not_found", text), c);
  });
  app.use("/v1/*", recordRequests(deps));
  app.use(privateHeaders, guard([hostnameOf(host), ...allowedHosts]));
  if (token !== undefined) app.route("/", createLogin(token));
  app.use(allowedMethods(app));
  // Under another name of this machine, and on another interface than loopback, there are no tools.
  if (isLoopbackInterface(host)) app.post("/mcp", guard([]), mcpRoute(app, token));
  app.route("/v1", createServiceApi(deps, deps.closed));
  app.route("/_sandbox", createControlApi(deps));
  app.route("/", createPage(deps));
  return app;
}

/** Any answer may contain codes and phone numbers, so no cache may keep it and no other site may embed it or see its URL. */
const privateHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  c.header("cache-control", "no-store");
  c.header("referrer-policy", "no-referrer");
  c.header("x-content-type-options", "nosniff");
  c.header("cross-origin-resource-policy", "same-origin");
  c.header("cross-origin-opener-policy", "same-origin");
};

/** Answers MCP. The tools use the control API in this process. */
function mcpRoute(app: Hono, token: string | undefined): Handler {
  return async (c) => {
    const body = await readJson(c);
    const { answerHttp } = await loadMcpServer();
    const { origin } = new URL(c.req.url);
    return answerHttp(createControlClient(origin, app.fetch, token), c.req.raw, body);
  };
}

function allowedMethods(app: Hono): ReturnType<typeof methodNotAllowed> {
  const refusal = new Refusal("request.method_not_allowed", "This method is not allowed here.");
  return methodNotAllowed({
    app,
    onMethodNotAllowed(c, methods) {
      const response = refuse(refusal, c);
      response.headers.set("Allow", methods.join(", "));
      return response;
    },
  });
}
