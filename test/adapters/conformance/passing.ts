import { describe, expect, test } from "vitest";
import { setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

/** What is not the kit's belongs to the app. */
export function describePassing(host: AdapterHost): void {
  describe("requests of the app", () => {
    test("the app's own page lives at the mount", async () => {
      const { open } = await setUp(host);
      expect((await open().get("/login")).text).toBe("the app's own page");
    });

    test.each(["/login/other", "/webhooks/other"])(
      "a post to %s reaches the app with its body unread",
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

    test.each(["/nowhere", "/login/nowhere", "/loginstart", "/webhooks/nowhere"])(
      "%s is the app's 404",
      async (path) => {
        const { open, faults } = await setUp(host);
        expect((await open().get(path)).status).toBe(404);
        expect(faults).toEqual([]);
      },
    );
  });
}
