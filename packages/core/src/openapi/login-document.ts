import { z } from "zod";
import { loginBodyShape } from "../http/login-body.ts";
import { type ErrorCode, statusOf } from "../util/errors.ts";
import { everywhere, type LoginOperation, loginOperations } from "./login-operations.ts";
import { answerShapes } from "./login-shapes.ts";

/** A JSON object of an OpenAPI document. */
export type OpenApiObject = Readonly<Record<string, unknown>>;

/** Creates the OpenAPI 3.1 document of the endpoints of a login, from the shapes that check its requests. */
export function createLoginDocument(): OpenApiObject {
  return {
    openapi: "3.1.1",
    info: {
      title: "Doorcode login",
      version: "1.0.0",
      description:
        "The endpoints of a login by phone number, below the path where an app mounts them. A request has cookies or tokens, never " +
        "both: a client without cookies sends `Doorcode-Transport: bearer`, and then the tokens that it gets.",
      license: { name: "MIT", identifier: "MIT" },
    },
    // Relative to where the document is: beside the endpoints.
    servers: [{ url: ".", description: "The path of the mount, such as /login." }],
    paths: Object.fromEntries(
      loginOperations.map((operation) => [operation.path, { [operation.method]: describe(operation) }]),
    ),
    components: {
      schemas: answerSchemas(),
      securitySchemes: {
        session: { type: "http", scheme: "bearer", description: "The `sessionToken` of the answer to `/confirm`." },
      },
    },
  };
}

function describe({ path, summary, answers, tokens, readsSession, ...operation }: LoginOperation): OpenApiObject {
  const isPost = operation.method === "post";
  return {
    operationId: path.slice(1),
    summary,
    ...(readsSession ? { security: [{}, { session: [] }] } : { security: [] }),
    parameters: [...tokens.map(tokenParameter), ...(path === "/state" ? waitParameters : [])],
    ...(isPost && { requestBody: { content: bodiesOf(operation) } }),
    responses: {
      200: {
        description: "The state of the login.",
        content: { "application/json": { schema: oneOf(answers.map(refTo)) } },
      },
      ...(isPost && { 303: redirect }),
      ...problemsOf([...everywhere, ...operation.refusals]),
    },
  };
}

const redirect: OpenApiObject = {
  description: "The answer to an HTML form, refused or not: the page to go to.",
  headers: { Location: { required: true, schema: { type: "string" } } },
};

const waitParameters: readonly OpenApiObject[] = [
  { name: "after", in: "query", description: "The version that the client has.", schema: { type: "string" } },
  {
    name: "waitSeconds",
    in: "query",
    description: "How long the answer may wait for another version; 25 at most.",
    schema: { type: "integer", minimum: 0 },
  },
];

function tokenParameter(name: string): OpenApiObject {
  const schema = name === "Doorcode-Transport" ? { enum: ["bearer", "cookie"] } : { type: "string" };
  return { name, in: "header", schema };
}

function bodiesOf({ body = [], required }: Pick<LoginOperation, "body" | "required">): OpenApiObject {
  const members = Object.fromEntries(body.map((name) => [name, loginBodyShape.shape[name]]));
  const { properties } = toSchema(z.object(members), "input");
  const schema = { type: "object", properties, ...(required && { required: [required] }) };
  return { "application/json": { schema }, "application/x-www-form-urlencoded": { schema } };
}

/** Returns the refusals of an endpoint by their status, each with the codes that it may have. */
function problemsOf(codes: readonly ErrorCode[]): OpenApiObject {
  const byStatus = Object.groupBy(new Set(codes), (code) => String(statusOf(code)));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, ofStatus = []]) => [status, problemWith(Number(status), ofStatus)]),
  );
}

function problemWith(status: number, codes: readonly ErrorCode[]): OpenApiObject {
  const isOne = { type: "object", properties: { code: { enum: codes }, status: { const: status } } };
  const headers = {
    ...(status === 401 && { "WWW-Authenticate": text }),
    ...(retries.has(status) && { "Retry-After": text }),
  };
  return {
    description: codes.join(", "),
    headers,
    content: { "application/problem+json": { schema: { allOf: [refTo("Problem"), isOne] } } },
  };
}

const text: OpenApiObject = { schema: { type: "string" } };
const retries: ReadonlySet<number> = new Set([429, 503]);

function answerSchemas(): OpenApiObject {
  return Object.fromEntries(Object.entries(answerShapes).map(([name, shape]) => [name, toSchema(shape, "output")]));
}

/** Later versions may answer with more members, so none is forbidden. */
function toSchema(shape: z.ZodType, io: "input" | "output"): OpenApiObject {
  const { $schema, ...schema } = z.toJSONSchema(shape, {
    io,
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return schema;
}

function oneOf(schemas: readonly OpenApiObject[]): OpenApiObject {
  const [only] = schemas;
  return only && schemas.length === 1 ? only : { oneOf: schemas };
}

function refTo(name: string): OpenApiObject {
  return { $ref: `#/components/schemas/${name}` };
}
