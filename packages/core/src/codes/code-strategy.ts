import { z } from "zod";
import type { AllowedCountries } from "../phone/allowed-numbers.ts";
import { byCountryOption, type CountryTable } from "../phone/by-country.ts";
import { compactDigits } from "../phone/phone-number.ts";
import type { ServiceClient } from "../service/client.ts";
import type { Clock } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import type { CodeKeys } from "../util/keys.ts";

/** Every purpose. */
export const purposes = ["login", "link", "step_up", "verify"] as const;

/** The purpose of a login, and of its codes. It belongs to the mount, never to a request body. */
export type Purpose = (typeof purposes)[number];

/** The code of an open login: all that the owner of the codes knows of a login. */
export interface LoginCode {
  /** The login's key in the store: the same digits are wrong in another login, for another number or purpose. */
  readonly transactionKey: string;
  /** The idempotency key of this login. It gives access to nothing. */
  readonly loginId: string;
  readonly purpose: Purpose;
  readonly phone: string;
  /** The number of the newest send, counted from 1. */
  readonly sends: number;
  /** The number of the newest code, counted from 1. Several sends may carry one code. */
  readonly codeNumber: number;
  /** The name of the key from which the codes of the app are derived. */
  readonly codeKey: string;
  /** The random seed of the app's codes. Without it, a leaked password would be enough to compute them. */
  readonly codeSeed: string;
  /** The number of digits of its codes, if the kit chose it: the more wrong codes the number had, the more digits. */
  readonly codeLength?: number | undefined;
  /** The service's id of the newest send's verification. */
  readonly verificationId?: string | undefined;
  /** The language of the page that started it, for the texts of the app. */
  readonly language?: string | undefined;
  /** True once the app has suppressed a code of this login: no code is right then. Only the store knows of it. */
  readonly isSuppressed?: boolean | undefined;
}

/** The longest life of a code, from its first send until the login is finished: NIST SP 800-63B-4, section 3.1.3.2. */
export const maxCodeSeconds = 600;

/** An accepted code, under the id with which the service's webhooks report its delivery. */
export interface AcceptedCode {
  readonly verificationId?: string | undefined;
  readonly messageId?: string | undefined;
}

/** The result of checking a code. A service that cannot be asked is an error, not a result. */
export type CodeCheckResult =
  | "right"
  | "wrong"
  /** The service says that the code's time is over. */
  | "expired"
  /** No code of this transaction will be right any more. */
  | "ended"
  /** The service allows no further attempt. */
  | "exhausted";

/** The owner of the code, which creates, sends and checks it. Nothing else in a login knows which one it is. */
export interface CodeStrategy {
  /** The number of digits that a code usually has. Any other code is refused before it is counted. */
  readonly digits: { readonly min: number; readonly max: number };
  /** The lifetime of a code, and of its transaction, from each send; at most 600. */
  readonly lifetimeSeconds: number;
  /** The channels by country, in the order in which they are tried. */
  readonly channels: CountryTable<readonly string[]>;
  /**
   * True when a right code is right only once, so that the answer must be stored before it is acted on, and each send
   * carries a new code. False when another send may carry the same code, so that a text which comes late is right too.
   */
  readonly answersOnce: boolean;
  /** True when each code is a message of the service, which the kit remembers by its id. */
  readonly sendsMessages: boolean;
  /** Tells whether the codes of a number may get longer, as `codeLength` of a login says, after many wrong ones. */
  lengthensCodes(phone: string): boolean;
  /**
   * Sends the newest code of a login, once. The channels are in the order in which they are to be tried.
   *
   * @throws DoorcodeError with `outcome` "refused" when the code was surely not sent.
   */
  send(code: LoginCode, channels: readonly string[]): Promise<AcceptedCode>;
  /** Checks typed digits. @throws DoorcodeError when they could not be checked; the same code may then be tried again. */
  check(typed: string, code: LoginCode): Promise<CodeCheckResult>;
}

/** The tools of a strategy. */
export interface CodeTools {
  /** The service's client. Reading it throws a TypeError if `service` was not configured: read it only if needed. */
  readonly service: Pick<ServiceClient, "verifications" | "messages">;
  readonly keys: CodeKeys;
  readonly clock: Clock;
  readonly countries: AllowedCountries;
  /** The origins of the pages that log in, as the app has listed them. */
  readonly origins: readonly string[] | undefined;
}

/** The return type of `serviceCodes`, `appCodes` and `providerCodes`: creates the strategy once its tools exist. */
export type CodeStrategyFactory = (tools: CodeTools) => CodeStrategy;

const expectedChannels = 'expected names of channels in capitals, such as "SMS"';

/** The shape of the option `channels`; SMS by default. @internal */
export const channelsShape: z.ZodType<CountryTable<readonly string[]>> = byCountryOption(
  z
    .array(
      z.string(expectedChannels).regex(/^[A-Z][A-Z0-9_]*$/, expectedChannels),
      'expected a list such as ["SMS", "WHATSAPP"], or a table such as { default: ["SMS"], BR: ["WHATSAPP", "SMS"] }',
    )
    .min(1, "expected at least one channel"),
).default({ default: ["SMS"] });

/** Returns the parts that bind a code to its login, number and purpose. */
export function bindingOf({ transactionKey, phone, purpose }: LoginCode): readonly string[] {
  return [transactionKey, phone, purpose];
}

/**
 * Parses a typed or pasted code, in Latin, full-width, Arabic-Indic or Persian digits. Refuses anything else before an attempt is counted.
 *
 * @throws {@link DoorcodeError} `code_malformed`
 */
export function parseTypedCode(text: string | undefined, { min, max }: CodeStrategy["digits"]): string {
  if (text === undefined) throw new DoorcodeError("code_malformed", { message: "`code` is missing." });
  const code = compactDigits(text);
  if (!/^[0-9]+$/.test(code) || code.length < min || code.length > max) throw new DoorcodeError("code_malformed");
  return code;
}

/** RFC 5646, section 4.4.1: room for every language tag that is in use. */
const maxTagCharacters = 35;

/** Parses a language tag (BCP 47) into its canonical form; `undefined` for anything else, which refuses no login. */
export function parseLanguage(text: string | undefined): string | undefined {
  if (text === undefined || text.length > maxTagCharacters) return undefined;
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}
