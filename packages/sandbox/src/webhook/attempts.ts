import { createHmac } from "node:crypto";
import { signDelivery } from "@doorcode/core";
import { type AttemptAction, deliveryTarget, fireFaults } from "../fault/fire-faults.ts";
import { randomSecret } from "../primitives/secrets.ts";
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
  const found = find(deps, id);
  if (!found) return;
  const { application, delivery } = found;
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

/** Finds a delivery and its application, which may have been removed meanwhile. */
function find({ state }: DeliveryDeps, id: string) {
  const delivery = state.deliveries.get(id);
  const application = delivery && state.applications.get(delivery.applicationId);
  return application && { application, delivery };
}

type Signature = Pick<DeliveryAttempt, "timestamp" | "signature">;

/** Signs at the last moment, with the current secret. A duplicate is sent at the same moment as the attempt itself. */
async function makeAttempts(
  deps: DeliveryDeps,
  application: Application,
  delivery: Delivery,
  cause: AttemptCause,
): Promise<DeliveryAttempt[]> {
  const { recipient, payload } = delivery;
  const at = isoInstant(deps.scheduler.now(application.id));
  const target = deliveryTarget(delivery);
  const actions = fireFaults(deps.state, { ...target, scope: "attempt", atMilliseconds: Date.parse(at) });
  const has = (type: AttemptAction["type"]) => actions.some((action) => action.type === type);
  const signature = signAttempt(application, payload, actions);
  const make = async (cause: AttemptCause): Promise<DeliveryAttempt> => {
    const result = has("drop") ? dropped : await post(deps, application, delivery.url, payload, signature, has("cut"));
    return { at, cause, ...signature, ...result };
  };
  const isDuplicated = has("duplicate") || behaviourOf(recipient, application.behaviours) === "duplicate_events";
  return Promise.all([make(cause), ...(isDuplicated ? [make("duplicate")] : [])]);
}

const dropped: PostResult = { status: undefined, answer: "", error: "dropped", tookMilliseconds: 0 };

function post(
  { transport }: DeliveryDeps,
  { settings }: Application,
  url: string,
  body: string,
  { timestamp, signature }: Signature,
  cut = false,
): Promise<PostResult> {
  const headers = {
    "Content-Type": "application/json",
    "X-Webhook-Timestamp": timestamp,
    ...(signature !== "" && { "X-Webhook-Signature": signature }),
  };
  return transport.post({ url, headers, body, timeoutMilliseconds: settings.webhookTimeoutMilliseconds, cut });
}

function recordAttempts(deps: DeliveryDeps, id: string, made: readonly DeliveryAttempt[]): void {
  const { state } = deps;
  const found = find(deps, id);
  if (!found) return;
  const { application, delivery } = found;
  const acknowledged = made.some(isAcknowledged);
  const attempts = [...delivery.attempts, ...made];
  if (acknowledged) {
    cancelAttempt(deps, id);
    state.deliveries.put({ ...delivery, attempts, status: "delivered", nextAttemptAt: undefined });
  } else {
    const attempted = state.deliveries.put({ ...delivery, attempts });
    const isScheduleRunning = made[0]?.cause === "schedule" && delivery.status === "pending";
    if (isScheduleRunning) scheduleNextOrFail(deps, application, attempted);
  }
  recordHealth(deps, delivery, acknowledged);
}

function scheduleNextOrFail(deps: DeliveryDeps, { settings }: Application, delivery: Delivery): void {
  const made = delivery.attempts.filter(({ cause }) => cause === "schedule").length;
  const delaySeconds = settings.webhookRetryDelaysSeconds[made - 1];
  if (delaySeconds !== undefined) scheduleAttempt(deps, delivery, delaySeconds);
  else deps.state.deliveries.put({ ...delivery, status: "failed" });
}

/**
 * Makes one attempt with changes and records it. Nothing else changes: an endpoint that acknowledges another body has not received the
 * event, and one that refuses a wrong signature has not failed. Faults do not apply.
 */
export async function attemptWithChanges(deps: DeliveryDeps, id: string, changes: AttemptChanges): Promise<void> {
  const { state, scheduler } = deps;
  const found = find(deps, id);
  if (!found) return;
  const { application, delivery } = found;
  const { body = delivery.payload, timestampOffsetSeconds = 0, signature: kind = "valid" } = changes;
  const secret = kind === "wrong_secret" ? randomSecret() : application.signingSecret;
  const signed = sign([secret], body, nowSeconds() + timestampOffsetSeconds);
  const signature = kind === "missing" ? { ...signed, signature: "" } : signed;
  const at = isoInstant(scheduler.now(application.id));
  const result = await post(deps, application, delivery.url, body, signature);
  const made = { at, cause: "send_changed", ...signature, changes, ...result } as const;
  const now = state.deliveries.get(id);
  if (now) state.deliveries.put({ ...now, attempts: [...now.attempts, made] });
}

/**
 * Signs one attempt, and applies all of its faults together. `two_secrets` adds a `v1` entry of the previous secret before
 * the current one; without a previous secret it uses a random one. `corrupt_signature` replaces every `v1` entry by a wrong
 * one of the right form. `extra_signature` adds a `v2` entry at the front. `stale_timestamp` signs correctly for an
 * instant in the past.
 *
 * @see "Webhook authenticity" of the specification
 */
function signAttempt(application: Application, body: string, actions: readonly AttemptAction[]): Signature {
  const { signingSecret: secret, previousSigningSecret = randomSecret() } = application;
  const has = (type: AttemptAction["type"]) => actions.some((action) => action.type === type);
  const secrets = has("two_secrets") ? [previousSigningSecret, secret] : [secret];
  const ages = actions.map((action) => (action.type === "stale_timestamp" ? action.seconds : 0));
  const { timestamp, signature } = sign(secrets, body, nowSeconds() - ages.reduce((sum, age) => sum + age, 0));
  const v1 = has("corrupt_signature") ? signature.split(",").map(corrupt).join(",") : signature;
  // An entry of a possible later version. The specification says only that receivers must ignore it.
  const v2 = `v2=${createHmac("sha512", secret).update(body).digest("base64")}`;
  return { timestamp, signature: has("extra_signature") ? `${v2},${v1}` : v1 };
}

function sign(secrets: readonly string[], body: string, timestampSeconds: number): Signature {
  const entries = secrets.map((secret) => signDelivery({ secret, body, timestampSeconds })["X-Webhook-Signature"]);
  return { timestamp: String(timestampSeconds), signature: entries.join(",") };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Changes the last digit. The signature still has 64 lower-case hexadecimal digits. */
function corrupt(signature: string): string {
  return signature.slice(0, -1) + (signature.endsWith("0") ? "1" : "0");
}
