import { dialectChoices } from "@doorcode/sandbox";
import { describe, expect, test } from "vitest";
import { defaults } from "./dialects.ts";
import { messageBody, setUpRawApi, verificationBody } from "./raw-api-setup.ts";

/** These tests call the sandbox without the kit, and compare its answers with each row. */

describe("a dialect", () => {
  test("has the first choice of every row by default", async () => {
    const { sandbox, application } = await setUpRawApi({});
    const shown = await fetch(`${sandbox.url}/_sandbox/applications/${application.id}/application`);
    const firsts = Object.entries(dialectChoices).map(([row, [first]]) => [row, first]);

    expect(await shown.json()).toMatchObject({ dialect: defaults });
    expect(defaults).toEqual(Object.fromEntries(firsts));
  });

  test("belongs to one application, and changes row by row at run time", async () => {
    const { sandbox, application, call } = await setUpRawApi({ acceptedStatus: 202 });
    const other = sandbox.createApplication({ dialect: { verificationId: "id" } });
    application.configure({ dialect: { verificationId: "data.verification_id" } });
    const own = await call("POST", "/verifications", verificationBody());
    const others = await call("POST", "/verifications", verificationBody(), other.env.SERVICE_API_KEY);

    expect([own.status, own.json]).toEqual([202, expect.objectContaining({ data: expect.anything() })]);
    expect([others.status, others.json]).toEqual([200, expect.objectContaining({ id: expect.any(String) })]);
  });
});

describe("verificationId", () => {
  test.each([
    ["verification_id", (id: string) => ({ verification_id: id })],
    ["data.verification_id", (id: string) => ({ data: { verification_id: id } })],
    ["verification.id", (id: string) => ({ verification: { id } })],
    ["id", (id: string) => ({ id })],
  ] as const)("%s contains the id", async (verificationId, place) => {
    const { application, call } = await setUpRawApi({ verificationId });
    const { json } = await call("POST", "/verifications", verificationBody());
    const [started] = application.verifications.list();

    expect(started?.id).not.toBe(started?.requestId);
    const rest = { request_id: started?.requestId, error_code: "", error_message: "" };
    expect(json).toEqual({ ...place(started?.id ?? ""), ...rest });
  });

  test("request_id is the only id: in the answer, in events and in the path", async () => {
    const { application, call, payloads, confirm } = await setUpRawApi({ verificationId: "request_id" });
    const { json } = await call("POST", "/verifications", verificationBody());
    const [started] = application.verifications.list();
    const id = started?.requestId ?? "";
    await application.clock.advance("1s");
    const { status } = await confirm(id, started?.code ?? "");
    await application.deliveries.settled();

    expect(json).toEqual({ request_id: id, error_code: "", error_message: "" });
    expect([id, status]).toEqual([started?.id, 200]);
    const ids = payloads.map(({ data: { verification_id, request_id } }) => [verification_id, request_id]);
    expect(ids).toEqual([1, 2, 3].map(() => [id, id]));
  });
});

test.each(dialectChoices.acceptedStatus)(
  "acceptedStatus %d applies to the creation of a verification only",
  async (status) => {
    const { call, verify, confirm } = await setUpRawApi({ acceptedStatus: status });
    expect((await call("POST", "/verifications", verificationBody())).status).toBe(status);
    expect((await call("POST", "/messages", messageBody())).status).toBe(200);
    const { id, code } = await verify();
    expect((await confirm(id, code)).status).toBe(200);
  },
);

