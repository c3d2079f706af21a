import { randomInt } from "node:crypto";
import { z } from "zod";
import { parseOptions } from "../parse-options.ts";
import {
  type CodeStrategy,
  type CodeStrategyFactory,
  type CodeTools,
  channelsOnWire,
  channelsShape,
  digestParts,
  type Template,
  templateOnWire,
  templateShape,
} from "./code-strategy.ts";

/** Options of {@link appCodes}. */
export interface AppCodesOptions {
  /** Sent along when the service wants one beside `custom_otp`; the specification leaves that open. */
  readonly template?: Template;
  /** In the order in which the service tries them. Default: `["SMS"]`. */
  readonly channels?: readonly string[];
  /** Default: 6. */
  readonly codeLength?: number;
  /** How long a code is right. Default: 300. */
  readonly lifetimeSeconds?: number;
}

const shape = z.strictObject({
  template: templateShape.optional(),
  channels: channelsShape,
  codeLength: z.int().min(6).max(10).default(6),
  lifetimeSeconds: z.int().min(30).max(3600).default(300),
});

/**
 * Lets the app own the code: Doorcode makes and checks it, the service delivers it as `custom_otp`.
 *
 * A code is kept only as an HMAC under a key of the app, over transaction, number, purpose and code.
 *
 * @throws TypeError for a wrong option.
 * @see "Verification request" of the specification, `custom_otp`
 * @example
 * import { appCodes } from "@doorcode/core";
 * const codes = appCodes({ channels: ["SMS"], lifetimeSeconds: 300 });
 */
export function appCodes(options: AppCodesOptions = {}): CodeStrategyFactory {
  const { template, channels, codeLength, lifetimeSeconds } = parseOptions("appCodes", shape, options);

  return ({ verifications, keys, clock }: CodeTools): CodeStrategy => ({
    digits: { fewest: codeLength, most: codeLength },
    lifetimeSeconds,
    channels,
    answersOnce: false,
    issue(subject) {
      const code = newCode(codeLength);
      return {
        remembered: { digest: keys.digest(digestParts(subject, code)) },
        async send(order) {
          const verification = await verifications.create({
            recipient: subject.phone,
            ...(template !== undefined && { template: templateOnWire(template) }),
            channels: channelsOnWire(order),
            custom_otp: code,
          });
          return verification.verificationId;
        },
      };
    },
    async check(code, subject, { digest, expiresAt }) {
      // A record without a digest costs the same comparison, and is never right.
      const matches = keys.matches(digestParts(subject, code), digest ?? "");
      return matches && digest !== undefined && clock.now() < expiresAt ? "right" : "wrong";
    },
  });
}

/** Draws a code; all from 000000 to 999999 are equally likely. */
export function newCode(length: number): string {
  return randomInt(10 ** length)
    .toString()
    .padStart(length, "0");
}
