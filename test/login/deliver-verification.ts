import type { LoginSetup } from "../support/login-setup.ts";
import { signedHeaders } from "../support/signed-delivery.ts";

/** The secret of the app's webhooks, for `setUpLogin`. */
export const webhookSecret = "whsec_of_the_tests";

type Data = Readonly<Record<string, unknown>>;

/** Reports on a verification: see {@link deliver}. */
export function deliverVerification(login: Pick<LoginSetup, "url" | "clock">, data: Data): Promise<number> {
  return deliver(login, "verification.update", data);
}

/** Reports the status of the newest code on its channel, to the process of that setup. */
export function deliverNewest(login: LoginSetup, channel_status = "DELIVERED", { service } = login): Promise<number> {
  const updated_at = new Date(login.clock.now()).toISOString();
  const verification_id = service.created.at(-1)?.id;
  return deliverVerification(login, { verification_id, status: "PENDING", channel: "SMS", channel_status, updated_at });
}

/** Asks codes for so many numbers of a block, and returns how many were sent. */
export async function askBlock({ open, service }: LoginSetup, from: number, to: number): Promise<number> {
  const before = service.created.length;
  for (let index = from; index < to; index++) {
    await open().post("/login/start", { phone: `+491512345${String(index).padStart(4, "0")}` });
  }
  return service.created.length - before;
}

/** Reports on a message: see {@link deliver}. */
export function deliverMessage(login: Pick<LoginSetup, "url" | "clock">, data: Data): Promise<number> {
  return deliver(login, "message.status.update", data);
}

/** Signs and posts an event. */
async function deliver({ url, clock }: Pick<LoginSetup, "url" | "clock">, event: string, data: Data): Promise<number> {
  const body = JSON.stringify({ event, data });
  const headers = Object.fromEntries(signedHeaders(body, Math.floor(clock.now() / 1000), webhookSecret));
  return (await fetch(`${url}/webhooks`, { method: "POST", headers, body })).status;
}
