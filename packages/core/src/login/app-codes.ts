import { randomInt } from "node:crypto";
import { z } from "zod";
import { parseOptions, strictOptions } from "../primitives/parse-options.ts";
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
  /** The template to send beside `custom_otp`, if your service requires one; the specification leaves that open. */
  readonly template?: Template;
  /** The channels, in the order in which the service tries them. Default: `["SMS"]`. */
  readonly channels?: readonly string[];
  /** The number of digits, from 6 to 10. Default: 6. */
  readonly codeLength?: number;
  /** The lifetime of a code, from 30 to 3600. Default: 300. */
  readonly lifetimeSeconds?: number;
}

const shape = strictOptions({
  template: templateShape.optional(),
  channels: channelsShape,
  codeLength: z.int().min(6).max(10).default(6),
  lifetimeSeconds: z.int().min(30).max(3600).default(300),
});

/**
 * Lets the app own the code: the kit creates and checks it, and the service delivers it as `custom_otp`.
 *
 * The store keeps a code only as an HMAC under a key of the app, over transaction, number, purpose and code.
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
    digits: { min: codeLength, max: codeLength },
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
      // A transaction without a digest costs the same comparison and is never right.
      const matches = keys.matches(digestParts(subject, code), digest ?? "");
      return matches && digest !== undefined && clock.now() < expiresAt ? "right" : "wrong";
    },
  });
}

/** Creates a random code. All codes of the length are equally likely. */
export function newCode(length: number): string {
  return randomInt(10 ** length)
    .toString()
    .padStart(length, "0");
}
