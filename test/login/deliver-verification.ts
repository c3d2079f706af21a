import { createHmac } from "node:crypto";
import type { LoginSetup } from "../support/login-setup.ts";

/** The secret of the app's webhooks, for `setUpLogin`. */
export const webhookSecret = "whsec_of_the_tests";

/** Signs and posts an event as the specification says, without the kit's own signing function. */
export async function deliverVerification(
  { url, clock }: Pick<LoginSetup, "url" | "clock">,
  data: Readonly<Record<string, unknown>>,
): Promise<number> {
  const body = JSON.stringify({ event: "verification.update", data });
  const timestamp = String(Math.floor(clock.now() / 1000));
  const signature = createHmac("sha256", webhookSecret).update(`${timestamp}.${body}`).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-webhook-timestamp": timestamp,
    "x-webhook-signature": `v1=${signature}`,
  };
  return (await fetch(`${url}/webhooks`, { method: "POST", headers, body })).status;
}
