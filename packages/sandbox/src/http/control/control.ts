import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { findApplication } from "../../portal/applications.ts";
import { defaultApplicationId } from "../../state/application.ts";
import type { AppParts } from "../app-parts.ts";
import { createAccountControl } from "./account.ts";
import { createConfigurationControl } from "./configuration.ts";
import { createDeliveriesControl } from "./deliveries.ts";
import type { Find } from "./find.ts";
import { createInboxControl } from "./inbox.ts";
import { streamChanges } from "./stream-changes.ts";
import { createTimeControl } from "./time.ts";

/**
 * The control API, for tests and tools in any language: what `Sandbox` offers in process. An application's part is below
 * `/applications/{id}`; the default one's is there without that too.
 */
export function createControl(parts: AppParts): Hono {
  const { service, closed, open } = parts;
  const named: Find = (c) => open(findApplication(service, c.req.param("application") ?? "").id);
  const first: Find = () => open(defaultApplicationId);
  return new Hono()
    .get("/changes", (c) => streamSSE(c, (stream) => streamChanges(stream, service.state, closed)))
    .route("/", createAccountControl(parts))
    .route("/applications/:application", createApplicationControl(parts, named))
    .route("/", createApplicationControl(parts, first));
}

function createApplicationControl(parts: AppParts, find: Find): Hono {
  return new Hono()
    .route("/", createConfigurationControl(parts, find))
    .route("/", createInboxControl(find))
    .route("/", createDeliveriesControl(find))
    .route("/", createTimeControl(find));
}
