import { test } from "vitest";
import { logInAndOut } from "./fetch-hosts.ts";
import { startHostApp } from "./host-app.ts";

test("examples/nestjs logs in, guards a page, and receives webhooks that no body parser has read", {
  timeout: 300_000,
}, async () => {
  const app = await startHostApp({ name: "nestjs", isBuilt: true, start: ["dist/main.js"] });
  await logInAndOut(app, "+4915123456142");
});
