import { type Finding, ok, problem, warning } from "./finding.ts";
import { isWebPage } from "./judge-refusal.ts";
import type { DeliveryAnswer, DeliveryFailure } from "./post-delivery.ts";

/** A delivery must be refused when its timestamp is more than 300 seconds off. */
export const toleranceSeconds = 300;
/** The age of the delivery that must be refused. Old enough for an endpoint whose own clock is nearly off. */
export const oldSeconds: number = 2 * toleranceSeconds;
const warnOffsetSeconds = 60;
const warnMilliseconds = 2000;

/** Judges a 2xx answer to a correct delivery. */
export function judgeAcceptance(answer: DeliveryAnswer, offsetSeconds: number): readonly Finding[] {
  if (isWebPage(answer)) return [webPage(answer)];
  return [
    ok("accepted", `It accepts a correct delivery (${answer.status}).`),
    ...(answer.tookMilliseconds > warnMilliseconds ? [slow(answer)] : []),
    ...(Math.abs(offsetSeconds) > warnOffsetSeconds ? [clockNearlyOff(offsetSeconds)] : []),
  ];
}

/** Returns by how much the endpoint's clock is ahead of this machine's, by the `Date` of its answer. */
export function clockOffsetSeconds({ headers, receivedAtMilliseconds }: DeliveryAnswer): number {
  const date = Date.parse(headers.date ?? "");
  return Number.isNaN(date) ? 0 : Math.round((date - receivedAtMilliseconds) / 1000);
}

/** Tells whether a delivery was acknowledged: any 2xx does. */
export function isAccepted(result: DeliveryAnswer | DeliveryFailure): boolean {
  return "status" in result && result.status >= 200 && result.status < 300;
}

const clockFix = "Synchronize the clocks of both machines (NTP).";

function offsetText(offsetSeconds: number): string {
  return `The endpoint's clock is ${Math.abs(offsetSeconds)} seconds ${offsetSeconds > 0 ? "ahead of" : "behind"} this machine's`;
}

/** Names the clock as the reason why correct deliveries are refused. */
export function clockOff(offsetSeconds: number): Finding {
  return problem("clock_off", `${offsetText(offsetSeconds)}, so it refuses correct timestamps.`, clockFix);
}

function clockNearlyOff(offsetSeconds: number): Finding {
  const text = `${offsetText(offsetSeconds)}. From ${toleranceSeconds} on, it refuses deliveries.`;
  return warning("clock_off", text, clockFix);
}

function slow({ tookMilliseconds }: DeliveryAnswer): Finding {
  const text = `The answer took ${(tookMilliseconds / 1000).toFixed(1)} of 5 seconds, and no handler has run.`;
  return warning(
    "slow",
    text,
    "Look for slow middleware above webhooks(doorcode), or a machine that has to start first.",
  );
}

function webPage({ status }: DeliveryAnswer): Finding {
  return problem(
    "web_page",
    `A web page answers ${status} to the delivery, so nothing receives it.`,
    "Mount webhooks(doorcode) at this path, above the route that serves pages for every path.",
  );
}

/** Judges the answer to a delivery with a wrong signature. */
export function judgeForged(result: DeliveryAnswer | DeliveryFailure): Finding {
  if (!isAccepted(result))
    return ok("wrong_signature_refused", `It refuses a wrong signature (${statusText(result)}).`);
  return problem(
    "wrong_signature_accepted",
    "It accepts a delivery with a wrong signature, so anybody can send it events.",
    "Mount webhooks(doorcode), or verify each delivery with createWebhookVerifier before you answer 2xx.",
  );
}

/** Judges the answer to a delivery that is too old. */
export function judgeOld(result: DeliveryAnswer | DeliveryFailure): Finding {
  if (!isAccepted(result))
    return ok("old_timestamp_refused", `It refuses a timestamp ${oldSeconds} seconds ago (${statusText(result)}).`);
  return problem(
    "old_timestamp_accepted",
    `It accepts a delivery that was signed ${oldSeconds} seconds ago, so a recorded one can be sent again.`,
    `Refuse timestamps that are more than ${toleranceSeconds} seconds off: toleranceSeconds of webhooks must not exceed it.`,
  );
}

function statusText(result: DeliveryAnswer | DeliveryFailure): string {
  return "status" in result ? String(result.status) : "without an answer";
}
