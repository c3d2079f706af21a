import { z } from "zod";
import { Refusal, type RefusalCode } from "../primitives/errors.ts";
import type { EventName } from "../state/application.ts";
import { type Dialect, defaultDialect } from "../state/dialect.ts";
import { confirmationAnswer, confirmationCodes, wireRefusal } from "../wire/answers.ts";
import type { WireConfiguration } from "../wire/requests.ts";
import {
  answerBodies,
  eventBodies,
  jsonBody,
  type NamedShapes,
  type OpenApiObject,
  refTo,
  requestBodies,
} from "./service-shapes.ts";

/**
 * Creates the OpenAPI 3.1 document of the service, as it speaks to one application: in its dialect, and with the limits of its settings.
 * The bodies of requests are described by the shapes that parse them. It contains no secret.
 *
 * @see "Endpoints" of the specification
 */
export function createServiceDocument(application: WireConfiguration): OpenApiObject {
  const sent = { ...answerBodies(application.dialect), ...eventBodies(application.dialect) };
  return {
    openapi: "3.1.1",
    info: {
      title: "Messaging and verification service",
      version: "1.0.0",
      description:
        "The API and the webhooks of the service, as the sandbox has them. Where the service's specification leaves a detail open, this is " +
        "the dialect of the application, and a fault may answer anything else.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/v1", description: "The variable SERVICE_URL of an app has the whole address." }],
    security: [{ apiKey: [] }],
    paths: describePaths(application),
    webhooks: describeEvents(),
    components: {
      schemas: { ...toSchemas(requestBodies(application), "input"), ...toSchemas(sent, "output") },
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-KEY", description: "The key names the application." },
      },
    },
  };
}

/** The endpoints of the API. @see "Endpoints" of the specification */
function describePaths({ dialect }: WireConfiguration): OpenApiObject {
  const endpoint = (operation: ServiceOperation) => describeOperation(operation, dialect);
  return {
    "/messages": {
      post: endpoint({
        operationId: "sendMessages",
        summary: "Sends a text to each recipient over each channel. The delivery is reported by webhooks.",
        request: "MessageRequest",
        answer: "AcceptedMessages",
        refusals: dialect.unregisteredSender === "refused" ? [...ofBodies, "message.sender_not_registered"] : ofBodies,
      }),
      get: endpoint({
        operationId: "listMessages",
        summary: "Lists the messages of the application with their status, the newest first.",
        answer: "MessageList",
        refusals: [],
      }),
    },
    "/verifications": {
      post: endpoint({
        operationId: "startVerification",
        summary: "Sends a one-time code over the channel with priority 1, and over the next one if it does not arrive.",
        request: "VerificationRequest",
        answer: "AcceptedVerification",
        status: dialect.acceptedStatus,
        refusals: [...ofBodies, "template.not_registered"],
      }),
    },
    "/verifications/confirmation/{verification_id}": {
      post: endpoint({
        operationId: "confirmVerification",
        summary: "Checks a code. A verification with `custom_otp` is checked by its caller, and refused here.",
        parameters: [{ name: "verification_id", in: "path", required: true, schema: { type: "string" } }],
        request: "ConfirmationRequest",
        answer: "Confirmed",
        otherForms: [refusedConfirmation(dialect)],
        refusals: [...ofBodies, "verification.not_found"],
      }),
    },
  };
}

interface ServiceOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly OpenApiObject[];
  /** The name of the shape of its body. */
  readonly request?: string;
  /** The name of the shape of the answer after a success. */
  readonly answer: string;
  /** The status of the answer after a success. Default 200. */
  readonly status?: number;
  /** Further answers, which are not in `refusals`. */
  readonly otherForms?: readonly AnswerForm[];
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

function describeOperation(operation: ServiceOperation, dialect: Dialect): OpenApiObject {
  const { operationId, summary, parameters, request } = operation;
  return {
    operationId,
    summary,
    ...(parameters && { parameters }),
    ...(request && { requestBody: jsonBody(request) }),
    responses: describeResponses(operation, dialect),
  };
}

