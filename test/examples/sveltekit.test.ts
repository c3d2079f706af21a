import { test } from "vitest";
import { logInAndOut } from "./fetch-hosts.ts";
import { startHostApp } from "./host-app.ts";

test("examples/sveltekit logs in, guards a page and receives webhooks, behind adapter-node", {
  timeout: 300_000,
}, async () => {
  const app = await startHostApp({ name: "sveltekit", isBuilt: true, start: ["build"] });
  await logInAndOut(app, "+4915123456143");
});