describe("confirmationRefusal", () => {
  const wrong = { success: false, message: "The code is incorrect.", error_code: "verify.invalid_code" };
  const expired = {
    success: false,
    message: "The code has expired or was already used.",
    error_code: "verify.expired",
  };
  const exhausted = {
    success: false,
    message: "There were too many attempts.",
    error_code: "verify.max_attempts_reached",
  };
  const reasons = [wrong, expired, exhausted];
  const untold = reasons.map(({ message }) => ({ success: "true", message }));

  test.each([
    ["status_400", 400, reasons],
    ["false", 200, reasons],
    ["text_true", 200, untold],
    ["empty", 200, [undefined, undefined, undefined]],
  ] as const)("%s: for a wrong, an expired and an exhausted code", async (confirmationRefusal, status, bodies) => {
    const { verify, confirm, application } = await setUpRawApi({ confirmationRefusal }, { maxConfirmationAttempts: 1 });
    const first = await verify();
    const approved = await confirm(first.id, first.code);
    const second = await verify();
    const wrongly = await confirm(second.id, second.wrongCode);
    const beyond = await confirm(second.id, second.code);
    const third = await verify();
    await application.clock.advance("10m");
    const answers = [wrongly, await confirm(third.id, third.code), beyond];

    expect([approved.status, approved.json]).toEqual([200, { success: true, message: "Verified." }]);
    expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
    expect(answers.map(({ json }) => json)).toEqual(bodies);
    if (confirmationRefusal === "empty") expect(answers.map(({ text }) => text)).toEqual(["", "", ""]);
    expect((await confirm(first.id, first.code)).json).toEqual(bodies[1]);
  });
});

describe("errorCode", () => {
  test.each([
    ["error_code", { error_code: "verify.invalid_code" }],
    ["code", { code: "verify.invalid_code" }],
    ["error.code", { error: { code: "verify.invalid_code" } }],
    ["errors[0].code", { errors: [{ code: "verify.invalid_code" }] }],
    ["message", { message: "verify.invalid_code The code is incorrect." }],
  ] as const)("%s, with any status", async (errorCode, place) => {
    for (const confirmationRefusal of ["status_400", "false"] as const) {
      const { verify, confirm } = await setUpRawApi({ errorCode, confirmationRefusal });
      const { id, wrongCode } = await verify();
      const { json } = await confirm(id, wrongCode);
      expect(json).toEqual({ success: false, message: "The code is incorrect.", ...place });
    }
  });
});

describe.each([
  ["401_422", [401, 401, 422, 422, 422, 404]],
  ["403_400", [403, 403, 400, 400, 400, 404]],
] as const)("refusalStatus %s", (refusalStatus, statuses) => {
  const keyRefusal = { error_code: "auth.invalid_api_key", error_message: expect.any(String) };
  const invalid = (field: string) => ({ error_code: "request.invalid", error_message: expect.any(String), field });
  const records = [
    keyRefusal,
    keyRefusal,
    invalid("recipients"),
    invalid("recipient"),
    { ...invalid("template.name"), error_code: "template.not_registered" },
    { error_code: "verification.not_found", error_message: expect.any(String) },
  ];

  test.each(dialectChoices.refusalBody)(
    "with refusalBody %s: for an invalid key, invalid input and an unknown id",
    async (refusalBody) => {
      const { sandbox, call, verify, confirm } = await setUpRawApi({ refusalStatus, refusalBody });
      // An invalid key belongs to no application: the default one answers, in its dialect.
      sandbox.configure({ dialect: { refusalStatus, refusalBody } });
      const refusals = [
        await call("GET", "/messages", undefined, "invalid-key"),
        await call("POST", "/verifications", verificationBody(), ""),
        await call("POST", "/messages", { ...messageBody(), recipients: [] }),
        await call("POST", "/verifications", verificationBody({ recipient: "0151" })),
        await call("POST", "/verifications", verificationBody({ template: { name: "none" } })),
        await confirm("unknown-id", "123456"),
      ];

      expect(refusals.map(({ status }) => status)).toEqual(statuses);
      const bodies = { json: "application/json", empty: null, html: "text/html" };
      expect(refusals.map(({ type }) => type)).toEqual(refusals.map(() => bodies[refusalBody]));
      if (refusalBody === "json") expect(refusals.map(({ json }) => json)).toEqual(records);
      if (refusalBody === "empty") expect(refusals.map(({ text }) => text)).toEqual(refusals.map(() => ""));
      if (refusalBody === "html") for (const { text } of refusals) expect(text).toMatch(/^<!doctype html>/);

      const { id, wrongCode } = await verify();
      expect((await confirm(id, wrongCode)).json).toMatchObject({ error_code: "verify.invalid_code" });
    },
  );
});
