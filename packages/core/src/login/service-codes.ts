import { z } from "zod";
import { DoorcodeError, isDoorcodeError } from "../errors.ts";
import { parseOptions } from "../parse-options.ts";
import {
  type CodeStrategy,
  type CodeStrategyFactory,
  type CodeTools,
  type CodeVerdict,
  channelsOnWire,
  channelsShape,
  type Template,
  templateOnWire,
  templateShape,
} from "./code-strategy.ts";

/** Options of {@link serviceCodes}. */
export interface ServiceCodesOptions {
  /** The template of the service that carries the code. */
  readonly template: Template;
  /** In the order in which the service tries them. Default: `["SMS"]`. */
  readonly channels?: readonly string[];
  /** The digits of the service's codes, when you know them. Any from 4 to 10 pass otherwise. */
  readonly codeLength?: number;
  /** How long a login stays open for its code; the service's own limit may be shorter. Default: 600. */
  readonly lifetimeSeconds?: number;
}

const shape = z.strictObject({
  template: templateShape,
  channels: channelsShape,
  codeLength: z.int().min(4).max(10).optional(),
  lifetimeSeconds: z.int().min(30).max(3600).default(600),
});

/**
 * Lets the service own the code: it makes, sends, expires and checks it.
 *
 * @throws TypeError for a wrong option.
 * @see "Verification request" and "Confirmation request and response" of the specification
 * @example
 * import { serviceCodes } from "@doorcode/core";
 * const codes = serviceCodes({ template: "login", channels: ["WHATSAPP", "SMS"] });
 */
export function serviceCodes(options: ServiceCodesOptions): CodeStrategyFactory {
  const { template, channels, codeLength, lifetimeSeconds } = parseOptions("serviceCodes", shape, options);

  return ({ verifications }: CodeTools): CodeStrategy => ({
    digits: { fewest: codeLength ?? 4, most: codeLength ?? 10 },
    lifetimeSeconds,
    channels,
    answersOnce: true,
    issue: ({ phone }) => ({
      remembered: {},
      async send(order) {
        const verification = await verifications.create({
          recipient: phone,
          template: templateOnWire(template),
          channels: channelsOnWire(order),
        });
        if (verification.verificationId !== undefined) return verification.verificationId;
        // Without it no code of this verification can ever be confirmed.
        throw new DoorcodeError("service_unreadable", {
          outcome: "unknown",
          message:
            "The service's answer holds no id of the verification: say where it is in service.readVerificationId.",
        });
      },
    }),
    async check(code, _subject, { verificationId }) {
      // A record without an id is none that `send` left behind: there is nothing to ask about.
      if (verificationId === undefined) return "ended";
      try {
        await verifications.confirm(verificationId, { otp_code: code });
        return "right";
      } catch (error) {
        return readVerdict(error);
      }
    },
  });
}

/** Reads a refusal that speaks of the code; any other failure says nothing about it and is thrown on. */
function readVerdict(error: unknown): CodeVerdict {
  if (!isDoorcodeError(error)) throw error;
  switch (error.code) {
    case "verify.invalid_code":
    // A 400 without a code that we know: the request was checked before it left, so it speaks of the one-time code.
    case "service_invalid_request":
      return "wrong";
    case "verify.max_attempts_reached":
      return "exhausted";
    case "verify.expired":
    case "service_not_found":
      return "ended";
    default:
      throw error;
  }
}
