import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, expect, test, vi } from "vitest";
import { randomText } from "../../src/util/random-text.ts";

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test("no random byte is used twice, and none stays in memory beside its text", () => {
  const drawn: Buffer[] = [];
  const copies: Buffer[] = [];
  const { randomBytes } = crypto;
  vi.spyOn(crypto, "randomBytes").mockImplementation((size: number) => {
    const bytes: Buffer = randomBytes(size);
    drawn.push(bytes);
    copies.push(Buffer.from(bytes));
    return bytes;
  });
  syncBuiltinESMExports();
  // Whatever was drawn before this test is used up first.
  while (drawn.length === 0) randomText(16, "hex");
  const texts = Array.from({ length: 1000 }, (_, index) => randomText(16, index % 2 === 0 ? "hex" : "base64url"));

  const used = texts.map((text, index) => Buffer.from(text, index % 2 === 0 ? "hex" : "base64url").toString("hex"));
  expect(used.every((bytes) => bytes.length === 32)).toBe(true);
  // The first 16 bytes went to the text that made the first draw.
  expect(Buffer.concat(copies).toString("hex").slice(32)).toContain(used.slice(0, 200).join(""));
  expect(new Set(used).size).toBe(1000);
  for (const bytes of drawn.slice(0, -1)) expect(bytes.every((byte) => byte === 0)).toBe(true);
});
