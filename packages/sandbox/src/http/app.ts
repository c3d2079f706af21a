import { Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { Refusal } from "../refusal.ts";
import { createApi } from "./api/api.ts";
import type { AppParts } from "./app-parts.ts";
import { createControl } from "./control/control.ts";
import { guard } from "./guard.ts";
import { createPage } from "./page/page.tsx";
import { privateAnswers } from "./private-answers.ts";
import { refuse } from "./refuse.ts";

/** Everything the sandbox answers: API, control API, page. */
export function createApp(parts: AppParts): Hono {
  const app = new Hono();
  app.onError(refuse);
  app.notFound((c) => refuse(new Refusal("request.not_found", "There is nothing here."), c));
  app.use(privateAnswers, guard(parts.allowedHosts), allowedMethods(app));
  app.route("/v1", createApi(parts));
  app.route("/_sandbox", createControl(parts));
  app.route("/", createPage(parts));
  return app;
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
