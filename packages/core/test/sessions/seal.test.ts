import { expect, test } from "vitest";
import { createTextSealer, openSeal } from "../../src/sessions/seal.ts";

const [password, another] = ["p".repeat(43), "q".repeat(43)];

/** The salts, the IV, the encrypted text and the digest of a seal. */
function partsOf(seal: string) {
  const [, , salt, iv, encrypted, , digestSalt, digest] = seal.split("*");
  return { salt, iv, encrypted, digestSalt, digest };
}

test("two seals of one text share nothing but their salts", () => {
  const sealText = createTextSealer(password);
  const [one, other] = [partsOf(sealText("text")), partsOf(sealText("text"))];
  expect([other.salt, other.digestSalt]).toEqual([one.salt, one.digestSalt]);
  expect(other.iv).not.toBe(one.iv);
  expect(other.encrypted).not.toBe(one.encrypted);
  expect(other.digest).not.toBe(one.digest);
});

test("each sealer has salts of its own, and different ones for text and digest", () => {
  const seals = [password, password, another].map((of) => createTextSealer(of)("text"));
  const salts = seals.map(partsOf).flatMap(({ salt, digestSalt }) => [salt, digestSalt]);
  expect(new Set(salts).size).toBe(6);
  expect(seals.map((seal) => openSeal(password, seal))).toEqual(["text", "text", undefined]);
});
