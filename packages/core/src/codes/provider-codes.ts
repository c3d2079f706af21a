import { z } from "zod";
import { type Awaitable, CallbackMistake } from "../util/call-app.ts";
import { functionOption, parseOptions, strictOptions, wholeNumberOption } from "../util/parse-options.ts";
import type { OutgoingCode } from "./app-senders.ts";
import { callProvider, type SendRefusal, throwIfNotSent } from "./call-provider.ts";
import { channelsShape } from "./code-options.ts";
import { type CodeCheckResult, type CodeStrategy, type CodeStrategyFactory, maxCodeSeconds } from "./code-strategy.ts";

/** A code that the provider is to create and send. */
export interface CodeToRequest extends Omit<OutgoingCode, "code"> {
  /** The first of `channels`: the one that the page asked for, or else the usual one. */
  readonly channel: string;
  /** Aborts when the kit gives the call up, after 10 seconds. */
  readonly signal: AbortSignal;
}

/** A typed code that the provider is to check. */
export interface CodeToCheck {
  /** The id that `send` has returned for the newest code of this login. */
  readonly id: string;
  /** The digits that the person has typed. */
  readonly code: string;
  /** The number in E.164. */
  readonly phone: string;
  /** Aborts when the kit gives the call up, after 10 seconds. */
  readonly signal: AbortSignal;
}

/** Options of {@link providerCodes}. */
export interface ProviderCodesOptions {
  /**
   * Lets the provider send a new code, once, and returns the provider's id of it. If it throws, the code may be on its
   * way: it counts, and the browser gets `service_unavailable`.
   */
  readonly send: (code: CodeToRequest) => Awaitable<{ readonly id: string } | SendRefusal>;
  /**
   * Asks the provider about a typed code: true if it is right, false if it is wrong. Ask by `id`, which belongs to this
   * login alone; a code that was sent to the number for another login must be wrong. If it throws or is late, the
   * attempt is used, no wrong code is counted, and the same code may be tried again.
   */
  readonly check: (code: CodeToCheck) => Awaitable<boolean | Exclude<CodeCheckResult, "right" | "wrong">>;
  /** The channels that a page may ask for; the first is the usual one. Default: `["SMS"]`. */
  readonly channels?: readonly string[];
  /** The number of digits of the provider's codes, from 4 to 10. Default: codes of 6 to 10 digits are accepted. */
  readonly codeLength?: number;
  /**
   * The time in which the code must be entered, from 30 to 600; the provider's own limit may be shorter. Default: 600.
   */
  readonly lifetimeSeconds?: number;
}

const shape = strictOptions(
  {
    send: functionOption("expected a function that has a code sent: async ({ phone, signal }) => ({ id })"),
    check: functionOption("expected a function that checks a code: async ({ id, code, signal }) => true or false"),
    channels: channelsShape,
    codeLength: wholeNumberOption(4, 10).optional(),
    lifetimeSeconds: wholeNumberOption(30, maxCodeSeconds).default(maxCodeSeconds),
  },
  "{ send, check }",
);

/**
 * Lets another provider own the code: it creates, sends, expires and checks it. The limits, the attempts and the
 * session stay the kit's, and `service` is not needed.
 *
 * @throws TypeError for a wrong option.
 * @example
 * import { providerCodes } from "@doorcode/core";
 * import { provider } from "./provider.js";
 * const codes = providerCodes({
 *   send: async ({ phone, signal }) => ({ id: await provider.sendCode(phone, signal) }),
 *   check: async ({ id, code, signal }) => provider.isRight(id, code, signal),
 * });
 */
export function providerCodes(options: ProviderCodesOptions): CodeStrategyFactory {
  const { channels, codeLength, lifetimeSeconds } = parseOptions("providerCodes", shape, options);

  return ({ clock }): CodeStrategy => ({
    // As with `serviceCodes`: an app has to ask for fewer than six digits.
    digits: { min: codeLength ?? 6, max: codeLength ?? 10 },
    lifetimeSeconds,
    channels,
    answersOnce: true,
    repeatsCodes: false,
    sendsMessages: false,
    lengthensCodes: () => false,
    async send({ phone, purpose, language, loginId, sends }, order) {
      const [channel = ""] = order;
      const code = { phone, purpose, language, loginId, sendNumber: sends, channels: order, channel };
      const answer = await callProvider("providerCodes.send", clock, (signal) => options.send({ ...code, signal }));
      throwIfNotSent("providerCodes.send", answer);
      return { verificationId: readId(answer) };
    },
    async check(code, { phone, verificationId: id }) {
      // `send` never leaves a login without an id. Only the login of a test number has none, whose last day is over
      // now.
      if (id === undefined) return "ended";
      const asked = { id, code, phone };
      return readResult(
        await callProvider("providerCodes.check", clock, (signal) => options.check({ ...asked, signal })),
      );
    },
  });
}

const sentShape = z.object({ id: z.string().min(1).max(500) });

function readId(answer: unknown): string {
  const sent = sentShape.safeParse(answer);
  if (sent.success) return sent.data.id;
  throw new CallbackMistake('providerCodes.send must return { id }, or "refused" or "unavailable" if it sent nothing.');
}

/** Only `true` is right: a truthy answer of a provider must never log anybody in. */
function readResult(answer: unknown): CodeCheckResult {
  if (answer === true) return "right";
  if (answer === false) return "wrong";
  if (answer === "expired" || answer === "ended" || answer === "exhausted") return answer;
  throw new CallbackMistake('providerCodes.check must return true, false, "expired", "ended" or "exhausted".');
}
