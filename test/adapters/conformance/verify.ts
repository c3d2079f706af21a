import { createProofVerifier } from "@doorcode/core";
import { describe, expect, test } from "vitest";
import { createDeployment } from "../../support/deployment.ts";
import { password, phone, setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";
import { userAgentOf } from "./before-send.ts";

/** A mount that only verifies numbers. */
export function describeVerify(host: AdapterHost): void {
  describe("verify", () => {
    /** Starts an app that binds its proofs to a header of the framework's own request. */
    async function setUpVerify() {
      const app = createDeployment();
      const audience = "checkout";
      const kit = await setUp(host, { app, proof: { audience, boundTo: (context) => String(userAgentOf(context)) } });
      const verifyProof = createProofVerifier({ password, audience, name: app.name, clock: kit.clock });
      return { ...kit, read: (proof: unknown) => verifyProof(proof, { boundTo: "node" }) };
    }

    test("answers JSON with a proof that is bound by the framework's own request", async () => {
      const { open, service, read } = await setUpVerify();
      const browser = open();
      await browser.post("/login/start", { phone });
      const { status, json } = await browser.post("/login/confirm", { code: service.code });
      expect([status, json.status, (await read(json.proof)).phone]).toEqual([200, "verified", phone]);
      // Only the answer to the code has the whole number.
      const { number: _number, ...kept } = json;
      expect((await browser.get("/standing")).json).toEqual(kept);
    });

    test("redirects a form to its page, with the proof in a cookie that no script reads and in no address", async () => {
      const { open, service, read } = await setUpVerify();
      const browser = open();
      await browser.submit("/login/start", { phone });
      const { status, headers } = await browser.submit("/login/confirm", { code: service.code });
      const cookie = headers.getSetCookie().find((line) => line.includes("-proof=")) ?? "";
      expect([status, headers.get("location")]).toEqual([303, "/account"]);
      expect(cookie).toMatch(/^[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);

      const { json } = await browser.get("/standing");
      expect([json.status, (await read(json.proof)).phone]).toEqual(["verified", phone]);
      expect((await browser.get("/who")).json.userId).toBeNull();
    });
  });
}
