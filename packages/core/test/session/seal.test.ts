import { expect, test } from "vitest";
import { openSeal, sealText } from "../../src/session/seal.ts";

const [password, another] = ["p".repeat(43), "q".repeat(43)];

/** The salts, the IV, the encrypted text and the digest of a seal. */
function partsOf(seal: string) {
  const [, , salt, iv, encrypted, , digestSalt, digest] = seal.split("*");
  return { salt, iv, encrypted, digestSalt, digest };
}

test("two seals of one text share nothing but their salts", () => {
  const [one, other] = [partsOf(sealText(password, "text")), partsOf(sealText(password, "text"))];
  expect([other.salt, other.digestSalt]).toEqual([one.salt, one.digestSalt]);
  expect(other.iv).not.toBe(one.iv);
  expect(other.encrypted).not.toBe(one.encrypted);
  expect(other.digest).not.toBe(one.digest);
});

test("a seal has salts of its password, and different ones for its text and its digest", () => {
  const [one, other] = [partsOf(sealText(password, "text")), partsOf(sealText(another, "text"))];
  expect(new Set([one.salt, one.digestSalt, other.salt, other.digestSalt]).size).toBe(4);
  expect(openSeal(password, sealText(password, "text"))).toBe("text");
  expect(openSeal(password, sealText(another, "text"))).toBeUndefined();
});
