import { Refusal, type RefusalCode } from "../primitives/refusal.ts";
import { type Dialect, defaultDialect } from "../state/dialect.ts";
import type { ConfirmationOutcome } from "../state/verification.ts";
import { confirmationAnswer, confirmationCodes } from "../wire/answers.ts";
import { wireRefusal } from "../wire/refusals.ts";
import { type OpenApiObject, refTo } from "./openapi-object.ts";
import { beforeTheApi, confirmationPath, everywhere, type ServiceOperation } from "./service-operations.ts";

/** One form of an answer. Several forms may have one status. */
interface AnswerForm {
  readonly status: number;
  readonly description: string;
  /** Undefined for an empty body. */
  readonly contentType: string | undefined;
  readonly schema: OpenApiObject;
}

/** Describes every answer of an endpoint by its status, with the statuses and bodies that `wire` gives them in a dialect. */
export function describeResponses(operation: ServiceOperation, dialect: Dialect): OpenApiObject {
  const forms = [
    acceptance(operation, dialect),
    ...(operation.path === confirmationPath ? refusedConfirmations(dialect) : []),
    ...refusals([...everywhere, ...operation.refusals.filter((code) => occursIn(dialect, code))], dialect),
    ...refusals(beforeTheApi, defaultDialect),
  ];
  const byStatus = Object.groupBy(forms, ({ status }) => status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, ofStatus = []]) => [status, responseOf(status, ofStatus)]),
  );
}

function acceptance({ path, method, answer }: ServiceOperation, { acceptedStatus }: Dialect): AnswerForm {
  const status = method === "post" && path === "/verifications" ? acceptedStatus : 200;
  return { status, description: "Done.", contentType: "application/json", schema: refTo(answer) };
}

const refusedOutcomes: readonly ConfirmationOutcome[] = ["wrong", "expired", "exhausted", "custom_otp"];

function refusedConfirmations(dialect: Dialect): readonly AnswerForm[] {
  const answers = refusedOutcomes.map((outcome) => confirmationAnswer({ dialect }, outcome));
  const statuses = new Map(answers.map(({ status, body }) => [status, body]));
  return [...statuses].map(([status, body]) => ({
    status,
    description: confirmationCodes.join(", "),
    contentType: body === undefined ? undefined : "application/json",
    schema: refTo("RefusedConfirmation"),
  }));
}

function occursIn({ unregisteredSender }: Dialect, code: RefusalCode): boolean {
  return code !== "message.sender_not_registered" || unregisteredSender === "refused";
}

function refusals(codes: readonly RefusalCode[], dialect: Dialect): readonly AnswerForm[] {
  const refused = codes.map((code) => ({ code, ...wireRefusal(dialect, new Refusal(code, "")) }));
  return [...new Set(refused.map(({ status }) => status))].map((status) => {
    const ofStatus = refused.filter((refusal) => refusal.status === status);
    const ofCodes = ofStatus.map(({ code }) => code);
    const contentType = ofStatus[0]?.contentType;
    const schema = contentType === "application/json" ? refusalWith(ofCodes) : { type: "string" };
    return { status, description: ofCodes.join(", "), contentType, schema };
  });
}

function refusalWith(codes: readonly RefusalCode[]): OpenApiObject {
  return { allOf: [refTo("Refusal"), { type: "object", properties: { error_code: { enum: codes } } }] };
}

function responseOf(status: string, forms: readonly AnswerForm[]): OpenApiObject {
  const withBody = forms.filter(({ contentType }) => contentType !== undefined);
  const byType = Object.groupBy(withBody, ({ contentType = "" }) => contentType);
  const contents = Object.entries(byType).map(([type, ofType = []]) => [
    type,
    { schema: anyOf(ofType.map(({ schema }) => schema)) },
  ]);
  const mayBeEmpty = forms.length > withBody.length ? " Without a body." : "";
  return {
    description: `${forms.map(({ description }) => description).join("; ")}${mayBeEmpty}`,
    ...(status === "429" && { headers: { "Retry-After": { schema: { type: "string" } } } }),
    ...(contents.length > 0 && { content: Object.fromEntries(contents) }),
  };
}

function anyOf(schemas: readonly OpenApiObject[]): OpenApiObject {
  const [only] = schemas;
  return only && schemas.length === 1 ? only : { anyOf: schemas };
}
