import { createDoorcode, providerCodes } from "@doorcode/core";
import { expect, test } from "vitest";

test("codes of another provider need no service", () => {
  const codes = providerCodes({ send: () => ({ id: "1" }), check: () => true });
  const session = { password: "p".repeat(32) };
  expect(() => createDoorcode({ session, login: { countries: ["DE"], codes, onLogin: () => "1" } })).not.toThrow();
});
