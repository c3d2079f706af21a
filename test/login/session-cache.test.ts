import { afterEach, expect, test, vi } from "vitest";
import { createSealer } from "../../packages/core/src/session/sealed-session.ts";

afterEach(() => void vi.restoreAllMocks());

const session = { userId: "user_1", sessionId: "session_1" };
const passwords = ["n".repeat(43), "o".repeat(43)];

test("a cookie is decrypted once, however often it comes", async () => {
  const { seal, unseal } = createSealer(passwords);
  const text = await seal(session);
  const decrypt = vi.spyOn(crypto.subtle, "decrypt");
  const answers = [await unseal(text), await unseal(text), await unseal(text)];

  expect(answers).toEqual([session, session, session]);
  expect(decrypt).toHaveBeenCalledTimes(1);
});

test("a text beyond 4,096 characters is refused, even if a password of the app sealed it", async () => {
  const { seal, unseal } = createSealer(passwords);
  const text = await seal({ ...session, userId: "u".repeat(4000) });
  expect(text.length).toBeGreaterThan(4096);
  expect(await unseal(text)).toBeUndefined();
});
