import { randomBytes } from "node:crypto";
import { signDelivery } from "@doorcode/core";
import { isoInstant } from "../primitives/time.ts";
import type { AttemptChanges } from "../state/delivery.ts";
import type { DeliveryDeps } from "./attempt-delivery.ts";

/**
 * Makes one attempt with changes and records it. Nothing else changes: an endpoint that acknowledges another body has not received the
 * event, and one that refuses a wrong signature has not failed. Faults do not apply.
 */
export async function attemptWithChanges(deps: DeliveryDeps, id: string, changes: AttemptChanges): Promise<void> {
  const { state, scheduler, transport } = deps;
  const delivery = state.deliveries.get(id);
  const application = delivery && state.applications.get(delivery.applicationId);
  if (!application) return;
  const { body = delivery.payload, timestampOffsetSeconds = 0, signature: kind = "valid" } = changes;
  const secret = kind === "wrong_secret" ? randomBytes(32).toString("hex") : application.signingSecret;
  const timestampSeconds = Math.floor(Date.now() / 1000) + timestampOffsetSeconds;
  const { "X-Webhook-Timestamp": timestamp, "X-Webhook-Signature": signed } = signDelivery({
    secret,
    body,
    timestampSeconds,
  });
  const signature = kind === "missing" ? "" : signed;
  const at = isoInstant(scheduler.now(application.id));
  const result = await transport.post({
    url: delivery.url,
    headers: {
      "Content-Type": "application/json",
      "X-Webhook-Timestamp": timestamp,
      ...(signature !== "" && { "X-Webhook-Signature": signature }),
    },
    body,
    timeoutMilliseconds: application.settings.webhookTimeoutMilliseconds,
  });
  const made = { at, cause: "send_changed", timestamp, signature, changes, ...result } as const;
  const now = state.deliveries.get(id);
  if (now) state.deliveries.put({ ...now, attempts: [...now.attempts, made] });
}
