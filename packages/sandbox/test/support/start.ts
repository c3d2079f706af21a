import { onTestFinished } from "vitest";
import { assertServiceDescribed } from "../../../../test/support/described-service.ts";
import { createManualClock, type ManualClock } from "../../../core/src/testing.ts";
import { createSandbox, type Sandbox, type SandboxApplication, type SandboxOptions } from "../../src/index.ts";

/** Starts a sandbox on a stopped clock, and closes it at the end of the test. */
export async function start(options: SandboxOptions = {}): Promise<{ sandbox: Sandbox; clock: ManualClock }> {
  const clock = createManualClock();
  const sandbox = await createSandbox({ port: 0, clock, ...options });
  onTestFinished(() => sandbox.close());
  return { sandbox, clock };
}

/** Starts a sandbox whose clock moves only when it is advanced. */
export async function startFrozen(options: SandboxOptions = {}): Promise<Sandbox> {
  return (await start({ ...options, clock: "frozen" })).sandbox;
}

/** The parts of an application that the functions here need. The sandbox itself is one. */
export type Client = Pick<SandboxApplication, "id" | "env" | "inbox">;

export const phone = "+4915112345678";
/** A number that never answers: a message to it has one event, SENT. */
export const silent = "+491713920020";

/** The headers of a JSON request to the API as the application. */
export function headersOf({ env }: Pick<Client, "env">): Record<string, string> {
  return { "X-API-KEY": env.SERVICE_API_KEY, "Content-Type": "application/json" };
}

/** Posts to the API as the application and returns the JSON answer. It fails if the answer is not as the OpenAPI document says. */
export async function post(
  application: Client,
  path: string,
  body: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${application.env.SERVICE_URL}${path}`, {
    method: "POST",
    headers: headersOf(application),
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const contentType = response.headers.get("content-type");
  const exchange = { method: "POST", path, sent: body, status: response.status, contentType, text };
  await assertServiceDescribed(application, exchange);
  return { status: response.status, body: JSON.parse(text) };
}

export function messageRequest(changes: object = {}): object {
  return {
    recipients: [phone],
    channels: sms("Hello"),
    ...changes,
  };
}

export function verificationRequest(changes: object = {}): object {
  return {
    recipient: phone,
    template: { name: "login", variables: {} },
    channels: inOrder("SMS"),
    ...changes,
  };
}

/** What the answer to a refused request has, among other things. */
export function refused(status: number, error_code: string, field?: string): object {
  return { status, body: { error_code, ...(field !== undefined && { field }) } };
}

/** Returns the `channels` of a message request with this text. */
export function sms(text: string, sender = "Doorcode"): readonly object[] {
  return [{ channel: "SMS", sender, content: { text } }];
}

/** Returns the `channels` of a verification request that tries these channels in their order. */
export function inOrder(...names: readonly string[]): readonly object[] {
  return names.map((channel_name, index) => ({ channel_name, priority: index + 1 }));
}

/** Starts a verification and returns its id and, from the inbox, its code. */
export async function startVerification(
  application: Client,
  changes: { recipient?: string } & Record<string, unknown> = {},
): Promise<{ id: string; code: string; wrongCode: string }> {
  const { body } = await post(application, "/verifications", verificationRequest(changes));
  const { code = "" } = await application.inbox.wait({ to: changes.recipient ?? phone });
  return { id: String(body.verification_id), code, wrongCode: code === "000000" ? "111111" : "000000" };
}

export function confirm(application: Client, id: string, code: string): ReturnType<typeof post> {
  return post(application, `/verifications/confirmation/${id}`, { otp_code: code });
}
