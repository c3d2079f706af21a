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

/** Tells of each text whether its cookie was decrypted, when they come in this order. */
async function decryptedInOrder(unseal: (text: string) => Promise<unknown>, texts: readonly string[]) {
  const decrypt = vi.spyOn(crypto.subtle, "decrypt");
  const decrypted: boolean[] = [];
  for (const text of texts) {
    decrypt.mockClear();
    await unseal(text);
    decrypted.push(decrypt.mock.calls.length > 0);
  }
  return decrypted;
}

test("a full cache forgets the session that was used least recently, and no other", async () => {
  const { seal, unseal } = createSealer(passwords, 2);
  const [first, second, third] = [await seal(session), await seal(session), await seal(session)];
  expect(await decryptedInOrder(unseal, [first, second, first, third, first, third, second])).toEqual([
    true,
    true,
    false,
    true,
    false,
    false,
    true,
  ]);
});

test("a forged cookie takes no place in the cache", async () => {
  const { seal, unseal } = createSealer(passwords, 1);
  const text = await seal(session);
  const forged = await createSealer(["f".repeat(43)]).seal(session);
  expect(await unseal(text)).toEqual(session);
  expect(await unseal(forged)).toBeUndefined();
  expect(await decryptedInOrder(unseal, [text])).toEqual([false]);
});

test("a text beyond 4,096 characters is refused, even if a password of the app sealed it", async () => {
  const { seal, unseal } = createSealer(passwords);
  const text = await seal({ ...session, userId: "u".repeat(4000) });
  expect(text.length).toBeGreaterThan(4096);
  expect(await unseal(text)).toBeUndefined();
});
