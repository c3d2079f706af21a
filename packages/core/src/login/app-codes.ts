import { DoorcodeError } from "../primitives/errors.ts";
import { parseOptions, strictOptions, wholeNumberOption } from "../primitives/parse-options.ts";
import {
  type CodeStrategy,
  type CodeStrategyFactory,
  type CodeSubject,
  type CodeTools,
  channelsOnWire,
  channelsShape,
  subjectParts,
  type Template,
  templateOnWire,
  templateShape,
} from "./code-strategy.ts";
import { type LoginTransaction, maxCodeSeconds } from "./transaction.ts";

/** Options of {@link appCodes}. */
export interface AppCodesOptions {
  /** The template to send beside `custom_otp`, if your service requires one; the specification leaves that open. */
  readonly template?: Template;
  /** The channels, in the order in which the service tries them. Default: `["SMS"]`. */
  readonly channels?: readonly string[];
  /** The number of digits, from 6 to 10, of a number without many wrong codes. Default: 6. */
  readonly codeLength?: number;
  /** The lifetime of a code from each send, from 30 to 600. Default: 300. */
  readonly lifetimeSeconds?: number;
}

const shape = strictOptions({
  template: templateShape.optional(),
  channels: channelsShape,
  codeLength: wholeNumberOption(6, 10).default(6),
  lifetimeSeconds: wholeNumberOption(30, maxCodeSeconds).default(300),
});

/**
 * Lets the app own the code: the kit creates and checks it, and the service delivers it as `custom_otp`.
 *
 * A code is derived by HMAC from a key of the app and a random seed in the store, over transaction, number and purpose, and is
 * itself stored nowhere. So another send within half of its longest life carries the same code, and a text that comes late
 * is right as well. Wrong codes make the next codes of a number longer, up to ten digits, instead of closing the number.
 *
 * @throws TypeError for a wrong option.
 * @see "Verification request" of the specification, `custom_otp`
 * @example
 * import { appCodes } from "@doorcode/core";
 * const codes = appCodes({ channels: ["SMS"], lifetimeSeconds: 300 });
 */
export function appCodes(options: AppCodesOptions = {}): CodeStrategyFactory {
  const { template, channels, codeLength, lifetimeSeconds } = parseOptions("appCodes", shape, options);

  return ({ verifications, keys }: CodeTools): CodeStrategy => {
    const codeOf = (subject: CodeSubject, { codeKey, codeSeed, codeNumber, ...chosen }: LoginTransaction) =>
      keys.deriveCode(
        codeKey,
        [...subjectParts(subject), codeSeed, String(codeNumber)],
        chosen.codeLength ?? codeLength,
      );

    return {
      digits: { min: codeLength, max: codeLength },
      lifetimeSeconds,
      channels,
      answersOnce: false,
      repeatsCodes: true,
      lengthensCodes: () => true,
      async send(subject, transaction, order) {
        const code = codeOf(subject, transaction);
        // The password under which this login began is no longer in the list.
        if (code === undefined) throw new DoorcodeError("send_failed", { outcome: "refused" });
        const verification = await verifications.create({
          recipient: subject.phone,
          ...(template !== undefined && { template: templateOnWire(template) }),
          channels: channelsOnWire(order),
          custom_otp: code,
        });
        return verification.verificationId;
      },
      async check(code, subject, transaction) {
        const right = codeOf(subject, transaction);
        if (right === undefined) return "ended";
        return keys.isSameCode(code, right) ? "right" : "wrong";
      },
    };
  };
}
