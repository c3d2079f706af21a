import type { Dialect } from "@doorcode/sandbox";

/** The owner of the codes. */
export type Owner = "service" | "app";

/** The status and the problem code that a browser receives. */
type Refusal = readonly [status: number, code: string];

/** The answers of the kit that depend on the dialect. When the kit cannot read the service, nobody is logged in. */
export interface ExpectedAnswers {
  /** To a browser, for a wrong code. */
  readonly wrongCode: Refusal;
  /** To a browser, for a right code after its expiry. */
  readonly expiredCode: Refusal;
  /** To a browser, for one code after another: wrong ones, then right ones, until the attempts are exhausted. */
  readonly exhausting: readonly string[];
  /** By the client, for a code that is wrong, used up, or beyond the attempts of the service. */
  readonly wrong: string;
  readonly usedUp: string;
  readonly exhausted: string;
  /** By the client, for a sender that is not registered, when that is refused at once. */
  readonly unregisteredSender: string;
}

/** The number of wrong codes that the service evaluates in these tests; the kit evaluates 5. */
export const serviceAttempts = 3;

/**
 * Returns the answers of the kit in a dialect.
 *
 * - `confirmationRefusal: "text_true"` and `"empty"`: the answer is no approval and gives no reason, so a wrong, an expired
 *   and an exhausted code are all `service_unavailable` (the client: `service_unreadable`), until the kit's own attempts
 *   are exhausted. A code of the app is checked by the kit, and answered as always.
 * - `refusalBody: "empty"` and `"html"`: no reason is there to read, so a sender that is refused as not registered is
 *   `service_invalid_request`.
 */
export function expectedAnswers({ confirmationRefusal, refusalBody }: Dialect, owner: Owner): ExpectedAnswers {
  const givesReason = confirmationRefusal === "status_400" || confirmationRefusal === "false";
  const client = {
    wrong: givesReason ? "verify.invalid_code" : "service_unreadable",
    usedUp: givesReason ? "verify.expired" : "service_unreadable",
    exhausted: givesReason ? "verify.max_attempts_reached" : "service_unreadable",
    unregisteredSender: refusalBody === "json" ? "sender_not_registered" : "service_invalid_request",
  };
  if (owner === "service" && !givesReason) {
    const unavailable: Refusal = [503, "service_unavailable"];
    const exhausting = [...new Array<string>(5).fill("service_unavailable"), "attempts_exhausted"];
    return { wrongCode: unavailable, expiredCode: unavailable, exhausting, ...client };
  }
  const wrongCodes = owner === "service" ? serviceAttempts : 5;
  return {
    wrongCode: [400, "code_rejected"],
    expiredCode: [400, "code_expired"],
    exhausting: [...new Array<string>(wrongCodes).fill("code_rejected"), "attempts_exhausted"],
    ...client,
  };
}
