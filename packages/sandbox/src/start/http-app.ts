import { Hono, type MiddlewareHandler } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { recordRequests } from "../api/record-requests.ts";
import { createServiceApi } from "../api/service-api.ts";
import { createControlApi } from "../control/control-api.ts";
import { guard } from "../http/guard.ts";
import { refuse } from "../http/refuse.ts";
import { createLogin } from "../page/login.tsx";
import { createPage, renderNotFound } from "../page/page.tsx";
import { Refusal } from "../primitives/errors.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";

/**
 * Creates the HTTP application of a sandbox: the API below `/v1`, the control API below `/_sandbox`, and the page.
 *
 * @param allowedHosts - names that the Host header may have in addition to those of this machine.
 * @param token - the secret that the page and the control API require; undefined for a sandbox that requires none.
 */
export function createHttpApp(deps: SandboxDeps, allowedHosts: readonly string[], token: string | undefined): Hono {
  const app = new Hono();
  app.onError(refuse);
  app.notFound((c) => {
    const text = "There is nothing here. The API is below /v1, the control API below /_sandbox.";
    // A browser says that it wants a page.
    const isBrowser = c.req.header("accept")?.includes("text/html") ?? false;
    return isBrowser ? renderNotFound(c, deps) : refuse(new Refusal("request.not_found", text), c);
  });
  app.use("/v1/*", recordRequests(deps));
  app.use(privateHeaders, guard(allowedHosts));
  if (token !== undefined) app.route("/", createLogin(token));
  app.use(allowedMethods(app));
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
