import { resolve } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { createServiceDocument } from "../src/openapi/service-document.ts";
import { type Dialect, defaultDialect, dialectChoices } from "../src/state/dialect.ts";
import { defaultSettings } from "../src/state/settings.ts";
import { control } from "./support/control.ts";
import { start } from "./support/start.ts";

const file = resolve(import.meta.dirname, "../openapi.json");

// That each answer and each event is as the document says is checked where tests call the API: by `support/start.ts`, and by the setups of
// `test/specification` and `test/dialects`.
test("the package has the document of the service in the default dialect, as the sandbox serves it", async () => {
  const document = createServiceDocument({ dialect: defaultDialect, settings: defaultSettings });
  await expect(`${JSON.stringify(document, undefined, 2)}\n`).toMatchFileSnapshot(file);
  const { sandbox } = await start({ port: "none" });
  const { body } = await control(sandbox, "GET", "/openapi.json");
  expect(body).toEqual(JSON.parse(JSON.stringify(document)));
});

const choices = Object.entries(dialectChoices);
/** Dialects in which each choice of each row occurs. */
const dialects = Array.from(
  { length: Math.max(...choices.map(([, { length }]) => length)) },
  (_, turn) => Object.fromEntries(choices.map(([row, all]) => [row, all[turn % all.length]])) as unknown as Dialect,
);

test("the document is valid OpenAPI 3.1 with every choice of the dialect", async () => {
  for (const dialect of dialects) {
    const document = JSON.parse(JSON.stringify(createServiceDocument({ dialect, settings: defaultSettings })));
    const { valid, errors } = await new Validator().validate(document);
    expect({ dialect, valid, errors }).toEqual({ dialect, valid: true, errors: undefined });
  }
});

test("the document of an application has its dialect and its limits, and no secret", async () => {
  const { sandbox } = await start({ port: "none" });
  const application = sandbox.createApplication({ dialect: { acceptedStatus: 202 }, settings: { maxRecipients: 7 } });
  const { body } = await control(sandbox, "GET", `/applications/${application.id}/openapi.json`);
  expect(body).toMatchObject({
    paths: { "/verifications": { post: { responses: { 202: {} } } } },
    components: { schemas: { MessageRequest: { properties: { recipients: { maxItems: 7 } } } } },
  });
  const { SERVICE_API_KEY, WEBHOOK_SECRET } = application.env;
  for (const secret of [SERVICE_API_KEY, WEBHOOK_SECRET]) expect(JSON.stringify(body)).not.toContain(secret);
});
