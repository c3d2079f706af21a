import { describe, expect, test } from "vitest";
import { loginDocument } from "../../support/login-document.ts";
import { beginPost } from "../../support/raw-post.ts";
import { phone, setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

const own = { "sec-fetch-site": "same-origin" };
const json = { "content-type": "application/json", ...own };

/** The endpoints of a login, as JSON and as HTML forms. */
export function describeLogin(host: AdapterHost): void {
  describe("login", () => {
    test("logs in by JSON", async () => {
      const { open, service } = await setUp(host);
      const browser = open();
      const started = await browser.post("/login/start", { phone });
      const confirmed = await browser.post("/login/confirm", { code: service.code });
      expect([started.status, started.json.status]).toEqual([200, "code_sent"]);
      expect([confirmed.status, confirmed.json.userId]).toEqual([200, "user_1"]);
      expect((await browser.get("/account")).json.userId).toBe("user_1");
    });

    test("logs in by HTML forms, each answered with 303", async () => {
      const { open, service } = await setUp(host);
      const browser = open();
      const started = await browser.submit("/login/start", { phone, next: "/inbox" });
      const wrong = await browser.submit("/login/confirm", { code: "000000", next: "/inbox" });
      const right = await browser.submit("/login/confirm", { code: service.code, next: "/inbox" });
      expect([started.status, started.headers.get("location")]).toEqual([303, "/login?next=%2Finbox"]);
      expect([wrong.status, wrong.headers.get("location")]).toEqual([
        303,
        "/login?problem=code_rejected&next=%2Finbox",
      ]);
      expect([right.status, right.headers.get("location")]).toEqual([303, "/inbox"]);
      expect((await browser.get("/account")).status).toBe(200);
    });

    test("content-length counts bytes, not characters", async () => {
      const { loggedIn } = await setUp(host);
      const state = await (await loggedIn()).get("/login/state");
      expect(state.json.user).toEqual({ name: "Zoë of user_1" });
      expect(Number(state.headers.get("content-length"))).toBe(Buffer.byteLength(state.text));
    });

    test("answers HEAD like GET, without the body", async () => {
      const { open } = await setUp(host);
      const get = await open().send("/login/state", { method: "GET" });
      const head = await open().send("/login/state", { method: "HEAD" });
      expect([head.status, head.text]).toEqual([200, ""]);
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    });

    test("L11: only POST sends a code; every other method is answered with 405 and Allow", async () => {
      const { open, service } = await setUp(host);
      for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const { status, headers } = await open().send(`/login/start?phone=${encodeURIComponent(phone)}`, { method });
        expect([method, status, headers.get("allow")]).toEqual([method, 405, "POST"]);
      }
      expect(service.created).toEqual([]);
    });

    test("refuses other media types than JSON and forms", async () => {
      const { open, service } = await setUp(host);
      for (const type of ["text/plain", "multipart/form-data; boundary=x", "application/xml"]) {
        const init = { method: "POST", headers: { ...own, "content-type": type }, body: JSON.stringify({ phone }) };
        const { status, json } = await open().send("/login/start", init);
        expect([type, status, json.code]).toEqual([type, 415, "media_type_unsupported"]);
      }
      expect(service.created).toEqual([]);
    });

    test("refuses a body that is no JSON, or has no number", async () => {
      const { open } = await setUp(host);
      for (const body of ["{", '"text"', "[]", "null", '{"phone":49151}']) {
        const answer = await open().send("/login/start", { method: "POST", headers: json, body });
        expect([body, answer.status, answer.json.code]).toEqual([body, 400, "body_malformed"]);
        expect(answer.headers.get("content-type")).toBe("application/problem+json");
      }
    });

    test("a client that hangs up causes no send and no error", async () => {
      const { url, open, published, service, faults } = await setUp(host);
      const post = beginPost(`${url}/login/start`, Object.entries({ ...json, "content-length": "100" }));
      post.write('{"phone":');
      await post.sent();
      post.destroy();
      await published("login.refused");
      const next = await open().post("/login/start", { phone });
      expect(next.status).toBe(200);
      expect(service.created).toHaveLength(1);
      expect(faults).toEqual([]);
    });

    test("describes its endpoints, if it is asked to", async () => {
      const { open } = await setUp(host);
      const { status, json, headers } = await open().get("/login/openapi.json");
      // A login removes no number: that is for a link.
      const { "/remove": _, ...paths } = loginDocument.paths;
      expect([status, json]).toEqual([200, { ...loginDocument, paths }]);
      expect(headers.get("cache-control")).toBe("private, max-age=300");
    });

    test("every answer forbids caching", async () => {
      const { open } = await setUp(host);
      const browser = open();
      const answers = [
        await browser.get("/login/state"),
        await browser.get("/account"),
        await browser.post("/login/start"),
      ];
      expect(answers.map(({ headers }) => headers.get("cache-control"))).toEqual(["no-store", "no-store", "no-store"]);
    });
  });
}
