import { createHmac, randomBytes } from "node:crypto";
import { signDelivery } from "@doorcode/core";
import type { AttemptAction } from "./occasion.ts";

/** The two headers of an attempt that tell who sent it, and when. */
export type SignatureHeaders = ReturnType<typeof signDelivery>;

/** One attempt, and the faults that strike it; those that have nothing to do with signing are passed over. */
export interface AttemptToSign {
  readonly secret: string;
  /** The signing secret before the last regeneration. */
  readonly previousSecret: string | undefined;
  readonly body: string;
  readonly actions: readonly AttemptAction[];
  /** Unix seconds on the wall clock; now when left out. */
  readonly nowSeconds?: number;
}

/**
 * Signs one attempt, with all of its faults together: `two_secrets` writes the previous secret's `v1` entry before the
 * current one's (a random secret's when there is none before), `corrupt_signature` makes every `v1` entry a wrong one of
 * the right form, `extra_signature` puts a `v2` entry first, `stale_timestamp` signs properly for an instant in the past.
 *
 * @see "Webhook authenticity" of the specification
 */
export function signAttempt(attempt: AttemptToSign): SignatureHeaders {
  const { secret, body, actions, nowSeconds = Math.floor(Date.now() / 1000) } = attempt;
  const struckBy = (type: AttemptAction["type"]) => actions.some((action) => action.type === type);
  const timestampSeconds = nowSeconds - staleSeconds(actions);
  const secrets = struckBy("two_secrets") ? [secretBefore(attempt), secret] : [secret];
  const signatures = secrets.map((key) => signDelivery({ secret: key, body, timestampSeconds })["X-Webhook-Signature"]);
  const first = struckBy("corrupt_signature") ? signatures.map(corrupt) : signatures;
  const extra = struckBy("extra_signature") ? [secondVersion(secret, body)] : [];
  return { "X-Webhook-Timestamp": String(timestampSeconds), "X-Webhook-Signature": [...extra, ...first].join(",") };
}

function staleSeconds(actions: readonly AttemptAction[]): number {
  return actions.reduce((sum, action) => (action.type === "stale_timestamp" ? sum + action.seconds : sum), 0);
}

function secretBefore({ previousSecret }: AttemptToSign): string {
  return previousSecret ?? randomBytes(32).toString("hex");
}

/** Another last digit: still 64 lower-case ones. */
function corrupt(signature: string): string {
  return signature.slice(0, -1) + (signature.endsWith("0") ? "1" : "0");
}

/** What a later version of the header could hold; nothing of it is specified, but that receivers skip it. */
function secondVersion(secret: string, body: string): string {
  return `v2=${createHmac("sha512", secret).update(body).digest("base64")}`;
}
