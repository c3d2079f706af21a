import { describe, expect, test } from "vitest";
import { setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

/** Requests that the kit passes on to the app. */
export function describePassing(host: AdapterHost): void {
  describe("requests of the app", () => {
    test("a page of the app can have the path of the mount", async () => {
      const { open } = await setUp(host);
      expect((await open().get("/login")).text).toBe("the app's own page");
    });

    test.each(["/login/other", "/webhooks/other"])(
      "a POST to %s reaches the app with its body unread",
      async (path) => {
        const { open } = await setUp(host);
        const answer = await open().send(path, {
          method: "POST",
          headers: { "content-type": "text/plain" },
          body: "ä body",
        });
        expect([answer.status, answer.text]).toEqual([200, "ä body"]);
      },
    );

    test("a path that is none of a mount gets the 404 of the app", async () => {
      const { open, faults } = await setUp(host);
      for (const path of ["/nowhere", "/login/nowhere", "/loginstart", "/webhooks/nowhere"]) {
        expect([path, (await open().get(path)).status]).toEqual([path, 404]);
      }
      expect(faults).toEqual([]);
    });
  });
}
