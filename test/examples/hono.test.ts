import { test } from "vitest";
import { logInAndOut } from "./fetch-hosts.ts";
import { startHostApp } from "./host-app.ts";

test("examples/hono logs in, guards a page and receives webhooks", { timeout: 300_000 }, async () => {
  const app = await startHostApp({ name: "hono", isBuilt: false, start: ["server.ts"] });
  await logInAndOut(app, "+4915123456141");
});
