import type { Sandbox } from "@doorcode/sandbox";

/** With the others, a batch has a thousand events. */
const ordinaryRecipients = 400;
const verificationsPerBatch = 10;

/** German numbers of the sandbox that misbehave: SMS fails, is never delivered, slow, reported twice, reported in reverse. */
const oddRanges = [1, 2, 4, 5, 6];
const recipientsPerRange = 10;
/** A verification that only a call delivers: two events for each of five channels, and one for its end. */
const eventsPerVerification = 11;

/** Each message has `SENT` and an outcome, except those that never get one. */
export const eventsPerBatch: number =
  2 * (ordinaryRecipients + (oddRanges.length - 1) * recipientsPerRange) +
  recipientsPerRange +
  eventsPerVerification * verificationsPerBatch;

/** Sends requests to the service, as other programs of the account would. */
export interface Load {
  /** Sends a batch of messages, each to another number, and starts verifications. */
  batch(index: number): Promise<void>;
  /** Sends one message each to that many ordinary numbers. */
  messages(count: number, from: number): Promise<void>;
}

/** Creates the load on the default application of a sandbox. */
export function createLoad({ env: { SERVICE_URL, SERVICE_API_KEY } }: Sandbox): Load {
  async function post(path: string, body: unknown): Promise<void> {
    const headers = { "X-API-KEY": SERVICE_API_KEY, "Content-Type": "application/json" };
    const response = await fetch(`${SERVICE_URL}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`The sandbox answered ${response.status}.`);
  }
  const sendTo = (recipients: readonly string[]) =>
    post("/messages", { recipients, channels: [{ channel: "SMS", sender: "Doorcode", content: { text: "Hello" } }] });
  const ordinary = (count: number, from: number) => Array.from({ length: count }, (_, index) => numberOf(from + index));

  return {
    async batch(index) {
      const odd = oddRanges.flatMap((range) =>
        Array.from({ length: recipientsPerRange }, (_, last) => odder(range, last)),
      );
      await sendTo([...ordinary(ordinaryRecipients, index * ordinaryRecipients), ...odd]);
      const verified = Array.from({ length: verificationsPerBatch }, (_, last) => odder(3, last));
      await Promise.all(verified.map((recipient) => post("/verifications", verificationOf(recipient))));
    },
    messages: (count, from) => sendTo(ordinary(count, from)),
  };
}

function verificationOf(recipient: string) {
  const channels = ["SMS", "WHATSAPP", "VIBER", "TELEGRAM", "VOICE"];
  return {
    recipient,
    template: { name: "login", variables: {} },
    channels: channels.map((channel_name, index) => ({ channel_name, priority: index + 1 })),
  };
}

function numberOf(index: number): string {
  return `+491512${String(index).padStart(7, "0")}`;
}

function odder(range: number, last: number): string {
  return `+4917139200${range}${last}`;
}
