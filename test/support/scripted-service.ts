import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "./listen.ts";

/** An answer of the service that a test chooses. */
export interface ServiceAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

/**
 * A verification that the service was asked to create. A message with a code, and a code that the app sends itself, are shown in the
 * same form, so that a suite need not know which of them a code is.
 */
export interface CreatedVerification {
  readonly id: string;
  readonly recipient: string;
  /** The code, if the app owns it. Of a message it is that of its last line. */
  readonly custom_otp?: string;
  /** The text of a message, or of a code that the app sends itself. */
  readonly text?: string;
  /** The sender of a message. */
  readonly sender?: string;
  readonly channels: readonly { readonly channel_name: string; readonly priority: number }[];
}

/** A confirmation that the service was asked for. */
export interface AskedConfirmation {
  readonly id: string;
  readonly otp_code: string;
}

/** The verification endpoints of the specification, and its messages. A test can replace every answer. */
export interface ScriptedService {
  readonly url: string;
  readonly created: CreatedVerification[];
  readonly confirmations: AskedConfirmation[];
  /** The right code, which is approved once per verification. */
  readonly code: string;
  /** Answers a creation in place of the service; `undefined` leaves it to the service. */
  onCreate: (verification: CreatedVerification) => Promise<ServiceAnswer | undefined> | ServiceAnswer | undefined;
  /** Answers a confirmation in place of the service; `undefined` leaves it to the service. */
  onConfirm: (confirmation: AskedConfirmation) => Promise<ServiceAnswer | undefined> | ServiceAnswer | undefined;
  /** Takes a code in place of another provider, of which the app's own sender asks it. Answers as the service does. */
  take(code: Omit<CreatedVerification, "id">): Promise<ServiceAnswer>;
  close(): Promise<void>;
}

/** The body of `POST /messages`. */
interface SentMessage {
  readonly recipients: readonly string[];
  readonly channels: readonly { readonly sender: string; readonly content: { readonly text: string } }[];
}

/** Starts the service on a free port of the loopback. */
export async function startScriptedService(): Promise<ScriptedService> {
  const approved = new Set<string>();
  const server = createServer((request, response) => void answer(request, response));
  const { url, close } = await listen(server);
  const service: ScriptedService = {
    url: `${url}/v1`,
    created: [],
    confirmations: [],
    code: "246810",
    onCreate: () => undefined,
    onConfirm: () => undefined,
    take: (code) => create(code, "code"),
    close,
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const id = request.url?.match(/^\/v1\/verifications\/confirmation\/(.+)$/)?.[1];
    const creation = request.url === "/v1/messages" ? send : create;
    const { status, headers, body: text } = id === undefined ? await creation(body) : await confirm(id, body);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(text));
  }

  async function send({ recipients: [recipient = ""], channels }: SentMessage): Promise<ServiceAnswer> {
    const [
      {
        sender,
        content: { text },
      } = { sender: "", content: { text: "" } },
    ] = channels;
    const code = text.match(/\n@[a-z0-9.-]+ #(\d+)$/)?.[1];
    const sms = { recipient, channels: [{ channel_name: "SMS", priority: 1 }], text, sender };
    const answer = await create({ ...sms, ...(code !== undefined && { custom_otp: code }) }, "msg");
    if (answer.status !== 200) return answer;
    const messages = [{ message_id: service.created.at(-1)?.id, recipient, status: "QUEUED" }];
    return { status: 200, body: { request_id: "req_1", status: "SUCCESS", messages } };
  }

  async function create(body: Omit<CreatedVerification, "id">, kind = "ver"): Promise<ServiceAnswer> {
    const verification = { ...body, id: `${kind}_${service.created.length + 1}` };
    service.created.push(verification);
    const scripted = await service.onCreate(verification);
    const accepted = { request_id: "req_1", verification_id: verification.id, error_code: "", error_message: "" };
    return scripted ?? { status: 200, body: accepted };
  }

  async function confirm(id: string, { otp_code }: { readonly otp_code: string }): Promise<ServiceAnswer> {
    service.confirmations.push({ id, otp_code });
    const scripted = await service.onConfirm({ id, otp_code });
    if (scripted) return scripted;
    if (otp_code !== service.code || approved.has(id)) return refusal("verify.invalid_code");
    approved.add(id);
    return { status: 200, body: { success: true, message: "approved" } };
  }

  return service;
}

/** The 400 of a confirmation, as the specification describes it. */
export function refusal(error_code: string): ServiceAnswer {
  return { status: 400, body: { success: false, message: "refused", error_code } };
}
