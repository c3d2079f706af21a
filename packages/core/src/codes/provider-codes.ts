import { z } from "zod";
import { requireOffered } from "../phone/allowed-numbers.ts";
import type { ByCountry } from "../phone/by-country.ts";
import { type Awaitable, CallbackMistake, callAppInTime } from "../util/call-app.ts";
import type { Clock } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import { functionOption, parseOptions, strictOptions, wholeNumberOption } from "../util/parse-options.ts";
import { summarizeError } from "../util/redact.ts";
import {
  type CodeCheckResult,
  type CodeStrategy,
  type CodeStrategyFactory,
  channelsShape,
  type LoginCode,
  maxCodeSeconds,
  type Purpose,
} from "./code-strategy.ts";

/** A code that the provider is to create and send. */
export interface CodeToRequest {
  /** The number in E.164. */
  readonly phone: string;
  /** The channels, in the order in which they are to be tried. */
  readonly channels: readonly string[];
  /** The first of `channels`: the one that the page asked for, or else the usual one. */
  readonly channel: string;
  /** The language of the page (BCP 47), such as `pt-BR`; `undefined` if the page has not named any. */
  readonly language: string | undefined;
  readonly purpose: Purpose;
  readonly loginId: string;
  /** The number of this send in the login, counted from 1. With `loginId` it is your idempotency key. */
  readonly sendNumber: number;
  /** Aborts when the kit gives the send up, after 10 seconds. */
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

/**
 * The answer of a sender that has surely not sent the code, so that it does not count for the number.
 *
 * - `refused`: the provider does not send to this number. The browser gets `send_failed`.
 * - `unavailable`: the provider may send it later. The browser gets `service_unavailable`.
 */
export type SendRefusal = "refused" | "unavailable";

/** Options of {@link providerCodes}. */
export interface ProviderCodesOptions {
  /**
   * Lets the provider send a new code, once, and returns the provider's id of it. If it throws, the code may be on its way: it counts, and
   * the browser gets `service_unavailable`.
   */
  readonly send: (code: CodeToRequest) => Awaitable<{ readonly id: string } | SendRefusal>;
  /**
   * Asks the provider about a typed code: true if it is right, false if it is wrong. Ask by `id`, which belongs to this
   * login alone; a code that was sent to the number for another login must be wrong. If it throws or is late, the
   * attempt is used, no wrong code is counted, and the same code may be tried again.
   */
  readonly check: (code: CodeToCheck) => Awaitable<boolean | Exclude<CodeCheckResult, "right" | "wrong">>;
  /** The channels that a page may ask for; the first is the usual one. Also a table by country. Default: `["SMS"]`. */
  readonly channels?: ByCountry<readonly string[]>;
  /** The number of digits of the provider's codes, from 4 to 10. Default: codes of 6 to 10 digits are accepted. */
  readonly codeLength?: number;
  /** The time to enter the code, from 30 to 600; the provider's own limit may be shorter. Default: 600. */
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

  return ({ clock, countries }): CodeStrategy => {
    requireOffered("providerCodes", { channels }, countries);
    return {
      // As with `serviceCodes`: an app has to ask for fewer than six digits.
      digits: { min: codeLength ?? 6, max: codeLength ?? 10 },
      lifetimeSeconds,
      channels,
      answersOnce: true,
      sendsMessages: false,
      lengthensCodes: () => false,
      async send(code, order) {
        const requested = codeToRequest(code, order);
        const ask = (signal: AbortSignal) => options.send({ ...requested, signal });
        return { verificationId: readId(await askToSend("providerCodes.send", clock, ask)) };
      },
      async check(code, { phone, verificationId: id }) {
        // Only the login of a test number has no id, when the last day of test numbers is over.
        if (id === undefined) return "ended";
        const ask = (signal: AbortSignal) => options.check({ id, code, phone, signal });
        return readResult(await callProvider("providerCodes.check", clock, ask));
      },
    };
  };
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

/** Describes a code for a function of the app that has it sent. */
export function codeToRequest(
  { phone, purpose, language, loginId, sends }: LoginCode,
  channels: readonly string[],
): Omit<CodeToRequest, "signal"> {
  return { phone, channels, channel: channels[0] ?? "", language, purpose, loginId, sendNumber: sends };
}

/**
 * Calls a function of the app that has a code sent, and returns its answer.
 *
 * @throws {@link DoorcodeError} `send_failed` or `service_unavailable`: `outcome` is "refused" if it sent nothing, else "unknown"
 */
export async function askToSend(
  option: string,
  clock: Clock,
  call: (signal: AbortSignal) => unknown,
): Promise<unknown> {
  const answer = await callProvider(option, clock, call);
  if (answer !== "refused" && answer !== "unavailable") return answer;
  const code = answer === "refused" ? "send_failed" : "service_unavailable";
  throw new DoorcodeError(code, { outcome: "refused", message: `${option} answered "${answer}".` });
}

/**
 * Calls a function of the app that asks a provider, for at most 10 seconds. Its error may hold the code, so a summary without digits that
 * could be a code takes its place.
 */
async function callProvider(option: string, clock: Clock, call: (signal: AbortSignal) => unknown): Promise<unknown> {
  return callAppInTime(option, clock, call).catch((error: unknown) => {
    const { name, code, message } = summarizeError(error);
    const words = [name, code, message].filter((word) => word !== undefined && word !== "").join(" ");
    throw new DoorcodeError("service_unavailable", { outcome: "unknown", message: `${option} failed: ${words}.` });
  });
}
