import { expect } from "vitest";
import { describePart } from "./describe-part.ts";
import { holdTimers } from "./support/held-timers.ts";
import { startReceiver } from "./support/receiver.ts";
import { phone, send, startSandbox } from "./support/sandbox.ts";

describePart(8, ({ sandbox }) => {
  sandbox("limits.row-1", async () => {
    const running = await startSandbox({ behaviours: { [phone]: "never_delivered" } });
    const receiver = await startReceiver("silent");
    running.deliverTo(receiver.url);
    await send(running);
    // The limit is on the wall clock, which does not have to pass: the test ends the limit itself.
    const limit = holdTimers(5_000);
    const advanced = running.clock.advance("1s");
    await expect.poll(() => receiver.arrivals.length).toBe(1);
    limit.end();
    await advanced;
    const [attempt] = running.deliveries.list()[0]?.attempts ?? [];
    expect([attempt?.status, attempt?.error]).toEqual([undefined, "timed_out"]);
    expect(limit.held()).toBe(1);
  });

  sandbox("limits.row-4", async () => {
    const running = await startSandbox({
      behaviours: { [phone]: "never_delivered" },
      settings: { webhookRetryDelaysSeconds: [] },
    });
    // One success in between, at hour 20, and the 24 hours begin anew.
    const receiver = await startReceiver(...Array(20).fill(500), 204, 500);
    running.deliverTo(receiver.url);
    const status = async (hours: number) => {
      for (let hour = 0; hour < hours; hour++) {
        await send(running);
        await running.clock.advance("1h");
      }
      return running.endpoints.list()[0]?.status;
    };
    // The first failure after it is the attempt of hour 21, so that of hour 45 ends it.
    expect([await status(45), running.account.mails()]).toEqual(["enabled", []]);
    expect(await status(1)).toBe("disabled");
    const to = running.account.get().ownerEmail;
    expect(running.account.mails()).toMatchObject([{ to, text: expect.stringContaining(receiver.url) }]);
    expect(await status(2)).toBe("disabled");
    expect(receiver.arrivals).toHaveLength(46);
  });
});
