import { createDoorcode, DoorcodeError, type Purpose, serviceCodes } from "@doorcode/core";
import { mountLogin } from "@doorcode/core/adapter";
import { phoneLogin } from "@doorcode/fetch";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { errorCodes } from "../../packages/core/src/util/errors.ts";
import { loginDocument } from "../support/login-document.ts";
import { createKit, password } from "./adapter-setup.ts";

// That each answer is as the document says is checked by the browsers and phones of the tests.
test("the package has the document of its endpoints, which is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(loginDocument));
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

/** The codes of all refusals in the document, each with the status that it is described with. */
const described = Object.values(loginDocument.paths)
  .flatMap((operations) => Object.values(operations))
  .flatMap(({ responses }) => Object.entries(responses))
  .flatMap(([status, { content }]) => {
    const parts = content?.["application/problem+json"]?.schema.allOf ?? [];
    const codes = parts.flatMap(({ properties }) => properties?.code?.enum ?? []);
    return codes.map((code) => ({ code, status: Number(status) }));
  });

test("every code of an error is described with its status, unless no login answers with it", () => {
  const codes = new Set(described.map(({ code }) => code));
  expect(errorCodes.filter((code) => !codes.has(code))).toEqual(elsewhere);
  const statuses = new Map<string, number>(errorCodes.map((code) => [code, new DoorcodeError(code).status]));
  expect(described.filter(({ code, status }) => statuses.get(code) !== status)).toEqual([]);
});

/** The purposes, with a kit that has all that each of them needs. */
function mountOf(purpose: Purpose) {
  const doorcode = createDoorcode({
    name: "described",
    service: { baseUrl: "http://localhost:4010", apiKey: "key_of_the_tests" },
    session: { password },
    login: {
      countries: ["DE"],
      codes: serviceCodes({ template: "login" }),
      onLogin: () => "user_1",
      onLink: () => "user_1",
      onRemove: () => "removed",
      phoneOf: () => undefined,
    },
  });
  return mountLogin(doorcode, {
    purpose,
    openapi: true,
    ...(purpose === "verify" && { proof: { audience: "checkout" } }),
  });
}

test.each<Purpose>(["login", "link", "step_up", "verify"])(
  "a mount for %s describes its own endpoints, and no others",
  async (purpose) => {
    const mount = mountOf(purpose);
    const request = { method: "GET", path: "/openapi.json", query: "", headers: { host: "localhost" } };
    const answer = await mount.handle({ ...request, remoteAddress: "127.0.0.1" } as never, undefined);
    const { paths } = JSON.parse(answer?.body ?? "");
    expect([...Object.keys(paths), "/openapi.json"].toSorted()).toEqual([...mount.paths].toSorted());
  },
);

test("a mount describes itself only if it is asked to", async () => {
  const { doorcode } = await createKit();
  const login = phoneLogin(doorcode, { basePath: "/login" });
  const request = new Request("http://localhost/login/openapi.json");
  expect(await login(request, { remoteAddress: undefined })).toBeUndefined();
});
