import type { Fault, FaultRule } from "../../state/fault.ts";
import { durationText } from "../browser/time-text.ts";

/** Describes the effect of a fault. */
export function actionText(action: FaultRule["action"]): string {
  switch (action.type) {
    case "answer":
      return `Answers ${action.status}${action.retryAfterSeconds === undefined ? "" : `, Retry-After ${action.retryAfterSeconds} s`}`;
    case "delay":
      return `Delays by ${durationText("milliseconds" in action ? action.milliseconds : action.seconds * 1000)}`;
    case "cut":
      return "when" in action ? cutTexts[action.when] : "Cuts the connection in the middle of the body";
    case "stale_timestamp":
      return `Signs with a timestamp ${durationText(action.seconds * 1000)} old`;
    default:
      return texts[action.type];
  }
}

const cutTexts = {
  before: "Cuts the connection before anything is done",
  after: "Does the work, then cuts the connection, so that the answer is lost",
} as const;

const texts = {
  odd_json: "Sends the same JSON in an unusual form",
  reorder: "Sends after the next event",
  duplicate: "Sends twice at the same moment",
  drop: "Sends nothing: the attempt is lost",
  corrupt_signature: "Corrupts the signature",
  extra_signature: "Adds a v2= signature before v1=",
  two_secrets: "Signs with the previous and the current secret",
} as const;

/** Describes the requests or webhooks that a fault matches. */
export function matchText({ on, to, ...rest }: Fault): string {
  const target = on === "request" ? "Any request" : on === "webhook" ? "Any webhook" : on;
  const status = "status" in rest && rest.status !== undefined ? `, status ${rest.status}` : "";
  return `${target}${to === undefined ? "" : `, to ${to}`}${status}`;
}

/** Describes the limits of a fault. */
export function limitText({ times, probability, seed }: Fault): string {
  const count = times === undefined ? "every time" : times === 1 ? "once" : `${times} times`;
  return probability === undefined
    ? count
    : `${count}, with a probability of ${Math.round(probability * 100)} %, seed ${seed ?? 1}`;
}
