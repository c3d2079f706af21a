import type { Store } from "@doorcode/core/store";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createFailingStore } from "../support/failing-store.ts";
import { inMemory } from "../support/platforms.ts";
import {
  instant,
  messageEvent,
  secondsOf,
  setUpWebhooks,
  signed,
  type WebhookSetup,
} from "../support/webhook-setup.ts";

const payload = messageEvent("SENT", instant(1));
const body = JSON.stringify(payload);

let warn = vi.spyOn(process, "emitWarning");
beforeEach(() => {
  warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  return () => void warn.mockRestore();
});

/** The kit's own warnings: their codes and messages. */
function warnings(): readonly (readonly [code: string, message: string])[] {
  const calls: readonly (readonly unknown[])[] = warn.mock.calls;
  return calls.flatMap(([message, options]) => {
    const { type, code = "" } = (options ?? {}) as { readonly type?: string; readonly code?: string };
    return type === "DoorcodeWarning" ? [[code, String(message)] as const] : [];
  });
}

function failing({ events }: WebhookSetup): readonly unknown[] {
  return events.filter(({ type }) => type === "webhook.failing");
}

async function repeat(times: number, send: () => Promise<{ readonly status: number }>): Promise<readonly number[]> {
  const answers: number[] = [];
  for (let time = 0; time < times; time++) answers.push((await send()).status);
  return answers;
}

describe.each(inMemory)("an endpoint whose deliveries keep failing, on $name", (platform) => {
  test.each([
    { offset: -900, says: /signed 900 seconds before the time of this machine.*synchronize it \(NTP\)/ },
    { offset: 301, says: /signed 301 seconds after the time of this machine/ },
  ])("says that the clock is off after five that are signed $offset seconds off", async ({ offset, says }) => {
    const setup = await setUpWebhooks(platform);
    const off = () => setup.send(signed(body, secondsOf(setup.clock) + offset), body);
    const before = await repeat(4, off);
    const [said, warned] = [failing(setup), warnings()];
    const after = await repeat(6, off);

    expect([...before, ...after]).toEqual(Array(10).fill(401));
    expect([said, warned]).toEqual([[], []]);
    expect(failing(setup)).toEqual([{ type: "webhook.failing", reason: "clock_off", count: 5 }]);
    expect(warnings()).toEqual([["webhook_clock_off", expect.stringMatching(says)]]);
  });

  test("counts anew after a delivery that is verified, and warns once", async () => {
    const setup = await setUpWebhooks(platform);
    const off = () => setup.send(signed(body, secondsOf(setup.clock) - 900), body);
    for (let round = 0; round < 2; round++) {
      await repeat(4, off);
      await setup.deliver(payload);
    }
    const before = failing(setup);
    await repeat(5, off);
    await setup.deliver(payload);
    await repeat(5, off);

    expect(before).toEqual([]);
    expect(failing(setup)).toHaveLength(2);
    expect(warnings().map(([code]) => code)).toEqual(["webhook_clock_off"]);
  });

  test("says so when handlers keep failing, also if strangers send forged deliveries in between", async () => {
    const setup = await setUpWebhooks(platform, { handle: () => Promise.reject(new Error("down")) });
    const forged = () => setup.send(signed(body, secondsOf(setup.clock), "another_secret_of_the_tests"), body);
    const repeated = () => setup.send(signed(body, secondsOf(setup.clock) - 900), body);
    for (let round = 0; round < 5; round++) {
      await setup.deliver(payload);
      await forged();
      await repeated();
    }

    expect(failing(setup)).toEqual([{ type: "webhook.failing", reason: "handler_failed", count: 5 }]);
    expect(warnings()).toEqual([["webhook_failing", expect.stringMatching(/answered 500.*webhook\.failed/)]]);
  });

  test("says so when the store does not answer, and nothing after a single success", async () => {
    const app = platform.deploy();
    const store = createFailingStore(app);
    const setup = await setUpWebhooks(platform, { app, store: store.store });
    store.failOn();
    await repeat(4, () => setup.deliver(payload));
    store.repair();
    await app.clock.advance(30_000);
    const recovered = await setup.deliver(payload);
    store.failOn();
    await repeat(4, () => setup.deliver(payload));
    const before = failing(setup);
    await setup.deliver(payload);

    expect(recovered.status).toBe(204);
    expect(before).toEqual([]);
    expect(failing(setup)).toEqual([{ type: "webhook.failing", reason: "store_unavailable", count: 5 }]);
    expect(warnings().map(([code]) => code)).toEqual(["webhook_failing"]);
  });

  test("says so when handlers keep being late", async () => {
    const setup = await setUpWebhooks(platform, { handle: () => Promise.withResolvers<void>().promise });
    for (let message = 0; message < 5; message++) {
      const { answer } = await setup.begin(messageEvent("SENT", instant(1), `msg_${message}`));
      await setup.clock.advance(4000);
      expect((await answer).status).toBe(503);
    }

    expect(failing(setup)).toEqual([{ type: "webhook.failing", reason: "handler_unfinished", count: 5 }]);
    expect(warnings()).toEqual([["webhook_failing", expect.stringMatching(/longer than four seconds/)]]);
  });

  test("counts no event that another process takes over, and such an event ends no row of failures", async () => {
    const app = platform.deploy();
    const store = app.connect();
    let isTakenOver = false;
    const settle: Store["settle"] = async (...given) => !isTakenOver && store.settle(...given);
    const handle = () => Promise.reject(new Error("down"));
    const setup = await setUpWebhooks(platform, { app, store: { ...store, settle }, handle });
    await repeat(4, () => setup.deliver(payload));
    isTakenOver = true;
    for (let message = 0; message < 5; message++) {
      expect((await setup.deliver(messageEvent("SENT", instant(1), `taken_${message}`))).status).toBe(503);
    }
    isTakenOver = false;
    await setup.deliver(payload);

    expect(failing(setup)).toEqual([{ type: "webhook.failing", reason: "handler_failed", count: 5 }]);
  });

  test.each([
    { when: "no delivery has had a right signature", delivered: 0, code: "webhook_secret" },
    { when: "the secret was right before, and is none any more", delivered: 1, code: "webhook_failing" },
  ])("says so when $when, with one warning", async ({ delivered, code }) => {
    const setup = await setUpWebhooks(platform);
    await repeat(delivered, () => setup.deliver(payload));
    await repeat(6, () => setup.send(signed(body, secondsOf(setup.clock), "another_secret_of_the_tests"), body));

    expect(failing(setup)).toEqual([{ type: "webhook.failing", reason: "signature_invalid", count: 5 }]);
    expect(warnings()).toEqual([[code, expect.stringContaining("WEBHOOK_SECRET")]]);
  });
});
