import { sealData } from "iron-session";
import { afterEach, expect, test, vi } from "vitest";
import { createSealer } from "../../src/sessions/transport.ts";

afterEach(() => void vi.restoreAllMocks());

const session = { userId: "user_1", sessionId: "session_1" };
const passwords = ["n".repeat(43), "o".repeat(43)];
const [newest = ""] = passwords;
const sealWith = (password: string, content: unknown = session) => sealData(content, { password, ttl: 0 });

test("a seal does not end by the machine's clock: the store decides", async () => {
  const { seal, unseal } = createSealer(passwords);
  const text = await seal(session);
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 400 * 86_400_000);
  expect(await unseal(text)).toEqual(session);
});

test("L30: a seal that a leaked password made, of anything but a session, is refused", async () => {
  const { unseal } = createSealer(passwords);
  for (const content of [{}, { userId: "user_1" }, { ...session, transport: "cookie" }, [], "text", null]) {
    expect(await unseal(await sealWith(newest, content))).toBeUndefined();
  }
});

test("L30: a changed text is refused, also while the sealer remembers the right one", async () => {
  const { seal, unseal } = createSealer(passwords);
  const text = await seal(session);
  expect(await unseal(text)).toEqual(session);
  const places = Array.from({ length: text.indexOf("~") }, (_, index) => index);
  const changed = places.map((at) => text.slice(0, at) + (text[at] === "A" ? "Q" : "A") + text.slice(at + 1));
  for (const other of [...changed, ...places.map((at) => text.slice(0, at)), text.toLowerCase()]) {
    expect([other, await unseal(other)]).toEqual([other, undefined]);
  }
});

test("a text beyond 4,096 characters is refused, even if a password of the app sealed it", async () => {
  const text = await sealWith(newest, { ...session, userId: "u".repeat(4000) });
  expect(text.length).toBeGreaterThan(4096);
  expect(await createSealer(passwords).unseal(text)).toBeUndefined();
});

test("a sealer remembers so many texts and no more, and forgets first the one that was used least recently", async () => {
  const { seal, unseal } = createSealer(passwords, 2);
  const texts = await Promise.all(["a", "b", "c"].map((sessionId) => seal({ ...session, sessionId })));
  const [often = "", once = "", later = ""] = texts;
  // What is remembered is the same object.
  const [first, second] = [await unseal(often), await unseal(once)];
  await unseal(often);
  await unseal(later);
  expect(await unseal(often)).toBe(first);
  expect(await unseal(once)).not.toBe(second);
});
