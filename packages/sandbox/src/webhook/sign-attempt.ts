import { createHmac, randomBytes } from "node:crypto";
import { signDelivery } from "@doorcode/core";
import type { AttemptAction } from "../fault/fire-faults.ts";

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
export function signAttempt({ secret, previousSecret, body, actions, nowSeconds }: AttemptToSign): SignatureHeaders {
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
