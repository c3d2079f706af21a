import type { Dialect } from "@doorcode/sandbox";

/** Who owns the code. */
export type Owner = "service" | "app";

/** A status and the code of a problem, as a browser gets them. */
type Told = readonly [status: number, code: string];

/** What the kit tells, where that hangs on the dialect. Where the service is not understood, nobody is logged in. */
export interface ToldByKit {
  /** To a browser, for a wrong code. */
  readonly wrongCode: Told;
  /** To a browser, for a right code after its end. */
  readonly expiredCode: Told;
  /** To a browser, for one code after another: wrong ones, then right ones, until the attempts are exhausted. */
  readonly exhausting: readonly string[];
  /** By the client, for a code that is wrong, used up, or beyond the attempts of the service. */
  readonly wrong: string;
  readonly usedUp: string;
  readonly exhausted: string;
  /** By the client, for a sender that is not registered, when that is refused at once. */
  readonly unregisteredSender: string;
}

/** How many wrong codes the service of the matrix evaluates; the kit has 5. */
export const serviceAttempts = 3;

/**
 * Says what the kit can tell in a dialect.
 *
 * - `confirmationRefusal: "text_true"` and `"empty"`: the answer is no approval and gives no reason, so a wrong, an expired
 *   and an exhausted code are all `service_unavailable` (the client: `service_unreadable`), until the kit's own attempts
 *   are exhausted. A code of the app is checked by the kit, and told as ever.
 * - `refusalBody: "empty"` and `"html"`: no reason is there to read, so a sender that is refused as not registered is
 *   `service_invalid_request`.
 */
export function toldByKit({ confirmationRefusal, refusalBody }: Dialect, owner: Owner): ToldByKit {
  const saysWhy = confirmationRefusal === "status_400" || confirmationRefusal === "false";
  const client = {
    wrong: saysWhy ? "verify.invalid_code" : "service_unreadable",
    usedUp: saysWhy ? "verify.expired" : "service_unreadable",
    exhausted: saysWhy ? "verify.max_attempts_reached" : "service_unreadable",
    unregisteredSender: refusalBody === "json" ? "sender_not_registered" : "service_invalid_request",
  };
  if (owner === "service" && !saysWhy) {
    const unavailable: Told = [503, "service_unavailable"];
    const exhausting = [...new Array<string>(5).fill("service_unavailable"), "attempts_exhausted"];
    return { wrongCode: unavailable, expiredCode: unavailable, exhausting, ...client };
  }
  const wrongCodes = owner === "service" ? serviceAttempts : 5;
  return {
    wrongCode: [400, "code_rejected"],
    expiredCode: [400, "no_transaction"],
    exhausting: [...new Array<string>(wrongCodes).fill("code_rejected"), "attempts_exhausted"],
    ...client,
  };
}
