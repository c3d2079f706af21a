import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import { derivePasswords } from "../../src/util/keys.ts";
import { createNumberProofs, createProofVerifier } from "../../src/verify/number-proof.ts";

const password = "a password of the tests, long enough";
const otherPassword = "another password of the tests, long";
const clock = createManualClock();
const number = {
  phone: "+4915123456789",
  loginId: "3f0a6c1e-0000-4000-8000-000000000000",
  verifiedAt: clock.now(),
  expiresAt: clock.now() + 600_000,
};

const proofsOf = (...passwords: [string, ...string[]]) =>
  createNumberProofs(derivePasswords(passwords, "number proof"), clock, "doorcode");
const audience = "checkout";
const unbound = { audience, boundTo: undefined };
const proof = await proofsOf(password).seal(number, unbound);
const verify = createProofVerifier({ password, audience, clock });

/** Returns what a proof says, or the code of its refusal. */
function codeOf(opening: Promise<unknown>): Promise<unknown> {
  return opening.catch((error: { code?: unknown }) => error.code);
}

describe("a proof of a number", () => {
  test("says which number was proven, when, until when and by which login", async () => {
    expect(await verify(proof)).toEqual(number);
  });

  test("L45: is opened by each password of a rotation, and by no other one", async () => {
    const open = (...passwords: [string, ...string[]]) =>
      codeOf(createProofVerifier({ password: passwords, audience, clock })(proof));
    expect(await open(otherPassword, password)).toEqual(number);
    expect(await open(otherPassword)).toBe("proof_invalid");
  });

  test("L45: is opened by no key of another use of the same password", async () => {
    const [sessionPassword = ""] = derivePasswords([password], "session");
    const opening = createProofVerifier({ password: sessionPassword, audience, clock })(proof);
    expect(await codeOf(opening)).toBe("proof_invalid");
  });

  test("L45: is refused with any byte changed, cut off or added", async () => {
    const characters = [...proof];
    const swapped = characters.map((character, index) =>
      [...characters.slice(0, index), character === "A" ? "B" : "A", ...characters.slice(index + 1)].join(""),
    );
    const cut = characters.map((_, index) => proof.slice(0, index));
    const added = [`${proof}A`, `${proof}~2`, `${proof}=`, ` ${proof}`, `${proof}\n`, proof.replace("Fe26", "fe26")];
    const answers = await Promise.all([...swapped, ...cut, ...added].map((text) => codeOf(verify(text))));
    expect(new Set(answers)).toEqual(new Set(["proof_invalid"]));
  });

  test("L45: has one spelling, whatever bits the last character of its digest leaves unused", async () => {
    const alphabet = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];
    const spellings = alphabet.map((last) => `${proof.slice(0, -3)}${last}~2`);
    const opened = await Promise.all(spellings.map((spelling) => codeOf(verify(spelling))));
    expect(spellings.filter((_, index) => opened[index] !== "proof_invalid")).toEqual([proof]);
  });

  test.each([undefined, null, 42, "", "Fe26.2*1", {}, [proof], `Fe26.2*${"A".repeat(100_000)}~2`, new Date(0)])(
    "L45: refuses %j",
    async (text) => {
      expect(await codeOf(verify(text))).toBe("proof_invalid");
    },
  );

  test("L45: what the same key has sealed and is no proof is refused", async () => {
    const forged = await proofsOf(password).seal({ phone: "+49" } as never, unbound);
    expect(await codeOf(verify(forged))).toBe("proof_invalid");
  });

  test("L45: is right one millisecond before its end, and expired from then on", async () => {
    const at = (milliseconds: number) => {
      const later = createManualClock(number.verifiedAt + milliseconds);
      return codeOf(createProofVerifier({ password, audience, clock: later })(proof));
    };
    expect([await at(599_999), await at(600_000), await at(86_400_000)]).toEqual([
      number,
      "proof_expired",
      "proof_expired",
    ]);
  });

  test("L45: one that is bound to something is refused for anything else, and for nothing", async () => {
    const bound = await proofsOf(password).seal(number, { audience, boundTo: "cart 1" });
    const answers = ["cart 1", "cart 2", "", undefined].map((boundTo) => codeOf(verify(bound, { boundTo })));
    expect(await Promise.all(answers)).toEqual([number, "proof_foreign", "proof_foreign", "proof_foreign"]);
    expect(await codeOf(verify(proof, { boundTo: "cart 1" }))).toBe("proof_foreign");
  });

  test("L45: one that is bound to an empty text is not one that is bound to nothing", async () => {
    const bound = await proofsOf(password).seal(number, { audience, boundTo: "" });
    const answers = [verify(bound, { boundTo: "" }), verify(bound), verify(proof, { boundTo: "" })].map(codeOf);
    expect(await Promise.all(answers)).toEqual([number, "proof_foreign", "proof_foreign"]);
  });

  test("L45: is refused by another audience, and by an app of another name with the same password", async () => {
    const others = [{ audience: "newsletter" }, { audience, name: "shop" }, { audience: "doorcode", name: audience }];
    const answers = others.map((other) => codeOf(createProofVerifier({ password, clock, ...other })(proof)));
    expect(await Promise.all(answers)).toEqual(["proof_foreign", "proof_foreign", "proof_foreign"]);
    const ofShop = await createNumberProofs(derivePasswords([password], "number proof"), clock, "shop").seal(
      number,
      unbound,
    );
    expect(await createProofVerifier({ password, audience, name: "shop", clock })(ofShop)).toEqual(number);
  });

  test.each([null, "cart 1", 1, [], { boundTo: null }, { boundTo: 7 }, { bound: "cart 1" }])(
    "a wrong second argument is answered with what to pass: %j",
    async (expected) => {
      await expect(verify(proof, expected as never)).rejects.toThrow(/^verifyProof, second argument: .*boundTo/);
      await expect(verify(proof, expected as never)).rejects.toThrow(TypeError);
    },
  );

  test("L10: shows neither the number nor what it is bound to", async () => {
    const bound = await proofsOf(password).seal(number, { audience, boundTo: "cart 1" });
    const bytes = bound.split("*").map((part) => Buffer.from(part, "base64url").toString("latin1"));
    expect([bound, ...bytes].join("\n")).not.toMatch(/4915123|cart 1|phone/);
  });
});

describe("createProofVerifier", () => {
  test.each([
    [{ audience }, /password is missing/],
    [{ password: "short", audience }, /password is not a text, or too short/],
    [{ password }, /audience: expected up to 32 small letters, digits and _, which say who accepts the proofs/],
    [{ password, audience: "check-out" }, /audience/],
    [{ password, audience, name: "Shop" }, /name: expected up to 32/],
    [{ password, audience, seconds: 1 }, /unknown option seconds/],
    [{ password, audience, clock: {} }, /clock/],
    [{ password, audience, service: "http://localhost:4010/v1" }, /service: expected \{ baseUrl/],
  ])("stops at start with %j", (options, message) => {
    expect(() => createProofVerifier(options as never)).toThrow(message);
  });
});
