import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { createDoorcode } from "@doorcode/core";
import { sealData, unsealData } from "iron-session";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { rememberTexts } from "../../packages/core/src/sessions/known-texts.ts";
import { createSealer } from "../../packages/core/src/sessions/sealed-session.ts";

beforeEach(() => {
  vi.spyOn(crypto, "createDecipheriv");
  syncBuiltinESMExports();
});

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const session = { userId: "user_1", sessionId: "session_1" };
const passwords = ["n".repeat(43), "o".repeat(43)];

/** Tells of each text whether its cookie was decrypted, when they come in this order. */
function decryptedInOrder(unseal: (text: string) => unknown, texts: readonly string[]) {
  const decrypt = vi.mocked(crypto.createDecipheriv);
  return texts.map((text) => {
    decrypt.mockClear();
    unseal(text);
    return decrypt.mock.calls.length > 0;
  });
}

/** Creates a sealer, and remembers what it has unsealed. */
function createMemory(maxKnown?: number) {
  const { seal, unseal } = createSealer(passwords);
  return { seal, unseal: rememberTexts(unseal, maxKnown) };
}

test("a cookie is decrypted once, however often it comes", () => {
  const { seal, unseal } = createMemory();
  const text = seal(session);
  const answers = [unseal(text), unseal(text), unseal(text)];

  expect(answers).toEqual([session, session, session]);
  expect(crypto.createDecipheriv).toHaveBeenCalledTimes(1);
});

describe("a session that comes again", () => {
  const doorcode = createDoorcode({
    origins: ["https://app.example.com"],
    session: { password: "p".repeat(43), transport: "both" },
  });

  test("in a cookie or as a token is decrypted once", async () => {
    const { setCookie } = await doorcode.session.start({ userId: "user_1" });
    const { sessionToken } = await doorcode.session.startBearer({ userId: "user_1" });
    for (const headers of [{ cookie: setCookie.split(";")[0] }, { authorization: `Bearer ${sessionToken}` }]) {
      vi.mocked(crypto.createDecipheriv).mockClear();
      await doorcode.session.current({ headers });
      expect(await doorcode.session.current({ headers })).toMatchObject({ userId: "user_1" });
      expect(crypto.createDecipheriv).toHaveBeenCalledTimes(1);
    }
  });

  test("is another object for each request, so that no request sees what the app has written into it", async () => {
    const { setCookie } = await doorcode.session.start({ userId: "user_1" });
    const request = { headers: { cookie: setCookie.split(";")[0] } };
    Object.assign((await doorcode.session.current(request)) ?? {}, { userId: "user_2", note: "of the first request" });
    const next = await doorcode.session.current(request);
    expect(next?.userId).toBe("user_1");
    expect(next).not.toHaveProperty("note");
  });
});

test("a full cache forgets the session that was used least recently, and no other", () => {
  const { seal, unseal } = createMemory(2);
  const [first, second, third] = [seal(session), seal(session), seal(session)];
  expect(decryptedInOrder(unseal, [first, second, first, third, first, third, second])).toEqual([
    true,
    true,
    false,
    true,
    false,
    false,
    true,
  ]);
});

test("a forged cookie takes no place in the cache", () => {
  const { seal, unseal } = createMemory(1);
  const text = seal(session);
  const forged = Array.from({ length: 3 }, () => createSealer(["f".repeat(43)]).seal(session));
  expect(unseal(text)).toEqual(session);
  for (const other of forged) expect(unseal(other)).toBeUndefined();
  expect(decryptedInOrder(unseal, [text])).toEqual([false]);
});

test("a text with the end of a cookie that was unsealed is judged by itself", () => {
  const { seal, unseal } = createMemory();
  const [known, other] = [seal(session), seal({ ...session, userId: "user_2" })];
  unseal(known);
  expect(unseal(other.slice(0, -45) + known.slice(-45))).toBeUndefined();
  expect(unseal(known.slice(-45))).toBeUndefined();
  expect(unseal(known)).toEqual(session);
});

test("a text beyond 4,096 characters is refused, even if a password of the app sealed it", () => {
  const { seal, unseal } = createSealer(passwords);
  const text = seal({ ...session, userId: "u".repeat(4000) });
  expect(text.length).toBeGreaterThan(4096);
  expect(unseal(text)).toBeUndefined();
});

describe("a seal", () => {
  test("of the kit is opened by iron-session, and one of iron-session by the kit", async () => {
    const [newest = "", old = ""] = passwords;
    const { seal, unseal } = createSealer(passwords);
    expect(await unsealData(seal(session), { password: newest, ttl: 0 })).toEqual(session);
    expect(unseal(await sealData(session, { password: newest, ttl: 0 }))).toEqual(session);
    expect(unseal(await sealData(session, { password: old, ttl: 0 }))).toEqual(session);
  });

  test("has one spelling: with any character changed, added or left out it is refused", () => {
    const { seal, unseal } = createSealer(passwords);
    const text = seal(session);
    // The last character of 43 has bits that no digest needs: a decoder would ignore them.
    const spellings = Array.from(text, (character, at) => {
      const others = "AQgw-_*=~ 0a".replaceAll(character, "");
      return Array.from(others, (other) => text.slice(0, at) + other + text.slice(at + 1));
    });
    const changed = [
      ...spellings.flat(),
      `${text}~2`,
      ` ${text}`,
      `${text}=`,
      text.slice(1),
      text.replace("**", "*1*"),
    ];
    expect(changed.filter((other) => unseal(other) !== undefined)).toEqual([]);
  });

  test("that a leaked password made, of anything but a session, is refused", async () => {
    const [leaked = ""] = passwords;
    const { unseal } = createSealer(passwords);
    for (const content of [{}, { userId: "user_1" }, { ...session, transport: "cookie" }, []]) {
      expect(unseal(await sealData(content, { password: leaked, ttl: 0 }))).toBeUndefined();
    }
  });
});
