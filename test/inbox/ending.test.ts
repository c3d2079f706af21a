import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRedis } from "../stores/redis-setup.ts";
import { findFreePort } from "../support/free-port.ts";
import { isInstalled } from "../support/redis-server.ts";
import type { EndingKind, EndingNote } from "./ending-process.ts";
import { createJournal } from "./journal.ts";

/** Starts an app on the Redis of a URL, or on a file. */
function startApp(place: string, works: "works" | "rests", kind: EndingKind = "single") {
  const child = fork(join(import.meta.dirname, "ending-process.ts"), [place, works, kind], {
    execArgv: ["-C", "@doorcode/source", "--disable-warning=DoorcodeWarning", "--disable-warning=ExperimentalWarning"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const notes = createJournal<EndingNote>();
  child.on("message", (note: EndingNote) => notes.note(note));
  return {
    notes: (note: EndingNote) => notes.reached((one) => one === note),
    async end() {
      child.send("end");
      return (await exited)[0];
    },
  };
}

test("a process that closes the kit ends while its worker waits for events in a file", {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-ending-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const app = startApp(join(folder, "doorcode.sqlite"), "works", "file");
  await app.notes("ready");
  expect(await app.end()).toBe(0);
});

describe.skipIf(!isInstalled("redis-server"))(
  "a process that closes the kit and its client ends",
  { timeout: 60_000 },
  () => {
    test("while its worker is starting", async () => {
      const server = await openRedis();
      const app = startApp(server.url, "works");
      await app.notes("ready");
      expect(await app.end()).toBe(0);
    });

    test("while Redis is away, between two attempts to connect", async () => {
      const server = await openRedis();
      const app = startApp(server.url, "rests");
      await app.notes("ready");
      await server.kill();
      await app.notes("reconnecting");
      expect(await app.end()).toBe(0);
    });

    test.each([
      { what: "Redis", kind: "single" as const },
      { what: "a cluster", kind: "cluster" as const },
    ])("without ever reaching $what, with a worker that waits for it", async ({ kind }) => {
      const app = startApp(`redis://127.0.0.1:${await findFreePort()}`, "works", kind);
      await app.notes("reconnecting");
      expect(await app.end()).toBe(0);
    });
  },
);