function toSchemas(shapes: NamedShapes, io: "input" | "output"): OpenApiObject {
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, toSchema(shape, io)]));
}

/** Later versions may send more members, so none is forbidden. */
function toSchema(shape: z.ZodType, io: "input" | "output"): OpenApiObject {
  const { $schema, ...schema } = z.toJSONSchema(shape, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return schema;
}

/** Describes the webhooks. @see "Events" and "Webhook authenticity" of the specification */
function describeEvents(): Readonly<Record<EventName, OpenApiObject>> {
  const messages = "The status of a message has changed. Order the events of a message by `data.status_updated_at`.";
  const verifications =
    "The status of a verification, or of a text with its code, has changed. Order the events of a verification by `data.updated_at`.";
  return {
    "message.status.update": describeEvent("messageStatusUpdate", messages, "MessageStatusUpdate"),
    "verification.update": describeEvent("verificationUpdate", verifications, "VerificationUpdate"),
  };
}

function describeEvent(operationId: string, summary: string, shape: string): OpenApiObject {
  const post = {
    operationId,
    summary,
    security: [],
    parameters: signatureHeaders,
    requestBody: jsonBody(shape),
    responses: eventResponses,
  };
  return { post };
}

const signatureHeaders: readonly OpenApiObject[] = [
  {
    name: "X-Webhook-Timestamp",
    in: "header",
    required: true,
    description: "Unix seconds of this attempt. Refuse one that is more than 300 seconds off.",
    schema: { type: "string", pattern: "^[0-9]+$" },
  },
  {
    name: "X-Webhook-Signature",
    in: "header",
    required: true,
    description:
      "Signatures, with commas between them. `v1=` is the HMAC-SHA256 of `{timestamp}.{raw body}`, in lowercase hexadecimal.",
    schema: { type: "string" },
  },
];

const eventResponses: OpenApiObject = {
  "2XX": { description: "Acknowledged. It must come within five seconds." },
  401: { description: "The signature or the timestamp is wrong." },
  default: { description: "A failure. The event is sent again: after 30 seconds, 2 minutes, 10 minutes and 1 hour." },
};

/** One form of an answer. Several forms may have one status. */
interface AnswerForm {
  readonly status: number;
  readonly description: string;
  readonly contentType: string | undefined;
  readonly schema: OpenApiObject;
}

/** Describes every answer of an endpoint by its status, with the statuses and bodies that `wire` gives them in a dialect. */
function describeResponses(operation: ServiceOperation, dialect: Dialect): OpenApiObject {
  const { answer, status = 200, otherForms = [] } = operation;
  const forms = [
    { status, description: "Done.", contentType: "application/json", schema: refTo(answer) },
    ...otherForms,
    ...refusals([...everywhere, ...operation.refusals], dialect),
    ...refusals(beforeTheApi, defaultDialect),
  ];
  const byStatus = Object.groupBy(forms, (form) => form.status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, ofStatus = []]) => [status, responseOf(status, ofStatus)]),
  );
}

/** Every refused confirmation has the same status, and a body or none: both depend on the dialect alone. */
function refusedConfirmation(dialect: Dialect): AnswerForm {
  const { status, body } = confirmationAnswer({ dialect }, "wrong");
  return {
    status,
    description: confirmationCodes.join(", "),
    contentType: body === undefined ? undefined : "application/json",
    schema: refTo("RefusedConfirmation"),
  };
}

function refusals(codes: readonly RefusalCode[], dialect: Dialect): readonly AnswerForm[] {
  const refused = codes.map((code) => ({ code, ...wireRefusal(dialect, new Refusal(code, "")) }));
  return [...Map.groupBy(refused, ({ status }) => status)].map(([status, ofStatus]) => {
    const ofCodes = ofStatus.map(({ code }) => code);
    const contentType = ofStatus[0]?.contentType;
    const refusal = { allOf: [refTo("Refusal"), { type: "object", properties: { error_code: { enum: ofCodes } } }] };
    const schema = contentType === "application/json" ? refusal : { type: "string" };
    return { status, description: ofCodes.join(", "), contentType, schema };
  });
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
