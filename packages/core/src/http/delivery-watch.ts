import type { Publish } from "../util/publish.ts";
import { createWarning, warn } from "../util/warn.ts";
import type { FailingReason, WebhookDeliveryEvent } from "../webhooks/delivery-event.ts";
import type { EventOutcome } from "../webhooks/handlers.ts";

/** Counts the deliveries of an endpoint that fail one after the other. */
export interface DeliveryWatch {
  /** A delivery was refused, because it was signed so many seconds after this machine's time, negative for before. */
  clockOff(offsetSeconds: number): void;
  /** A delivery was refused, because no secret has made its signature. */
  wrongSignature(): void;
  /** A delivery is the service's, and its event has this outcome. */
  verified(outcome: EventOutcome): void;
}

/** The service makes five attempts, so this is one event that is given up, or the first attempts of several. */
const failuresInARow = 5;

const wrongSecretFix =
  "A delivery has a signature that webhooks.secret did not make, and none has had one that it did. Compare the secret " +
  "(WEBHOOK_SECRET) with the signing secret of this application in the service's portal.";

const causes: Readonly<Record<Exclude<FailingReason, "clock_off">, string>> = {
  signature_invalid:
    "have a signature that webhooks.secret did not make. If they are the service's, compare the secret (WEBHOOK_SECRET) with the " +
    "signing secret of this application in the service's portal.",
  handler_failed:
    "were answered 500, because a handler of webhooks.on threw. onEvent gets each error, in webhook.failed.",
  handler_unfinished:
    "were answered 503, because their handlers took longer than four seconds. Let handlers do less, or set webhooks.inbox.",
  store_unavailable: "were answered 503, because the store or the inbox did not answer. onEvent gets each error.",
};

const reasons: Readonly<Partial<Record<EventOutcome, keyof typeof causes>>> = {
  failed: "handler_failed",
  unfinished: "handler_unfinished",
  store_unavailable: "store_unavailable",
};

/**
 * Creates the watch of an endpoint. The service gives an event up after 72.5 minutes, and only the service sees the answers. So after
 * five failures of one kind in a row, the watch publishes `webhook.failing`, and gives a process warning, once for each kind. Before any
 * delivery was verified, the first wrong signature is worth a warning, because the secret is probably wrong.
 *
 * A timestamp is judged before the body is read, so nobody can know whether a refused delivery is the service's. A delivery that is
 * verified ends the counts of refused ones, and a delivery that is acknowledged ends all of them.
 */
export function createDeliveryWatch(publish: Publish<WebhookDeliveryEvent>): DeliveryWatch {
  const counts = new Map<FailingReason, number>();
  const warned = new Set<FailingReason>();
  const warnOfSecret = createWarning("webhook_secret", wrongSecretFix);
  let anyVerified = false;

  function count(reason: FailingReason, code: string, cause: string): void {
    const failures = (counts.get(reason) ?? 0) + 1;
    counts.set(reason, failures);
    if (failures !== failuresInARow) return;
    publish({ type: "webhook.failing", reason, count: failures });
    const isToldAlready = reason === "signature_invalid" && !anyVerified;
    if (isToldAlready || warned.has(reason)) return;
    warned.add(reason);
    warn(code, `The last ${failures} webhooks ${cause}`);
  }

  return {
    clockOff(offsetSeconds) {
      const distance = `${Math.abs(offsetSeconds)} seconds ${offsetSeconds < 0 ? "before" : "after"}`;
      const cause =
        `were refused, because they were signed ${distance} the time of this machine. If they are the service's, the clock of this ` +
        "machine is wrong: synchronize it (NTP). `npx @doorcode/cli check` of another machine measures it.";
      count("clock_off", "webhook_clock_off", cause);
    },
    wrongSignature() {
      if (!anyVerified) warnOfSecret();
      count("signature_invalid", "webhook_failing", causes.signature_invalid);
    },
    verified(outcome) {
      anyVerified = true;
      counts.delete("clock_off");
      counts.delete("signature_invalid");
      const reason = reasons[outcome];
      if (reason) count(reason, "webhook_failing", causes[reason]);
      else if (outcome !== "superseded") counts.clear();
    },
  };
}
