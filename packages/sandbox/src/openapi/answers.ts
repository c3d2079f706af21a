import { Refusal, type RefusalCode } from "../primitives/errors.ts";
import { type Dialect, defaultDialect } from "../state/dialect.ts";
import type { ConfirmationOutcome } from "../state/verification.ts";
import { confirmationAnswer, confirmationCodes, wireRefusal } from "../wire/answers.ts";
import { type AnswerName, type OpenApiObject, type RequestName, refTo } from "./service-shapes.ts";

/** One form of an answer. Several forms may have one status. */
interface AnswerForm {
  readonly status: number;
  readonly description: string;
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

/** One endpoint of the API, as its description has it. */
export interface ServiceOperation {
  readonly path: string;
  readonly method: "get" | "post";
  readonly operationId: string;
  readonly summary: string;
  readonly request?: RequestName;
  /** The shape of its answer when it has done what it was asked for. */
  readonly answer: AnswerName;
  /** The codes of its refusals, beside those of every endpoint. */
  readonly refusals: readonly RefusalCode[];
}

/** The refusals of every endpoint, in the dialect of the application. */
const everywhere: readonly RefusalCode[] = ["auth.invalid_api_key", "request.rate_limited", "internal"];

/** The refusals before an application is known. They are the same in every dialect. */
const beforeTheApi: readonly RefusalCode[] = ["request.foreign_host", "request.foreign_origin", "sandbox.closed"];

const ofBodies: readonly RefusalCode[] = [
  "request.malformed",
  "request.too_large",
  "request.unsupported_media_type",
  "request.invalid",
];

/** The path of a confirmation. */
export const confirmationPath = "/verifications/confirmation/{verification_id}";

/** The endpoints of the API. @see "Endpoints" of the specification */
export const serviceOperations: readonly ServiceOperation[] = [
  {
    path: "/messages",
    method: "post",
    operationId: "sendMessages",
    summary: "Sends a text to each recipient over each channel. The delivery is reported by webhooks.",
    request: "MessageRequest",
    answer: "AcceptedMessages",
    refusals: [...ofBodies, "message.sender_not_registered"],
  },
  {
    path: "/messages",
    method: "get",
    operationId: "listMessages",
    summary: "Lists the messages of the application with their status, the newest first.",
    answer: "MessageList",
    refusals: [],
  },
  {
    path: "/verifications",
    method: "post",
    operationId: "startVerification",
    summary: "Sends a one-time code over the channel with priority 1, and over the next one if it does not arrive.",
    request: "VerificationRequest",
    answer: "AcceptedVerification",
    refusals: [...ofBodies, "template.not_registered"],
  },
  {
    path: confirmationPath,
    method: "post",
    operationId: "confirmVerification",
    summary: "Checks a code. A verification with `custom_otp` is checked by its caller, and refused here.",
    request: "ConfirmationRequest",
    answer: "Confirmed",
    refusals: [...ofBodies, "verification.not_found"],
  },
];
