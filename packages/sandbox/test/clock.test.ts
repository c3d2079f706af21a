import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createManualClock } from "../../core/src/testing.ts";
import type { ClockMode, Sandbox, SandboxApplication } from "../src/index.ts";
import { parseDuration } from "../src/time/clock.ts";
import { createReceiver, serve } from "./support/receiver.ts";
import { confirm, messageRequest, post, silent, start, startFrozen, startVerification } from "./support/start.ts";

/** Sends one message to a number that never answers. It has one event, SENT, after 50 ms. */
function sendOne(application: SandboxApplication): ReturnType<typeof post> {
  return post(application, "/messages", messageRequest({ recipients: [silent] }));
}

/** Returns the milliseconds from the first ISO instant to each. */
function sinceFirst(instants: readonly string[]): number[] {
  return instants.map((at) => Date.parse(at) - Date.parse(instants[0] ?? ""));
}

function attemptInstants(sandbox: Sandbox): string[] {
  return sandbox.deliveries.list()[0]?.attempts.map(({ at }) => at) ?? [];
}

/** Creates a receiver that answers only when the test says so. */
function createHangingReceiver() {
  const answer = Promise.withResolvers<Response>();
  const asked = Promise.withResolvers<void>();
  const handler = () => {
    asked.resolve();
    return answer.promise;
  };
  return { handler, asked: asked.promise, release: (status = 500) => answer.resolve(new Response(null, { status })) };
}

