import { describe, expect, test } from "vitest";
import { messageRequest, post, start } from "./support/start.ts";

describe("POST /messages", () => {
  test("delivers all events of a large request, a limited number at a time", async () => {
    const { sandbox, clock } = await start();
    const release = Promise.withResolvers<void>();
    let begun = 0;
    sandbox.deliverTo(async () => {
      begun++;
      await release.promise;
      return new Response();
    });
    const recipients = Array.from({ length: 40 }, (_, index) => `+49151123456${index + 10}`);
    await post(sandbox, "/messages", messageRequest({ recipients }));
    await clock.advance(50);
    expect(begun).toBe(32);
    release.resolve();
    await sandbox.deliveries.settled();
    expect(begun).toBe(40);
  });
});
