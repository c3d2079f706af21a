import { createDoorcode } from "@doorcode/core";
import { createLoginGuard, type ProvenBy } from "@doorcode/core/adapter";
import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import type { Browser } from "../support/browser.ts";
import { createDeployment } from "../support/deployment.ts";
import { newestCode, otherPhone, password, phone } from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";
import { setUpRemovals, user } from "./removal-setup.ts";

const bothProofs = ["phone", "passkey"] as const;

describe("sessions that a passkey has proven", () => {
  function createKit() {
    const app = createDeployment();
    const { name, clock } = app;
    const doorcode = createDoorcode({ name, clock, store: app.connect(), session: { password } });

    /** Tells how guards answer a session that was started so, by the proofs that they accept. */
    async function admitted(started: { readonly provenAt?: number; readonly by?: ProvenBy }) {
      const { setCookie } = await doorcode.session.start({ userId: "user_1", ...started });
      const headers = { host: "localhost", cookie: setCookie.split(";")[0] };
      const request = { method: "GET", path: "/", query: "", headers };
      const accepted: (readonly ProvenBy[] | undefined)[] = [undefined, ["phone"], ["passkey"], bothProofs];
      const answers = accepted.map((by) =>
        createLoginGuard(doorcode, { provenWithinSeconds: 300, ...(by && { by }) })(request),
      );
      return (await Promise.all(answers)).map((result) => ("session" in result ? 200 : result.refusal.status));
    }
    return { clock, doorcode, admitted };
  }

  test("pass the guards that accept a passkey, and none that accepts the phone alone, which is the default", async () => {
    const { clock, admitted } = createKit();
    const now = clock.now();
    expect(await admitted({ provenAt: now, by: "passkey" })).toEqual([403, 403, 200, 200]);
    expect(await admitted({ provenAt: now, by: "phone" })).toEqual([200, 200, 403, 200]);
    expect(await admitted({ provenAt: now })).toEqual([200, 200, 403, 200]);
    expect(await admitted({})).toEqual([403, 403, 403, 403]);
    expect(await admitted({ provenAt: now - 301_000, by: "passkey" })).toEqual([403, 403, 403, 403]);
  });

  test("say what proved them", async () => {
    const { clock, doorcode } = createKit();
    const provenAt = clock.now();
    await doorcode.session.start({ userId: "user_1", provenAt, by: "passkey" });
    expect(await doorcode.session.list("user_1")).toMatchObject([{ provenAt, provenBy: "passkey" }]);
  });
});

test.each([
  [/^doorcode\.session\.start: by: expected "phone" or "passkey"/, { provenAt: 0, by: "passkeys" }],
  [/^doorcode\.session\.start: by needs provenAt/, { by: "passkey" }],
  [/^doorcode\.session\.start: provenAt: expected Unix milliseconds/, { provenAt: new Date(0) }],
  [/^doorcode\.session\.start: provenAt: expected Unix milliseconds/, { provenAt: Number.NaN }],
  [/^doorcode\.session\.start: userId/, { userId: "" }],
  [/^doorcode\.session\.start: unknown option provenBy/, { provenAt: 0, provenBy: "passkey" }],
])("a session does not start with a wrong option: %s", async (message, options) => {
  const { session } = createDoorcode({ name: "wrong-start", clock: createManualClock(), session: { password } });
  const starting = session.start({ userId: "user_1", ...(options as object) });
  await expect(starting).rejects.toThrow(TypeError);
  await expect(starting).rejects.toThrow(message);
  expect(await session.list("user_1")).toEqual([]);
});

describe.each(inMemory)("changes of the numbers after a passkey, on $name, codes of $owner", (platform) => {
  /** An app whose user has two numbers, and a browser in which a passkey has proven the user so many seconds ago. */
  async function setUp(secondsAgo = 0) {
    const linked: unknown[] = [];
    const setup = await setUpRemovals(platform, {
      onLink: (link) => {
        linked.push(link.oldPhone);
        return link.userId;
      },
    });
    const { doorcode, clock } = setup;
    const browser = setup.open();
    const provenAt = clock.now() - secondsAgo * 1000;
    const { setCookie } = await doorcode.session.start({ userId: user, provenAt, by: "passkey" });
    const [name = "", value = ""] = setCookie.split(";")[0]?.split(/=(.*)/s) ?? [];
    browser.cookies.set(name, value);
    const proofs = async () => (await doorcode.session.list(user)).map((one) => [one.provenBy, one.provenAt]);
    const outcome = async (path: string, body: object, sender: Browser = browser) => {
      const { json } = await sender.post(path, body);
      return json.code ?? json.status;
    };
    return { ...setup, browser, provenAt, linked, proofs, outcome };
  }

  test("a recent passkey is enough to replace a number and to remove one, since the phone may be lost", async () => {
    const { outcome, numbers } = await setUp(899);
    expect(await outcome("/link/start", { phone: "+4915123456781" })).toBe("code_sent");
    expect(await outcome("/link/remove", { phone })).toBe("logged_in");
    expect([...numbers]).toEqual([otherPhone]);
  });

  test("a passkey of more than 15 minutes ago is not", async () => {
    const { outcome, numbers } = await setUp(901);
    expect(await outcome("/link/start", { phone: "+4915123456781" })).toBe("proof_required");
    expect(await outcome("/link/remove", { phone })).toBe("proof_required");
    expect(numbers.size).toBe(2);
  });

  test("a link keeps the proof by the passkey: the new number has proven nothing about the account", async () => {
    const { outcome, service, clock, proofs, provenAt, linked } = await setUp();
    await clock.advance(1000);
    await outcome("/link/start", { phone: "+4915123456781" });
    expect(await outcome("/link/confirm", { code: newestCode(service) })).toBe("logged_in");
    expect(linked).toEqual([phone]);
    expect(await proofs()).toEqual([["passkey", provenAt]]);
  });

  test("a step-up by the phone takes the place of the passkey: a session keeps its newest proof only", async () => {
    const { outcome, service, clock, proofs } = await setUp();
    await clock.advance(1000);
    await outcome("/step-up/start", {});
    await outcome("/step-up/confirm", { code: newestCode(service) });
    expect(await proofs()).toEqual([["phone", clock.now()]]);
  });
});