describe("mode", () => {
  test("real follows the machine's clock", async () => {
    const { sandbox, clock } = await start();
    expect([sandbox.clock.mode(), sandbox.clock.now()]).toEqual(["real", clock.now()]);
    await clock.advance(1_234);
    expect(sandbox.clock.now()).toBe(clock.now());
  });

  test("real is not behind the machine, although time passes between two reads of its clock", async () => {
    const clock = createManualClock();
    let reads = 0;
    const machine = { ...clock, now: () => clock.now() + reads++ };
    const { sandbox } = await start({ clock: machine });
    const banner = async () => (await fetch(`${sandbox.url}/applications/default`)).text();

    expect(await banner()).not.toContain("The clock is");
    sandbox.reset();
    expect(await banner()).not.toContain("The clock is");
  });

  test("frozen stops the clock, so that nothing becomes due until it runs again", async () => {
    const { sandbox, clock } = await start();
    sandbox.clock.set("frozen");
    const before = sandbox.clock.now();
    await post(sandbox, "/messages", messageRequest());
    await clock.advance(86_400_000);
    expect(sandbox.clock.now()).toBe(before);
    expect(sandbox.inbox.list()[0]?.status).toBe("QUEUED");
    sandbox.clock.set("real");
    await clock.advance(250);
    expect(sandbox.inbox.list()[0]?.status).toBe("DELIVERED");
  });

  test("scaled runs scheduled work: at 60, a second of the machine is a minute", async () => {
    const { sandbox, clock } = await start();
    sandbox.clock.set({ scale: 60 });
    const before = sandbox.clock.now();
    await startVerification(sandbox, { recipient: silent });
    await clock.advance(9_999);
    expect(sandbox.verifications.list()[0]?.status).toBe("PENDING");
    await clock.advance(1);
    expect(sandbox.verifications.list()[0]?.status).toBe("EXPIRED");
    expect(sandbox.clock.now()).toBe(before + 600_000);
  });

  const invalid = ["slow", undefined, 0, ...[0, -1, Number.NaN, 100_001].map((scale) => ({ scale }))];
  test.each(invalid.map((mode) => [mode]))("is refused when it is invalid: %j", async (mode) => {
    const { sandbox } = await start();
    expect(() => sandbox.clock.set(mode as ClockMode)).toThrow(TypeError);
    expect(sandbox.clock.mode()).toBe("real");
  });

  test("never moves the clock back, in any order of changes, advances and pauses", async () => {
    const modes: ClockMode[] = ["real", "frozen", { scale: 0.3 }, { scale: 7.7 }, { scale: 1_000 }];
    const step = fc.oneof(
      fc.record({ set: fc.constantFrom(...modes) }),
      fc.record({ advance: fc.nat(5_000) }),
      fc.record({ machine: fc.nat(5_000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const machine = createManualClock();
        const { sandbox } = await start({ port: "none", clock: machine });
        for (const each of steps) {
          const before = sandbox.clock.now();
          if ("set" in each) sandbox.clock.set(each.set);
          else if ("advance" in each) await sandbox.clock.advance(`${each.advance}ms`);
          else await machine.advance(each.machine);
          const moved = sandbox.clock.now() - before;
          if ("set" in each) expect(moved).toBe(0);
          else if ("advance" in each) expect(moved).toBe(each.advance);
          else expect(moved).toBeGreaterThanOrEqual(0);
        }
        await sandbox.close();
      }),
      { numRuns: 30, seed: 7 },
    );
  });
});

describe("advance", () => {
  test("waits for the answer to each webhook before the next instant", async () => {
    const sandbox = await startFrozen();
    const seen: [begun: number, ended: number][] = [];
    const url = await serve({
      async handler() {
        const begun = sandbox.clock.now();
        for (let turn = 0; turn < 20; turn++) await setImmediate();
        seen.push([begun, sandbox.clock.now()]);
        return new Response(null, { status: 204 });
      },
    });
    sandbox.deliverTo(url);
    const began = sandbox.clock.now();
    await post(sandbox, "/messages", messageRequest());
    await sandbox.clock.advance("10ms");
    await post(sandbox, "/messages", messageRequest());
    await sandbox.clock.advance("1s");
    const instants = [50, 60, 250, 260].map((milliseconds) => began + milliseconds);
    expect(seen).toEqual(instants.map((instant) => [instant, instant]));
  });

  test("includes requests that an endpoint makes to the service during its call", async () => {
    const sandbox = await startFrozen();
    const { id, code } = await startVerification(sandbox, { recipient: silent });
    const statuses: string[] = [];
    sandbox.deliverTo(async (request) => {
      const { data } = (await request.json()) as { data: Record<string, string> };
      statuses.push(`${data.channel_status ?? data.status}`);
      if (data.channel_status === "SENT") await confirm(sandbox, id, code);
      return new Response();
    });
    await sandbox.clock.advance("1h");
    expect(statuses).toEqual(["SENT", "APPROVED"]);
    expect(Date.parse(sandbox.verifications.list()[0]?.concludedAt ?? "")).toBe(sandbox.clock.now() - 3_600_000 + 51);
  });

  test("runs after one that is in progress, and both move the clock", async () => {
    const sandbox = await startFrozen();
    const receiver = createReceiver(500);
    sandbox.deliverTo(await serve(receiver));
    const began = sandbox.clock.now();
    await sendOne(sandbox);
    const first = sandbox.clock.advance("1m").then(() => sandbox.clock.now() - began);
    const second = sandbox.clock.advance("1h").then(() => sandbox.clock.now() - began);
    expect(await Promise.all([second, first])).toEqual([3_660_000, 60_000]);
    expect(sinceFirst(attemptInstants(sandbox))).toEqual([0, 30_000, 150_000, 750_000]);
  });

  test.each<[string, (application: SandboxApplication, sandbox: Sandbox) => unknown]>([
    ["a reset", (application) => application.reset()],
    ["the removal of its application", (application) => application.remove()],
    ["the end of the sandbox, even with a receiver that never answers", (_, sandbox) => sandbox.close()],
  ])("ends with %s, and moves no other clock", async (_, end) => {
    const { sandbox, clock } = await start();
    const application = sandbox.createApplication();
    const { handler, asked, release } = createHangingReceiver();
    application.deliverTo(handler);
    await sendOne(application);
    const advanced = Promise.all([application.clock.advance("1h"), application.clock.advance("1h")]);
    await asked;
    await end(application, sandbox);
    release();
    await advanced;
    expect([sandbox.clock.now(), clock.pending]).toEqual([clock.now(), 0]);
  });

  test("is not affected by a change of the mode, which applies afterwards", async () => {
    const { sandbox, clock } = await start();
    const { handler, asked, release } = createHangingReceiver();
    sandbox.deliverTo(handler);
    await sendOne(sandbox);
    const began = clock.now();
    const advanced = sandbox.clock.advance("1m");
    await asked;
    sandbox.clock.set({ scale: 10 });
    await clock.advance(1_000);
    expect(sandbox.clock.now()).toBe(began + 50);
    release();
    await advanced;
    expect([sandbox.clock.now(), sandbox.clock.mode()]).toEqual([began + 60_000, { scale: 10 }]);
    await clock.advance(1_000);
    expect(sandbox.clock.now()).toBe(began + 70_000);
  });
});

describe("a callback of the program", () => {
  test("runs at its own instant, between tasks of the service, and not after its cancellation", async () => {
    const sandbox = await startFrozen();
    const began = sandbox.clock.now();
    const seen: [name: string, after: number][] = [];
    const note = (name: string) => () => void seen.push([name, sandbox.clock.now() - began]);
    sandbox.deliverTo(({ method }) => {
      note(method)();
      return new Response();
    });
    sandbox.clock.schedule(300, note("late"));
    sandbox.clock.schedule(100, note("early"));
    sandbox.clock.schedule(100, note("taken back"))();
    await post(sandbox, "/messages", messageRequest());
    await sandbox.clock.advance("1s");
    expect(seen).toEqual([
      ["POST", 50],
      ["early", 100],
      ["POST", 250],
      ["late", 300],
    ]);
  });

  test("can schedule the next one, which runs in the same advance", async () => {
    const sandbox = await startFrozen();
    let runs = 0;
    const run = () => {
      runs++;
      sandbox.clock.schedule(60_000, run);
    };
    sandbox.clock.schedule(60_000, run);
    await sandbox.clock.advance("1h");
    expect(runs).toBe(60);
  });

  test.each([-1, Number.NaN])("runs immediately with a delay of %d ms, and does not block others", async (delay) => {
    const sandbox = await startFrozen();
    let runs = 0;
    sandbox.clock.schedule(delay, () => runs++);
    await post(sandbox, "/messages", messageRequest());
    await sandbox.clock.advance("1s");
    expect([runs, sandbox.inbox.list()[0]?.status]).toEqual([1, "DELIVERED"]);
  });

  test("that throws ends its advance at that instant, but not the next advance", async () => {
    const { sandbox, clock } = await start();
    const began = clock.now();
    sandbox.clock.schedule(100, () => {
      throw new Error("The task failed.");
    });
    await post(sandbox, "/messages", messageRequest());
    await expect(sandbox.clock.advance("1s")).rejects.toThrow("The task failed.");
    expect(sandbox.clock.now()).toBe(began + 100);
    await sandbox.clock.advance("100ms");
    await clock.advance(50);
    expect([sandbox.clock.now(), sandbox.inbox.list()[0]?.status]).toEqual([began + 250, "DELIVERED"]);
  });

  test("that throws on a running clock does not block the timers after it", async () => {
    const { sandbox, clock } = await start();
    sandbox.clock.schedule(100, () => {
      throw new Error("The task failed.");
    });
    await post(sandbox, "/messages", messageRequest());
    await expect(clock.advance(100)).rejects.toThrow("The task failed.");
    await clock.advance(150);
    expect(sandbox.inbox.list()[0]?.status).toBe("DELIVERED");
  });

  test("keeps its remaining delay when a reset moves the clock back", async () => {
    const { sandbox, clock } = await start();
    let runs = 0;
    sandbox.clock.schedule(7_200_000, () => runs++);
    await sandbox.clock.advance("1h");
    sandbox.reset();
    await clock.advance(3_599_999);
    expect(runs).toBe(0);
    await clock.advance(1);
    expect(runs).toBe(1);
  });

  test("can reset the sandbox in the middle of an advance, after which the clock is usable", async () => {
    const { sandbox, clock } = await start();
    await post(sandbox, "/messages", messageRequest());
    sandbox.clock.schedule(100, () => sandbox.reset());
    await sandbox.clock.advance("1h");
    expect([sandbox.clock.now(), sandbox.inbox.list()]).toEqual([clock.now(), []]);
    await post(sandbox, "/messages", messageRequest());
    await sandbox.clock.advance("1s");
    expect(sandbox.inbox.list()[0]?.status).toBe("DELIVERED");
  });
});

test("a clock runs nothing after the sandbox was closed, even when it is advanced", async () => {
  const { sandbox, clock } = await start();
  let runs = 0;
  await post(sandbox, "/messages", messageRequest());
  sandbox.clock.schedule(10, () => runs++);
  await sandbox.close();
  await sandbox.clock.advance("1h");
  await clock.advance(3_600_000);
  expect([runs, sandbox.inbox.list()[0]?.status]).toEqual([0, "QUEUED"]);
});

test.each([
  ["1d2h3m4s5ms", 93_784_005],
  ["1m5ms", 60_005],
  ["0s", 0],
  ["3650d", 315_360_000_000],
  ...["", "30", "1.5h", "-1h", "1 h", "1h\n", "1s1m", "1w", "3651d", `${"9".repeat(400)}s`, "١h"].map(
    (text) => [text, undefined] as const,
  ),
] as const)("the duration %j has %s ms", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});
