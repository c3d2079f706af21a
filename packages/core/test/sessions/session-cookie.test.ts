import { sealData } from "iron-session";
import { afterEach, expect, test, vi } from "vitest";
import { createSealer } from "../../src/sessions/session-cookie.ts";

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

test("a text beyond 4,096 characters is refused, even if a password of the app sealed it", async () => {
  const text = await sealWith(newest, { ...session, userId: "u".repeat(4000) });
  expect(text.length).toBeGreaterThan(4096);
  expect(await createSealer(passwords).unseal(text)).toBeUndefined();
});

test("a session that comes again is opened once; only the sessions that were used last are remembered", async () => {
  const decrypt = vi.spyOn(crypto.subtle, "decrypt");
  const { unseal } = createSealer(passwords, 2);
  const opens = async (text: string) => {
    decrypt.mockClear();
    await unseal(text);
    return decrypt.mock.calls.length;
  };
  const [first, second, third] = await Promise.all([sealWith(newest), sealWith(newest), sealWith(newest)]);
  const opened = [];
  for (const text of [first, second, first, third, first, third, second]) opened.push(await opens(text));
  expect(opened).toEqual([1, 1, 0, 1, 0, 0, 1]);
});

test("a forged seal makes no session forgotten", async () => {
  const decrypt = vi.spyOn(crypto.subtle, "decrypt");
  const { unseal } = createSealer(passwords, 1);
  const text = await sealWith(newest);
  await unseal(text);
  for (let forged = 0; forged < 3; forged++) await unseal(await sealWith("f".repeat(43)));
  decrypt.mockClear();
  expect(await unseal(text)).toEqual(session);
  expect(decrypt).not.toHaveBeenCalled();
});
