import type { BeforeSendContext } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { phone, setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

/** Reads a header of the framework's own request, which has one of two names and one of two kinds of headers. */
export function userAgentOf(context: unknown): unknown {
  const { req, request } = context as Record<"req" | "request", { readonly headers: unknown } | undefined>;
  const headers = (req ?? request)?.headers;
  return headers instanceof Headers ? headers.get("user-agent") : (headers as Record<string, unknown>)["user-agent"];
}

/** The app's function that decides about each code, and what it gets of a request. */
export function describeBeforeSend(host: AdapterHost): void {
  describe("beforeSend", () => {
    test("gets the token of the body, of JSON and of a form, and what the mount reads from the framework's own request", async () => {
      const seen: Partial<BeforeSendContext>[] = [];
      const { open } = await setUp(host, {
        signals: async (context) => ({ userAgent: userAgentOf(context) }),
        login: {
          beforeSend({ resend, challenge, signals }) {
            seen.push({ resend, challenge, signals });
            return "challenge";
          },
        },
      });
      const own = { "sec-fetch-site": "same-origin", "user-agent": "a browser" };
      const asked = await open().post("/login/start", { phone, challenge: "a token" }, own);
      const form = await open().submit("/login/start", { phone, challenge: "of a form" }, own);

      expect([asked.status, asked.json.code]).toEqual([403, "challenge_required"]);
      expect([form.status, form.headers.get("location")]).toEqual([303, "/login?problem=challenge_required"]);
      const signals = { userAgent: "a browser" };
      expect(seen).toEqual([
        { resend: false, challenge: "a token", signals },
        { resend: false, challenge: "of a form", signals },
      ]);
    });
  });
}
