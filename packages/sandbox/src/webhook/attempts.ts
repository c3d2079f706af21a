import { createHmac, randomBytes } from "node:crypto";
import { signDelivery } from "@doorcode/core";
import { type AttemptAction, fireFaults } from "../fault/fire-faults.ts";
import { behaviourOf } from "../service/simulated-phone.ts";
import type { Application } from "../state/application.ts";
import {
  type AttemptCause,
  type AttemptChanges,
  type Delivery,
  type DeliveryAttempt,
  isAcknowledged,
} from "../state/delivery.ts";
import { isoInstant } from "../state/record.ts";
import { cancelAttempt, isDisabled, recordHealth, type ScheduleDeps, scheduleAttempt } from "./endpoint-health.ts";
import type { PostResult, Transport } from "./transport.ts";

/** The dependencies of the delivery of events. */
export interface DeliveryDeps extends ScheduleDeps {
  readonly transport: Transport;
}

/**
 * Makes one attempt, records it, and schedules the next one if there is one. A delivery that was removed gets no attempt.
 * A delivery that has ended, or whose endpoint is disabled, gets no attempt by the schedule.
 *
 * @see "Receiver contract" and "Retry schedule" of the specification
 */
export async function attemptDelivery(deps: DeliveryDeps, id: string, cause: AttemptCause): Promise<void> {
  const { state } = deps;
  const delivery = state.deliveries.get(id);
  const application = delivery && state.applications.get(delivery.applicationId);
  if (!application) return;
  // Only the schedule ends with the delivery and its endpoint. An attempt that was requested by hand is always made.
  if (cause === "schedule") {
    if (delivery.status !== "pending") return;
    if (isDisabled(application, delivery)) {
      state.deliveries.put({ ...delivery, status: "failed" });
      return;
    }
  }
  recordAttempts(deps, id, await makeAttempts(deps, application, delivery, cause));
}

/** Signs at the last moment, with the current secret. A duplicate is sent at the same moment as the attempt itself. */
async function makeAttempts(
  deps: DeliveryDeps,
  application: Application,
  delivery: Delivery,
  cause: AttemptCause,
): Promise<DeliveryAttempt[]> {
  const actions = fireAttemptFaults(deps, delivery);
  const { signingSecret: secret, previousSigningSecret: previousSecret, behaviours } = application;
  const nowSeconds = Math.floor(Date.now() / 1000);
  const headers = signAttempt({ secret, previousSecret, body: delivery.payload, actions, nowSeconds });
  const signed = { timestamp: headers["X-Webhook-Timestamp"], signature: headers["X-Webhook-Signature"] };
  const at = isoInstant(deps.scheduler.now(application.id));
  const make = async (cause: AttemptCause): Promise<DeliveryAttempt> => {
    return { at, cause, ...signed, ...(await post(deps, application, delivery, headers, actions)) };
  };
  const isDuplicated =
    hasAction(actions, "duplicate") || behaviourOf(delivery.recipient, behaviours) === "duplicate_events";
  return Promise.all([make(cause), ...(isDuplicated ? [make("duplicate")] : [])]);
}

function fireAttemptFaults({ state, scheduler }: ScheduleDeps, delivery: Delivery): readonly AttemptAction[] {
  const { applicationId, event, subjectId, recipient, eventStatus, id: deliveryId } = delivery;
  return fireFaults(state, {
    ...{ applicationId, scope: "attempt", on: event, to: [recipient], eventStatus, subjectId, deliveryId },
    atMilliseconds: scheduler.now(applicationId),
  });
}

async function post(
  { transport }: DeliveryDeps,
  { settings }: Application,
  { url, payload: body }: Delivery,
  signatureHeaders: Readonly<Record<string, string>>,
  actions: readonly AttemptAction[],
): Promise<PostResult> {
  if (hasAction(actions, "drop")) return { status: undefined, answer: "", error: "dropped", tookMilliseconds: 0 };
  return transport.post({
    url,
    headers: { "Content-Type": "application/json", ...signatureHeaders },
    body,
    timeoutMilliseconds: settings.webhookTimeoutMilliseconds,
    cut: hasAction(actions, "cut"),
  });
}

