import { createManualClock } from "@doorcode/core/testing";
import { expect, test } from "vitest";
import type { CodeTools, LoginCode } from "../../src/codes/code-strategy.ts";
import { providerCodes } from "../../src/codes/provider-codes.ts";
import { serviceCodes } from "../../src/codes/service-codes.ts";
import { CallbackMistake } from "../../src/util/call-app.ts";

const tools = { clock: createManualClock(), countries: "any", service: {} } as unknown as CodeTools;
const login = { phone: "+4915123456789", verificationId: "id" } as Partial<LoginCode> as LoginCode;

function checkWith(answer: unknown) {
  return providerCodes({ send: () => ({ id: "id" }), check: () => answer as boolean })(tools).check("123456", login);
}

test.each([
  [true, "right"],
  [false, "wrong"],
  ["expired", "expired"],
])("the answer %j of a provider says that a code is %s", async (answer, result) => {
  expect(await checkWith(answer)).toBe(result);
});

test.each([1, "true", "right", {}, [], null, undefined, 0, ""])(
  "the answer %j of a provider is a mistake, and no code is right",
  async (answer) => {
    await expect(checkWith(answer)).rejects.toBeInstanceOf(CallbackMistake);
  },
);

test.each([
  ["the service", serviceCodes({ template: "login" })],
  ["a provider", providerCodes({ send: () => ({ id: "id" }), check: () => true })],
])("a login without an id of %s has ended, and nobody is asked for its code", async (_owner, codes) => {
  expect(await codes(tools).check("123456", { ...login, verificationId: undefined })).toBe("ended");
});
