import { z } from "zod";
import type { EventName } from "../state/application.ts";
import type { Dialect } from "../state/dialect.ts";
import type { WireConfiguration } from "../wire/requests.ts";
import { confirmationPath, describeResponses, type ServiceOperation, serviceOperations } from "./answers.ts";
import {
  answerBodies,
  type EventShapeName,
  eventBodies,
  jsonBody,
  type OpenApiObject,
  requestBodies,
} from "./service-shapes.ts";

/**
 * Creates the OpenAPI 3.1 document of the service, as it speaks to one application: in its dialect, and with the limits of its settings.
 * The bodies of requests are described by the shapes that parse them. It contains no secret.
 *
 * @see "Endpoints" of the specification
 */
export function createServiceDocument(application: WireConfiguration): OpenApiObject {
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
      schemas: describeShapes(application),
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-KEY", description: "The key names the application." },
      },
    },
  };
}

function describePaths({ dialect }: WireConfiguration): OpenApiObject {
  const byPath = Object.groupBy(serviceOperations, ({ path }) => path);
  return Object.fromEntries(
    Object.entries(byPath).map(([path, operations = []]) => [
      path,
      Object.fromEntries(operations.map((operation) => [operation.method, describeOperation(operation, dialect)])),
    ]),
  );
}

function describeOperation(operation: ServiceOperation, dialect: Dialect): OpenApiObject {
  const { path, operationId, summary, request } = operation;
  return {
    operationId,
    summary,
    ...(path === confirmationPath && { parameters: [verificationId] }),
    ...(request && { requestBody: jsonBody(request) }),
    responses: describeResponses(operation, dialect),
  };
}

const verificationId: OpenApiObject = {
  name: "verification_id",
  in: "path",
  required: true,
  schema: { type: "string" },
};

function describeShapes(application: WireConfiguration): OpenApiObject {
  const { dialect } = application;
  const sent = { ...answerBodies(dialect), ...eventBodies(dialect) };
  return { ...toSchemas(requestBodies(application), "input"), ...toSchemas(sent, "output") };
}

function toSchemas(shapes: Readonly<Record<string, z.ZodType>>, io: "input" | "output"): OpenApiObject {
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
function describeEvents(): OpenApiObject {
  return Object.fromEntries(Object.entries(events).map(([name, event]) => [name, { post: describeEvent(event) }]));
}

/** One event, as its description has it. */
interface DescribedEvent {
  readonly operationId: string;
  readonly summary: string;
  readonly shape: EventShapeName;
}

const events: Readonly<Record<EventName, DescribedEvent>> = {
  "message.status.update": {
    operationId: "messageStatusUpdate",
    summary: "The status of a message has changed. Order the events of a message by `data.status_updated_at`.",
    shape: "MessageStatusUpdate",
  },
  "verification.update": {
    operationId: "verificationUpdate",
    summary:
      "The status of a verification, or of a text with its code, has changed. Order the events of a verification by `data.updated_at`.",
    shape: "VerificationUpdate",
  },
};

function describeEvent({ shape, ...event }: DescribedEvent): OpenApiObject {
  return {
    ...event,
    security: [],
    parameters: signatureHeaders,
    requestBody: jsonBody(shape),
    responses: eventResponses,
  };
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