function hasAction(actions: readonly AttemptAction[], type: AttemptAction["type"]): boolean {
  return actions.some((action) => action.type === type);
}

function recordAttempts(deps: DeliveryDeps, id: string, made: readonly DeliveryAttempt[]): void {
  const { state } = deps;
  const delivery = state.deliveries.get(id);
  const application = delivery && state.applications.get(delivery.applicationId);
  if (!application) return;
  const acknowledged = made.some(isAcknowledged);
  const attempts = [...delivery.attempts, ...made];
  if (acknowledged) {
    cancelAttempt(deps, id);
    state.deliveries.put({ ...delivery, attempts, status: "delivered", nextAttemptAt: undefined });
  } else {
    state.deliveries.put({ ...delivery, attempts });
    const isScheduleRunning = made[0]?.cause === "schedule" && delivery.status === "pending";
    if (isScheduleRunning) scheduleNextOrFail(deps, application, id, attempts);
  }
  recordHealth(deps, delivery, acknowledged);
}

function scheduleNextOrFail(
  deps: DeliveryDeps,
  { settings }: Application,
  id: string,
  attempts: readonly DeliveryAttempt[],
): void {
  const made = attempts.filter(({ cause }) => cause === "schedule").length;
  const delaySeconds = settings.webhookRetryDelaysSeconds[made - 1];
  if (delaySeconds !== undefined) scheduleAttempt(deps, id, delaySeconds);
  else deps.state.deliveries.change(id, (delivery) => ({ ...delivery, status: "failed" }));
}

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

/** The headers `X-Webhook-Timestamp` and `X-Webhook-Signature`. */
export type SignatureHeaders = ReturnType<typeof signDelivery>;

/** An attempt to sign, and the faults on it. Faults that do not affect the signature are ignored. */
interface AttemptToSign {
  readonly secret: string;
  readonly previousSecret: string | undefined;
  readonly body: string;
  readonly actions: readonly AttemptAction[];
  readonly nowSeconds: number;
}

/**
 * Signs one attempt, and applies all of its faults together. `two_secrets` adds a `v1` entry of the previous secret before
 * the current one; without a previous secret it uses a random one. `corrupt_signature` replaces every `v1` entry by a wrong
 * one of the right form. `extra_signature` adds a `v2` entry at the front. `stale_timestamp` signs correctly for an
 * instant in the past.
 *
 * @see "Webhook authenticity" of the specification
 */
function signAttempt({ secret, previousSecret, body, actions, nowSeconds }: AttemptToSign): SignatureHeaders {
  const has = (type: AttemptAction["type"]) => actions.some((action) => action.type === type);
  const timestampSeconds = nowSeconds - staleSeconds(actions);
  const secrets = has("two_secrets") ? [previousSecret ?? randomBytes(32).toString("hex"), secret] : [secret];
  const signatures = secrets.map((key) => signDelivery({ secret: key, body, timestampSeconds })["X-Webhook-Signature"]);
  const v1 = has("corrupt_signature") ? signatures.map(corrupt) : signatures;
  const v2 = has("extra_signature") ? [secondVersion(secret, body)] : [];
  return { "X-Webhook-Timestamp": String(timestampSeconds), "X-Webhook-Signature": [...v2, ...v1].join(",") };
}

function staleSeconds(actions: readonly AttemptAction[]): number {
  return actions.reduce((sum, action) => (action.type === "stale_timestamp" ? sum + action.seconds : sum), 0);
}

/** Changes the last digit. The signature still has 64 lower-case hexadecimal digits. */
function corrupt(signature: string): string {
  return signature.slice(0, -1) + (signature.endsWith("0") ? "1" : "0");
}

/** Returns an entry of a possible later version. The specification says only that receivers must ignore it. */
function secondVersion(secret: string, body: string): string {
  return `v2=${createHmac("sha512", secret).update(body).digest("base64")}`;
}
