import { Hono } from "hono";
import { readJson } from "../http/read-body.ts";
import { applicationOf } from "../http/request-params.ts";
import { createServiceDocument } from "../openapi/service-document.ts";
import { removeApplication, resetApplication } from "../sandbox/application-lifecycle.ts";
import { configureApplication } from "../sandbox/configuration.ts";
import { regenerateSigningSecret, revokeApiKey, rotateApiKey } from "../sandbox/credentials.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";
import { usageOf } from "../sandbox/usage.ts";
import type { Application } from "../state/application.ts";

/** Creates the routes of an application's configuration, credentials and usage, and of the description of its API. */
export function createApplicationRoutes(deps: SandboxDeps): Hono {
  return new Hono()
    .get("/application", (c) => c.json(publicApplication(applicationOf(deps, c))))
    .patch("/application", async (c) => {
      configureApplication(deps, applicationOf(deps, c).id, await readJson(c));
      return c.json(publicApplication(applicationOf(deps, c)));
    })
    .delete("/application", (c) => {
      removeApplication(deps, applicationOf(deps, c).id);
      return c.body(null, 204);
    })
    .post("/api_key", (c) => c.json({ apiKey: rotateApiKey(deps, applicationOf(deps, c).id) }, 201))
    .delete("/api_key", (c) => {
      revokeApiKey(deps, applicationOf(deps, c).id);
      return c.body(null, 204);
    })
    .post("/signing_secret", (c) =>
      c.json({ signingSecret: regenerateSigningSecret(deps, applicationOf(deps, c).id) }, 201),
    )
    .get("/openapi.json", (c) => c.json(createServiceDocument(applicationOf(deps, c))))
    .get("/usage", (c) => c.json(usageOf(deps, applicationOf(deps, c).id)))
    .post("/reset", (c) => {
      resetApplication(deps, applicationOf(deps, c).id);
      return c.body(null, 204);
    });
}

/** Returns an application without its signing secrets. */
export function publicApplication(application: Application): object {
  const { signingSecret: _, previousSigningSecret: __, ...rest } = application;
  return rest;
}
