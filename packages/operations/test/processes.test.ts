import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createDoorcode } from "@doorcode/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { startPostgresStore, startRedisStore } from "../../../test/chaos/store.ts";
import { openEngine, type Place } from "../../../test/inbox/open-engine.ts";
import { isInstalled } from "../../../test/support/redis-server.ts";
import { countOf, readFigures } from "../src/figures/read-figures.ts";
import type { FiguresNote, FiguresOrder } from "./figures-process.ts";

function startProcess(place: Place): ChildProcess {
  const child = fork(join(import.meta.dirname, "figures-process.ts"), [JSON.stringify(place)], {
    execArgv: ["-C", "@doorcode/source", "--disable-warning=DoorcodeWarning", "--disable-warning=ExperimentalWarning"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Resolves when the process has done what it was told. */
async function order(child: ChildProcess, { codes, next }: FiguresOrder, note: FiguresNote): Promise<void> {
  const done = new Promise<void>((resolve) => {
    child.on("message", (each: FiguresNote) => each === note && resolve());
  });
  child.send({ codes, next });
  await done;
}

const stores = [
  { name: "Redis", start: startRedisStore, isHere: isInstalled("redis-server") },
  { name: "PostgreSQL", start: startPostgresStore, isHere: true },
];

describe.each(stores.filter(({ isHere }) => isHere))("on $name", ({ start }) => {
  test("the figures of real processes add up, and a killed one loses what it had not written at most", {
    timeout: 120_000,
  }, async () => {
    const store = await start();
    onTestFinished(() => store.close());
    const [first, ...others] = Array.from({ length: 4 }, () => startProcess(store.place));
    const victim = first as ChildProcess;
    await order(victim, { codes: 25, next: "flush" }, "flushed");
    // At the same moment: a process whose lease is refused keeps what it has.
    await Promise.all(others.map((child) => order(child, { codes: 30, next: "flush" }, "flushed")));

    await order(victim, { codes: 7, next: "flush" }, "sent");
    victim.kill("SIGKILL");
    await once(victim, "exit");
    await store.endHolds(Date.now());

    await Promise.all(
      others.map(async (child) => {
        child.send({ codes: 11, next: "end" } satisfies FiguresOrder);
        await once(child, "exit");
      }),
    );
    const engine = openEngine(store.place);
    const doorcode = createDoorcode({ store: engine.store });
    onTestFinished(() => engine.close());
    const { total } = await readFigures(doorcode, "week");
    const written = 25 + 3 * (30 + 11);
    expect([written, written + 7]).toContain(countOf(total, "sent"));
    expect(countOf(total, "sent", { dimension: "country", value: "DE" })).toBe(countOf(total, "sent"));
    await doorcode.close();
  });
});
