import { resolve } from "node:path";
import { phoneLogin } from "@doorcode/fetch";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { createLoginDocument } from "../../packages/core/src/openapi/login-document.ts";
import { everywhere, loginOperations } from "../../packages/core/src/openapi/login-operations.ts";
import { errorCodes } from "../../packages/core/src/util/errors.ts";
import { createKit } from "./adapter-setup.ts";

const file = resolve(import.meta.dirname, "../../packages/core/openapi.json");

// That each answer is as the document says is checked by the browsers and phones of the tests.
test("the package has the document of its endpoints, which is valid OpenAPI 3.1", async () => {
  const document = createLoginDocument();
  await expect(`${JSON.stringify(document, undefined, 2)}\n`).toMatchFileSnapshot(file);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect([valid, errors]).toEqual([true, undefined]);
});

/**
 * The codes that no endpoint of a login answers with: of other paths and methods, of proofs, which the app reads, of webhooks, and of the
 * service to its client alone.
 */
const elsewhere = [
  "not_found",
  "method_not_allowed",
  "proof_invalid",
  "proof_foreign",
  "proof_expired",
  "signature_invalid",
  "handler_failed",
  "handler_unfinished",
  "verify.invalid_code",
  "verify.expired",
  "verify.max_attempts_reached",
];

test("every code of an error is described, unless no login answers with it", () => {
  const described = new Set([...everywhere, ...loginOperations.flatMap(({ refusals }) => refusals)]);
  expect(errorCodes.filter((code) => !described.has(code))).toEqual(elsewhere);
});

test("a mount describes itself only if it is asked to", async () => {
  const { doorcode } = await createKit();
  const login = phoneLogin(doorcode, { basePath: "/login" });
  const request = new Request("http://localhost/login/openapi.json");
  expect(await login(request, { remoteAddress: undefined })).toBeUndefined();
});
