import { createHmac } from "node:crypto";
import type { LoginSetup } from "../support/login-setup.ts";

/** The secret of the app's webhooks, for `setUpLogin`. */
export const webhookSecret = "whsec_of_the_tests";

type Data = Readonly<Record<string, unknown>>;

/** Reports on a verification: see {@link deliver}. */
export function deliverVerification(login: Pick<LoginSetup, "url" | "clock">, data: Data): Promise<number> {
  return deliver(login, "verification.update", data);
}

/** Reports on a message: see {@link deliver}. */
export function deliverMessage(login: Pick<LoginSetup, "url" | "clock">, data: Data): Promise<number> {
  return deliver(login, "message.status.update", data);
}

/** Signs and posts an event as the specification says, without the kit's own signing function. */
async function deliver({ url, clock }: Pick<LoginSetup, "url" | "clock">, event: string, data: Data): Promise<number> {
  const body = JSON.stringify({ event, data });
  const timestamp = String(Math.floor(clock.now() / 1000));
  const signature = createHmac("sha256", webhookSecret).update(`${timestamp}.${body}`).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-webhook-timestamp": timestamp,
    "x-webhook-signature": `v1=${signature}`,
  };
  return (await fetch(`${url}/webhooks`, { method: "POST", headers, body })).status;
}
