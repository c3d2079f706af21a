import { expect, test } from "vitest";
import { findFreePort } from "../support/free-port.ts";
import { npmStart } from "./npm-start.ts";

test("--demo has people in it from the first seconds, and ends when it is interrupted", {
  timeout: 180_000,
}, async () => {
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()];
  const running = npmStart(["--demo"], { PORT: String(port), SANDBOX_PORT: String(sandboxPort) });
  await running.says(/press Ctrl-C/);
  const page = async () => (await fetch(`http://localhost:${port}/operations/`)).text();
  await expect.poll(page).toMatch(/Codes sent<strong>[1-9]/);
  running.kill("SIGINT");
  expect((await running.ended).code).toBe(0);
});
