import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setUpDialect } from "./dialect-setup.ts";
import { dialectCases } from "./dialects.ts";
import { expectedAnswers, serviceAttempts } from "./expected-answers.ts";
import { invalidPhone, messageTo, plainPhone, verification } from "./requests.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, clock: "frozen" });
});
afterAll(() => sandbox.close());

describe.each(dialectCases)("the client of the service with $name, on $on", ({ dialect, host }) => {
  const expected = expectedAnswers(dialect, "service");

  test("reports a wrong, a used and an exhausted code, and an unknown id", async () => {
    const { doorcode, application } = await setUpDialect(sandbox, host, dialect);
    const { verifications } = doorcode;
    const create = async () => {
      const { verificationId = "" } = await verifications.create(verification);
      const { code: otp_code = "" } = await application.inbox.wait({ to: plainPhone });
      return { verificationId, right: { otp_code }, wrong: { otp_code: otp_code === "000000" ? "000001" : "000000" } };
    };
    const used = await create();
    await expect(verifications.confirm(used.verificationId, used.wrong)).rejects.toMatchObject({
      code: expected.wrong,
    });
    await expect(verifications.confirm(used.verificationId, used.right)).resolves.toMatchObject({ success: true });
    await expect(verifications.confirm(used.verificationId, used.right)).rejects.toMatchObject({
      code: expected.usedUp,
    });

    const tried = await create();
    for (let attempt = 1; attempt <= serviceAttempts; attempt++) {
      await expect(verifications.confirm(tried.verificationId, tried.wrong)).rejects.toMatchObject({
        code: expected.wrong,
      });
    }
    const beyond = verifications.confirm(tried.verificationId, tried.right);
    await expect(beyond).rejects.toMatchObject({ code: expected.exhausted });

    const unknown = verifications.confirm("unknown-id", used.right);
    await expect(unknown).rejects.toMatchObject({ code: "service_not_found", outcome: "refused" });
  });

  test("reports an invalid API key and invalid input, even by status alone", async () => {
    const { doorcode, stranger, application } = await setUpDialect(sandbox, host, dialect);
    // An invalid key belongs to no application: the default one answers, in its dialect.
    sandbox.configure({ dialect });
    const unauthorized = { code: "service_unauthorized", outcome: "refused" };
    await expect(stranger.messages.list()).rejects.toMatchObject(unauthorized);
    await expect(stranger.messages.send(messageTo([plainPhone]))).rejects.toMatchObject(unauthorized);
    await expect(stranger.verifications.create(verification)).rejects.toMatchObject(unauthorized);

    const invalid = { code: "service_invalid_request", outcome: "refused" };
    const template = { name: "not registered" };
    await expect(doorcode.verifications.create({ ...verification, template })).rejects.toMatchObject(invalid);
    await expect(doorcode.messages.send(messageTo([invalidPhone]))).rejects.toMatchObject(invalid);
    expect(application.inbox.list()).toEqual([]);
  });

  test("sends over other channels, and codes of the app without a template, where the dialect allows it", async () => {
    const { doorcode, application } = await setUpDialect(sandbox, host, dialect);
    const carrierPigeon = { ...verification, channels: [{ channel_name: "CARRIER_PIGEON", priority: 1 }] };
    const { template: _, ...bare } = { ...verification, custom_otp: "007007" };
    const takes = async (request: typeof carrierPigeon | typeof bare) =>
      doorcode.verifications.create(request).then(
        ({ verificationId }) => verificationId !== undefined,
        ({ code }) => code,
      );

    const [anyChannel, noTemplate] = [dialect.channelNames === "any", dialect.customOtpTemplate === "optional"];
    expect(await takes(carrierPigeon)).toBe(anyChannel || "service_invalid_request");
    expect(await takes(bare)).toBe(noTemplate || "service_invalid_request");
    expect(application.inbox.list()).toHaveLength(Number(anyChannel) + Number(noTemplate));
  });
});
