import type { Fault, FaultRule } from "../state/fault.ts";
import { durationText } from "./browser/duration-text.ts";

/** Says what a fault does. */
export function actionWords(action: FaultRule["action"]): string {
  switch (action.type) {
    case "answer":
      return `Answers ${action.status}${action.retryAfterSeconds === undefined ? "" : `, Retry-After ${action.retryAfterSeconds} s`}`;
    case "delay":
      return `Delays by ${durationText("milliseconds" in action ? action.milliseconds : action.seconds * 1000)}`;
    case "cut":
      return "when" in action ? cutWords[action.when] : "Cuts the connection in the middle of the body";
    case "stale_timestamp":
      return `Signs with a timestamp ${durationText(action.seconds * 1000)} old`;
    default:
      return words[action.type];
  }
}

const cutWords = {
  before: "Cuts the connection before anything is done",
  after: "Does the work, then cuts the connection: the answer is lost",
} as const;

const words = {
  odd_json: "Writes the same JSON another way",
  reorder: "Sends after the next event",
  duplicate: "Sends twice at the same moment",
  drop: "Sends nothing: the attempt is lost",
  corrupt_signature: "Corrupts the signature",
  extra_signature: "Signs with v2= beside v1=",
  two_secrets: "Signs with the previous and the current secret",
} as const;

/** Says what a fault strikes. */
export function matchWords({ on, to, ...rest }: Fault): string {
  const what = on === "request" ? "Any request" : on === "webhook" ? "Any webhook" : on;
  const status = "status" in rest && rest.status !== undefined ? `, status ${rest.status}` : "";
  return `${what}${to === undefined ? "" : `, to ${to}`}${status}`;
}

/** Says how often a fault fires. */
export function limitWords({ times, probability, seed }: Fault): string {
  const often = times === undefined ? "each time" : times === 1 ? "once" : `${times} times`;
  return probability === undefined
    ? often
    : `${often}, ${Math.round(probability * 100)} % by chance, seed ${seed ?? 1}`;
}
