import { z } from "zod";
import { type Channel, requireOffered } from "../phone/allowed-numbers.ts";
import { type ByCountry, byCountryOption, forNumber } from "../phone/by-country.ts";
import type { VerificationRequest } from "../service/verifications.ts";
import { DoorcodeError, isDoorcodeError } from "../util/errors.ts";
import { parseOptions, strictOptions, wholeNumberOption } from "../util/parse-options.ts";
import {
  type CodeCheckResult,
  type CodeStrategy,
  type CodeStrategyFactory,
  type CodeTools,
  channelsShape,
  maxCodeSeconds,
} from "./code-strategy.ts";

/** A template of the service: its name, or its name and variables. */
export type Template =
  | string
  | {
      /** The name of the template. */
      readonly name: string;
      /** The values of its variables, by their names. */
      readonly variables?: Readonly<Record<string, string>>;
    };

/** Options of {@link serviceCodes}. */
export interface ServiceCodesOptions {
  /** The template of the service that carries the code; also a table by country. */
  readonly template: ByCountry<Template>;
  /** The channels, in the order in which the service tries them; also a table by country. Default: `["SMS"]`. */
  readonly channels?: ByCountry<readonly Channel[]>;
  /** The number of digits of the service's codes, from 4 to 10. Default: codes of 6 to 10 digits are accepted. */
  readonly codeLength?: number;
  /** The time to enter the code, from 30 to 600; the service's own limit may be shorter. Default: 600. */
  readonly lifetimeSeconds?: number;
}

const templateName = z.string("expected the name of a template").min(1, "expected the name of a template");
const expectedVariables = "expected a text for each variable of the template";

/** The shape of the option `template`. @internal */
export const templateShape: z.ZodType<Template> = z.union(
  [
    z.string().min(1),
    strictOptions({
      name: templateName,
      variables: z.record(z.string(), z.string(expectedVariables), expectedVariables).exactOptional(),
    }),
  ],
  "expected the name of a template, or { name, variables }",
);

const shape = strictOptions(
  {
    template: byCountryOption(templateShape),
    channels: channelsShape,
    codeLength: wholeNumberOption(4, 10).optional(),
    lifetimeSeconds: wholeNumberOption(30, maxCodeSeconds).default(maxCodeSeconds),
  },
  '{ template: "login" }',
);

/**
 * Lets the service own the code: the service creates, sends, expires and checks it.
 *
 * @throws TypeError for a wrong option.
 * @see "Verification request" and "Confirmation request and response" of the specification
 */
export function serviceCodes(options: ServiceCodesOptions): CodeStrategyFactory {
  const { template, channels, codeLength, lifetimeSeconds } = parseOptions("serviceCodes", shape, options);

  return ({ service: { verifications }, countries }: CodeTools): CodeStrategy => {
    requireOffered("serviceCodes", { template, channels }, countries);
    return {
      // Four digits are guessed too soon: NIST asks for six, so an app has to ask for fewer.
      digits: { min: codeLength ?? 6, max: codeLength ?? 10 },
      lifetimeSeconds,
      channels,
      answersOnce: true,
      sendsMessages: false,
      lengthensCodes: () => false,
      async send({ phone }, order) {
        const { verificationId } = await verifications.create(verificationTo(phone, forNumber(template, phone), order));
        if (verificationId !== undefined) return { verificationId };
        // Without the id, no code of this verification can be confirmed.
        throw new DoorcodeError("service_unreadable", {
          outcome: "unknown",
          message:
            "The service's answer holds no verification id: return it from the option service.readVerificationId.",
        });
      },
      async check(typed, { verificationId }) {
        // Only the login of a test number has no id, when the last day of test numbers is over.
        if (verificationId === undefined) return "ended";
        try {
          await verifications.confirm(verificationId, { otp_code: typed });
          return "right";
        } catch (error) {
          return readRefusal(error);
        }
      },
    };
  };
}

/** Describes a verification: the channel with priority 1 is tried first. @see "Verification request" of the specification */
export function verificationTo(
  phone: string,
  template: Template | undefined,
  channels: readonly string[],
): VerificationRequest {
  const { name, variables = {} } = typeof template === "object" ? template : { name: template };
  return {
    recipient: phone,
    ...(name !== undefined && { template: { name, variables } }),
    channels: channels.map((channel_name, index) => ({ channel_name, priority: index + 1 })),
  };
}

/** Reads a refusal of the code. Any other failure says nothing about the code and is thrown on. */
function readRefusal(error: unknown): CodeCheckResult {
  if (!isDoorcodeError(error)) throw error;
  switch (error.code) {
    case "verify.invalid_code":
      return "wrong";
    case "verify.max_attempts_reached":
      return "exhausted";
    case "verify.expired":
      return "expired";
    case "service_not_found":
      return "ended";
    default:
      throw error;
  }
}
