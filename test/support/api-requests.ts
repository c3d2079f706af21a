import type { Channel, SandboxApplication } from "@doorcode/sandbox";

type Client = Pick<SandboxApplication, "env">;

/** Sends a text over SMS. */
export async function sendMessage(application: Client, to: string, text: string, sender = "Doorcode"): Promise<void> {
  await post(application, "/messages", {
    recipients: [to],
    channels: [{ channel: "SMS", sender, content: { text } }],
  });
}

/** Starts a verification over the channels, SMS alone when left out, and returns its id. */
export async function sendCode(
  application: Client,
  recipient: string,
  channels: readonly Channel[] = ["SMS"],
  template = "login",
): Promise<string> {
  const answer = await post(application, "/verifications", {
    recipient,
    template: { name: template, variables: { shop: "Bakery" } },
    channels: channels.map((channel_name, index) => ({ channel_name, priority: index + 1 })),
  });
  return String(answer.verification_id);
}

/** Confirms a verification with a code, right or wrong. */
export async function confirm(application: Client, id: string, code: string): Promise<void> {
  await post(application, `/verifications/confirmation/${id}`, { otp_code: code });
}

/** Posts to the API as an application does, and returns the parsed answer. */
export async function post({ env }: Client, path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${env.SERVICE_URL}${path}`, {
    method: "POST",
    headers: { "X-API-KEY": env.SERVICE_API_KEY, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}
