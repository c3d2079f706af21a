import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, test } from "vitest";
import { createNumberProofs } from "../../src/login/number-proof.ts";
import { createProofVerifier } from "../../src/login/proof-verifier.ts";
import { deriveProofKeys, deriveSessionPasswords } from "../../src/util/keys.ts";

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
  createNumberProofs(deriveProofKeys(passwords), clock, "doorcode");
const audience = "checkout";
const unbound = { audience, boundTo: undefined };
const proof = proofsOf(password).seal(number, unbound);
const verify = createProofVerifier({ password, audience, clock });

function codeOf(open: () => unknown): unknown {
  try {
    return open();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

describe("a proof of a number", () => {
  test("says which number was proven, when, until when and by which login", () => {
    expect(verify(proof)).toEqual(number);
  });

  test("L45: is opened by each password of a rotation, and by no other one", () => {
    const open = (...passwords: [string, ...string[]]) =>
      codeOf(() => createProofVerifier({ password: passwords, audience, clock })(proof));
    expect(open(otherPassword, password)).toEqual(number);
    expect(open(otherPassword)).toBe("proof_invalid");
  });

  test("L45: is opened by no key of another use of the same password", () => {
    const [sessionPassword = ""] = deriveSessionPasswords([password]);
    expect(codeOf(() => createProofVerifier({ password: sessionPassword, audience, clock })(proof))).toBe(
      "proof_invalid",
    );
  });

  test("L45: is refused with any byte changed, cut off or added", () => {
    const characters = [...proof];
    const swapped = characters.map((character, index) =>
      [...characters.slice(0, index), character === "A" ? "B" : "A", ...characters.slice(index + 1)].join(""),
    );
    const cut = characters.map((_, index) => proof.slice(0, index));
    const added = [`${proof}A`, `${proof}AAAA`, `${proof}=`, ` ${proof}`, `${proof}\n`, proof.replace("p1.", "P1.")];
    const answers = [...swapped, ...cut, ...added].map((text) => codeOf(() => verify(text)));
    expect(new Set(answers)).toEqual(new Set(["proof_invalid"]));
  });

  test.each(["1", "12", "123"])(
    "L45: has one spelling, whatever bits its last character leaves unused (%j)",
    (loginId) => {
      const text = proofsOf(password).seal({ ...number, loginId }, unbound);
      const alphabet = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];
      const spellings = alphabet.map((last) => text.slice(0, -1) + last);
      expect(spellings.filter((spelling) => codeOf(() => verify(spelling)) !== "proof_invalid")).toEqual([text]);
    },
  );

  test.each([undefined, null, 42, "", "p1.", "p2.AAAA", {}, [proof], `p1.${"A".repeat(100_000)}`, new Date(0)])(
    "L45: refuses %j",
    (text) => {
      expect(codeOf(() => verify(text))).toBe("proof_invalid");
    },
  );

  test("L45: what the same key has sealed and is no proof is refused", () => {
    const forged = proofsOf(password).seal({ phone: "+49" } as never, unbound);
    expect(codeOf(() => verify(forged))).toBe("proof_invalid");
  });

  test("L45: is right one millisecond before its end, and expired from then on", () => {
    const at = (milliseconds: number) => {
      const later = createManualClock(number.verifiedAt + milliseconds);
      return codeOf(() => createProofVerifier({ password, audience, clock: later })(proof));
    };
    expect([at(599_999), at(600_000), at(86_400_000)]).toEqual([number, "proof_expired", "proof_expired"]);
  });

  test("L45: one that is bound to something is refused for anything else, and for nothing", () => {
    const bound = proofsOf(password).seal(number, { audience, boundTo: "cart 1" });
    const answers = ["cart 1", "cart 2", "", undefined].map((boundTo) => codeOf(() => verify(bound, { boundTo })));
    expect(answers).toEqual([number, "proof_foreign", "proof_foreign", "proof_foreign"]);
    expect(codeOf(() => verify(proof, { boundTo: "cart 1" }))).toBe("proof_foreign");
  });

  test("L45: is refused by another audience, and by an app of another name with the same password", () => {
    const others = [{ audience: "newsletter" }, { audience, name: "shop" }, { audience: "doorcode", name: audience }];
    const answers = others.map((other) => codeOf(() => createProofVerifier({ password, clock, ...other })(proof)));
    expect(answers).toEqual(["proof_foreign", "proof_foreign", "proof_foreign"]);
    const ofShop = createNumberProofs(deriveProofKeys([password]), clock, "shop").seal(number, unbound);
    expect(createProofVerifier({ password, audience, name: "shop", clock })(ofShop)).toEqual(number);
  });

  test.each([null, "cart 1", 1, [], { boundTo: null }, { boundTo: 7 }, { bound: "cart 1" }])(
    "a wrong second argument is answered with what to pass: %j",
    (expected) => {
      expect(() => verify(proof, expected as never)).toThrow(/^verifyProof, second argument: .*boundTo/);
      expect(() => verify(proof, expected as never)).toThrow(TypeError);
    },
  );

  test("L10: shows neither the number nor what it is bound to", () => {
    const bound = proofsOf(password).seal(number, { audience, boundTo: "cart 1" });
    const bytes = Buffer.from(bound.slice(3), "base64url").toString("latin1");
    expect(bytes).not.toMatch(/4915|cart|phone/);
  });

  test("two proofs of one login are two texts, which name the same login", () => {
    const again = proofsOf(password).seal(number, unbound);
    expect(again).not.toBe(proof);
    expect(verify(again).loginId).toBe(verify(proof).loginId);
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
