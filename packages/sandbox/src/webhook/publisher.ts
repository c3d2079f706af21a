import { type Clock, signDelivery } from "@doorcode/core";
import type { Agenda } from "../agenda.ts";
import { newId } from "../new-id.ts";
import { instantOf } from "../service/instant.ts";
import type { Settings } from "../settings.ts";
import type { Delivery, DeliveryAttempt } from "../state/delivery.ts";
import type { State } from "../state/state.ts";
import type { WebhookEvent } from "../wire/events.ts";
import { createGate, type Gate } from "./gate.ts";
import type { Transport } from "./transport.ts";

/** What the delivery of events works with. */
export interface PublisherParts {
  readonly state: State;
  readonly clock: Clock;
  readonly agenda: Agenda;
  readonly settings: Settings;
  readonly transport: Transport;
}

/** Brings events to webhook endpoints. */
export interface Publisher {
  /** Begins the delivery of an event to each of its destinations. */
  publish(event: WebhookEvent): void;
  /** Resolves when no attempt is under way; what waits for its time is not under way. */
  settled(): Promise<void>;
}

/**
 * Creates the publisher: at most one attempt more than there are retry delays, each with a fresh timestamp and signature
 * and the same bytes; after the last the delivery is recorded as failed.
 *
 * @see "Registration and routing" and "Retry schedule" of the specification
 */
export function createPublisher(parts: PublisherParts): Publisher {
  const gate = createGate(parts.settings.webhookConcurrency);
  const underWay = new Set<Promise<void>>();
  const attempt = (id: string) => {
    const run = attemptDelivery(parts, gate, id).then((retryAfterSeconds) => {
      underWay.delete(run);
      if (retryAfterSeconds !== undefined) parts.agenda.after(retryAfterSeconds * 1000, () => attempt(id));
    });
    underWay.add(run);
  };

  return {
    publish(event) {
      for (const delivery of createDeliveries(parts, event)) {
        parts.state.deliveries.put(delivery);
        attempt(delivery.id);
      }
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

function createDeliveries({ state, clock }: PublisherParts, { requestId, event, payload }: WebhookEvent): Delivery[] {
  const request = state.requests.get(requestId);
  const application = request && state.applications.get(request.applicationId);
  if (!application) return [];
  const registered = application.endpoints.filter(({ events }) => events.includes(event)).map(({ url }) => url);
  const urls = request.callbackUrl === undefined ? registered : [request.callbackUrl];
  return urls.map((url) => ({
    id: newId("dlv"),
    applicationId: application.id,
    event,
    url,
    payload,
    status: "pending",
    createdAt: instantOf(clock.now()),
    attempts: [],
    nextAttemptAt: undefined,
  }));
}

/** Makes one attempt and records it. Answers the delay before the next, if there is one. */
async function attemptDelivery(parts: PublisherParts, gate: Gate, id: string): Promise<number | undefined> {
  const attempt = await gate(() => post(parts, id));
  const delivery = parts.state.deliveries.get(id);
  if (!attempt || !delivery) return undefined;
  const acknowledged = attempt.status !== undefined && attempt.status >= 200 && attempt.status < 300;
  const delaySeconds = parts.settings.webhookRetryDelaysSeconds[delivery.attempts.length];
  const retryAfterSeconds = acknowledged ? undefined : delaySeconds;
  parts.state.deliveries.put({
    ...delivery,
    attempts: [...delivery.attempts, attempt],
    status: acknowledged ? "delivered" : retryAfterSeconds === undefined ? "failed" : "pending",
    nextAttemptAt:
      retryAfterSeconds === undefined ? undefined : instantOf(parts.clock.now() + retryAfterSeconds * 1000),
  });
  return retryAfterSeconds;
}

/** Signs at the last moment, with the secret as it is now. Undefined when the delivery was forgotten meanwhile. */
async function post(parts: PublisherParts, id: string): Promise<DeliveryAttempt | undefined> {
  const { state, clock, settings, transport } = parts;
  const delivery = state.deliveries.get(id);
  const application = delivery && state.applications.get(delivery.applicationId);
  if (!application) return undefined;
  state.deliveries.put({ ...delivery, nextAttemptAt: undefined });

  const { url, payload: body } = delivery;
  const at = instantOf(clock.now());
  const signed = signDelivery({ secret: application.signingSecret, body });
  const headers = { "Content-Type": "application/json", ...signed };
  const answer = await transport.post({ url, headers, body, limitMilliseconds: settings.webhookLimitMilliseconds });
  return { at, timestamp: signed["X-Webhook-Timestamp"], signature: signed["X-Webhook-Signature"], ...answer };
}
