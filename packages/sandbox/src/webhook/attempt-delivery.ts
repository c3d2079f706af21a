import type { AttemptAction } from "../fault/occasion.ts";
import { signAttempt } from "../fault/sign-attempt.ts";
import { takeFaults } from "../fault/take-faults.ts";
import { behaviourOf } from "../service/handset.ts";
import { instantOf } from "../service/instant.ts";
import type { Application } from "../state/application.ts";
import type { AttemptCause, Delivery, DeliveryAttempt } from "../state/delivery.ts";
import { isDisabled, noteAttempt } from "./endpoint-health.ts";
import { type PlanParts, planAttempt, takeBackAttempt } from "./plan-attempt.ts";
import type { Transport } from "./transport.ts";

/** What the delivery of events works with. */
export interface DeliveryParts extends PlanParts {
  readonly transport: Transport;
}

/**
 * Makes one attempt, records it, and plans the next if there is to be one. Nothing happens to a delivery that was
 * forgotten, nor by the schedule to one that is over.
 *
 * @see "Receiver contract" and "Retry schedule" of the specification
 */
export async function attemptDelivery(parts: DeliveryParts, id: string, cause: AttemptCause): Promise<void> {
  const { state } = parts;
  const delivery = state.deliveries.get(id);
  const application = delivery && state.applications.get(delivery.applicationId);
  if (!application) return;
  // The schedule ends with its delivery and with its endpoint; what somebody sends again by hand, they mean.
  if (cause === "schedule") {
    if (delivery.status !== "pending") return;
    if (isDisabled(application, delivery)) {
      state.deliveries.put({ ...delivery, status: "failed" });
      return;
    }
  }
  const attempts = await post(parts, application, delivery, cause);
  record(parts, id, attempts);
}

/** Signs at the last moment, with the secret as it is now. A copy leaves at the same moment as the attempt itself. */
async function post(
  { state, agenda, transport }: DeliveryParts,
  application: Application,
  delivery: Delivery,
  cause: AttemptCause,
): Promise<DeliveryAttempt[]> {
  const actions = attemptActions({ state, agenda }, delivery);
  const { signingSecret: secret, previousSigningSecret: previousSecret, settings } = application;
  const { url, payload: body } = delivery;
  const signed = signAttempt({ secret, previousSecret, body, actions });
  const stamps = { timestamp: signed["X-Webhook-Timestamp"], signature: signed["X-Webhook-Signature"] };
  const at = instantOf(agenda.now(application.id));
  const has = (type: AttemptAction["type"]) => actions.some((action) => action.type === type);
  const send = async (cause: AttemptCause): Promise<DeliveryAttempt> => {
    if (has("drop")) {
      return { at, cause, ...stamps, status: undefined, answer: "", error: "dropped", tookMilliseconds: 0 };
    }
    const headers = { "Content-Type": "application/json", ...signed };
    const limitMilliseconds = settings.webhookLimitMilliseconds;
    return {
      at,
      cause,
      ...stamps,
      ...(await transport.post({ url, headers, body, limitMilliseconds, cut: has("cut") })),
    };
  };
  const isDoubled = has("duplicate") || behaviourOf(delivery.recipient, application.behaviours) === "duplicate_events";
  return Promise.all([send(cause), ...(isDoubled ? [send("duplicate")] : [])]);
}

function attemptActions({ state, agenda }: PlanParts, delivery: Delivery): readonly AttemptAction[] {
  const { applicationId, event, subjectId, recipient, told, id: deliveryId } = delivery;
  return takeFaults(state, {
    ...{ applicationId, scope: "attempt", on: event, to: [recipient], told, subjectId, deliveryId },
    atMilliseconds: agenda.now(applicationId),
  });
}

function record(parts: DeliveryParts, id: string, made: readonly DeliveryAttempt[]): void {
  const { state } = parts;
  const delivery = state.deliveries.get(id);
  const application = delivery && state.applications.get(delivery.applicationId);
  if (!application) return;
  const acknowledged = made.some(isAcknowledged);
  const attempts = [...delivery.attempts, ...made];
  if (acknowledged) {
    takeBackAttempt(parts, id);
    state.deliveries.put({ ...delivery, attempts, status: "delivered", nextAttemptAt: undefined });
  } else {
    state.deliveries.put({ ...delivery, attempts });
    if (made[0]?.cause === "schedule" && delivery.status === "pending")
      planNextOrFail(parts, application, id, attempts);
  }
  noteAttempt(parts, delivery, acknowledged);
}

/** Any 2xx acknowledges. @see "Receiver contract" of the specification */
function isAcknowledged({ status }: DeliveryAttempt): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function planNextOrFail(
  parts: DeliveryParts,
  { settings }: Application,
  id: string,
  attempts: readonly DeliveryAttempt[],
): void {
  const made = attempts.filter(({ cause }) => cause === "schedule").length;
  const delaySeconds = settings.webhookRetryDelaysSeconds[made - 1];
  if (delaySeconds !== undefined) planAttempt(parts, id, delaySeconds);
  else parts.state.deliveries.change(id, (delivery) => ({ ...delivery, status: "failed" }));
}
