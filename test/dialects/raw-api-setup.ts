import { createSandbox, type Dialect, type Sandbox, type SandboxApplication, type Settings } from "@doorcode/sandbox";
import { onTestFinished } from "vitest";
import { assertEventDescribed, assertServiceDescribed, describedService } from "../support/described-service.ts";
import { plainPhone } from "./requests.ts";

/** An answer of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: unknown;
}

/** The payload of a webhook. */
export interface Payload {
  readonly data: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** An application with one dialect, which the test calls without the kit. */
export interface RawApiSetup {
  readonly sandbox: Sandbox;
  readonly application: SandboxApplication;
  /** The payload of every webhook. */
  readonly payloads: readonly Payload[];
  call(method: "GET" | "POST", path: string, body?: unknown, apiKey?: string): Promise<ApiAnswer>;
  /** Posts to the control API of the application. */
  control(path: string, body: unknown): Promise<ApiAnswer>;
  /** Starts a verification, and returns its id and its code. */
  verify(changes?: object): Promise<{ readonly id: string; readonly code: string; readonly wrongCode: string }>;
  confirm(id: string, code: string): Promise<ApiAnswer>;
}

/**
 * Starts a sandbox of its own with a frozen clock; it ends with the test. The test fails if an answer or an event is not as the OpenAPI
 * document of the application says.
 */
export async function setUpRawApi(dialect: Partial<Dialect>, settings: Partial<Settings> = {}): Promise<RawApiSetup> {
  const sandbox = await createSandbox({ port: 0, clock: "frozen" });
  onTestFinished(() => sandbox.close());
  const application = sandbox.createApplication({ dialect, settings });
  const description = await describedService(application);
  const payloads: Payload[] = [];
  onTestFinished(() => {
    for (const payload of payloads) assertEventDescribed(description, payload);
  });
  application.deliverTo(async (request) => {
    payloads.push(JSON.parse(await request.text()));
    return new Response(null, { status: 204 });
  });

  const call: RawApiSetup["call"] = async (method, path, body, apiKey = application.env.SERVICE_API_KEY) => {
    const answer = await send(`${application.env.SERVICE_URL}${path}`, method, { "x-api-key": apiKey }, body);
    const { status, type: contentType, text } = answer;
    // A bad key identifies no application: the dialect of the default one applies.
    const asked = sandbox.applications().find(({ env }) => env.SERVICE_API_KEY === apiKey) ?? sandbox;
    await assertServiceDescribed(asked, { method, path, sent: body, status, contentType, text });
    return answer;
  };
  async function verify(changes: object = {}) {
    const { status, text } = await call("POST", "/verifications", verificationBody(changes));
    const started = application.verifications.list().at(-1);
    if (status >= 300 || !started) throw new Error(`The verification did not start: ${status} ${text}`);
    const { id, code } = started;
    return { id, code, wrongCode: code === "000000" ? "000001" : "000000" };
  }
  return {
    sandbox,
    application,
    payloads,
    call,
    control: (path, body) => send(`${sandbox.url}/_sandbox/applications/${application.id}${path}`, "POST", {}, body),
    verify,
    confirm: (id, otp_code) => call("POST", `/verifications/confirmation/${id}`, { otp_code }),
  };
}

/** The body of `POST /verifications`, as the specification shows it. */
export function verificationBody(changes: object = {}): object {
  const template = { name: "login", variables: {} };
  return { recipient: plainPhone, template, channels: [{ channel_name: "SMS", priority: 1 }], ...changes };
}

/** The body of `POST /messages`, as the specification shows it. */
export function messageBody({ sender = "Doorcode", channel = "SMS", ...changes }: Record<string, string> = {}): object {
  return { recipients: [plainPhone], channels: [{ channel, sender, content: { text: "Hello" } }], ...changes };
}

async function send(url: string, method: string, headers: Record<string, string>, body: unknown): Promise<ApiAnswer> {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, type: response.headers.get("content-type"), text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
