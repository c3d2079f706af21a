import { type Context, Hono } from "hono";
import { findApplication } from "../../portal/applications.ts";
import { parseConfiguration } from "../../portal/configuration.ts";
import type { AppParts } from "../app-parts.ts";
import { readControl } from "../read-json.ts";
import { describeApplication } from "./describe-application.ts";
import type { Find } from "./find.ts";

/** The configuration, the credentials and the usage of an application, over HTTP. */
export function createConfigurationControl({ service }: AppParts, find: Find): Hono {
  const described = (c: Context) => describeApplication(findApplication(service, find(c).id));
  return new Hono()
    .get("/application", (c) => c.json(described(c)))
    .patch("/application", async (c) => {
      find(c).configure(parseConfiguration("configure", await readControl(c)));
      return c.json(described(c));
    })
    .delete("/application", (c) => {
      find(c).remove();
      return c.body(null, 204);
    })
    .post("/api_key", (c) => c.json({ apiKey: find(c).rotateApiKey() }, 201))
    .delete("/api_key", (c) => {
      find(c).revokeApiKey();
      return c.body(null, 204);
    })
    .post("/signing_secret", (c) => c.json({ signingSecret: find(c).regenerateSigningSecret() }, 201))
    .get("/usage", (c) => c.json(find(c).usage()))
    .post("/reset", (c) => {
      find(c).reset();
      return c.body(null, 204);
    });
}
