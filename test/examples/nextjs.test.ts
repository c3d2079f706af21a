import { test } from "vitest";
import { logInAndOut } from "./fetch-hosts.ts";
import { startHostApp } from "./host-app.ts";

test("examples/nextjs logs in, guards a page and receives webhooks, behind next start", {
  timeout: 300_000,
}, async () => {
  const app = await startHostApp({
    name: "nextjs",
    isBuilt: true,
    start: ["node_modules/next/dist/bin/next", "start"],
  });
  await logInAndOut(app, "+4915123456144");
});
