import { createSandbox, type Sandbox, type SandboxApplication, type SandboxOptions } from "@doorcode/sandbox";
import { onTestFinished } from "vitest";
import { messageRequest, phone, verificationRequest } from "../../../packages/sandbox/test/support/start.ts";
import { assertServiceDescribed } from "../../support/described-service.ts";

export { messageRequest, phone, verificationRequest };

/** The default application, or one that was added. */
export type Application = Omit<SandboxApplication, "remove">;

/** Starts a sandbox with frozen clocks. It ends with the test. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await createSandbox({ port: 0, clock: "frozen", ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Another phone than `phone`. */
export const otherPhone = "+4915112345679";

/** An answer of the API with its whole body. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

/**
 * Calls the API with the application's key, unless other headers are given. It fails if the answer is not as the OpenAPI document says.
 */
export async function call(
  application: Application,
  route: `${"GET" | "POST"} ${string}`,
  body?: unknown,
  headers: Record<string, string> = {
    "x-api-key": application.env.SERVICE_API_KEY,
    "content-type": "application/json",
  },
): Promise<ApiAnswer> {
  const [method = "", path = ""] = route.split(" ");
  const init = { method, headers, ...(body !== undefined && { body: textOf(body) }) };
  const response = await fetch(`${application.env.SERVICE_URL}${path}`, init);
  const text = await response.text();
  const { status } = response;
  const contentType = response.headers.get("content-type");
  await assertServiceDescribed(application, { method, path, sent: body, status, contentType, text });
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text.startsWith("{") ? JSON.parse(text) : {},
  };
}

function textOf(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

/** The channel entries of a verification, in order. */
export function cascade(...names: string[]): { channels: object[] } {
  return { channels: names.map((channel_name, index) => ({ channel_name, priority: index + 1 })) };
}

/** An entry of a message response. */
export interface MessageEntry {
  readonly message_id: string;
  readonly recipient: string;
  readonly status: string;
}

/** Sends a message, and returns the entries of the response. */
export async function send(application: Application, changes: object = {}): Promise<readonly MessageEntry[]> {
  const { status, json } = await call(application, "POST /messages", messageRequest(changes));
  if (status !== 200) throw new Error(`The message was not accepted: ${status}.`);
  return json.messages as MessageEntry[];
}

/** An accepted verification, with the code that reached the phone. */
export interface Started {
  readonly id: string;
  readonly code: string;
  /** A code that is not right. */
  readonly wrongCode: string;
}

/** Starts a verification, and reads its code as the person with the phone would. */
export async function verify(
  application: Application,
  changes: { recipient?: string } & Record<string, unknown> = {},
): Promise<Started> {
  const { status, json } = await call(application, "POST /verifications", verificationRequest(changes));
  if (status !== 200) throw new Error(`The verification was not accepted: ${status}.`);
  const { code = "" } = await application.inbox.wait({ to: changes.recipient ?? phone });
  return { id: String(json.verification_id), code, wrongCode: code === "000000" ? "111111" : "000000" };
}

/** Confirms a code. */
export function confirm(application: Application, id: string, otp_code: unknown): Promise<ApiAnswer> {
  return call(application, `POST /verifications/confirmation/${id}`, { otp_code });
}
