import { z } from "zod";
import type { Dialect } from "../state/dialect.ts";
import type { WireConfiguration } from "../wire/requests.ts";
import { describeEvents } from "./event-descriptions.ts";
import { jsonBody, type OpenApiObject } from "./openapi-object.ts";
import { describeResponses } from "./response-descriptions.ts";
import { confirmationPath, type ServiceOperation, serviceOperations } from "./service-operations.ts";
import { answerBodies, eventBodies, requestBodies } from "./service-shapes.ts";

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
