import { z } from "zod";
import type { ServiceClient } from "../service/client.ts";
import type { Clock } from "../util/clock.ts";
import type { CodeKeys } from "../util/keys.ts";
import { functionOption, strictOptions } from "../util/parse-options.ts";
import type { LoginCode } from "./login-code.ts";
import type { AcceptedCode } from "./outgoing-code.ts";
import type { Purpose } from "./purpose.ts";

/** The binding of a code: the same digits are wrong in another transaction, for another number or another purpose. */
export interface CodeSubject {
  /** The transaction's key in the store. */
  readonly transactionKey: string;
  /** The number in E.164. */
  readonly phone: string;
  readonly purpose: Purpose;
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
  /** The channels, in the order in which they are tried. */
  readonly channels: readonly string[];
  /** True when a right code is right only once, so that the answer must be stored before it is acted on. */
  readonly answersOnce: boolean;
  /** True when another send may carry the same code, so that a text which comes late is right as well. */
  readonly repeatsCodes: boolean;
  /** True when each code is a message of the service, which the kit remembers by its id. */
  readonly sendsMessages: boolean;
  /** Tells whether the codes of a number may get longer, as `codeLength` of a transaction says, after many wrong ones. */
  lengthensCodes(phone: string): boolean;
  /**
   * Sends the newest code of a transaction, once.
   *
   * @throws DoorcodeError with `outcome` "refused" when the code was surely not sent.
   */
  send(subject: CodeSubject, loginCode: LoginCode, channels: readonly string[]): Promise<AcceptedCode>;
  /** Checks a code. @throws DoorcodeError when it could not be checked; the same code may then be tried again. */
  check(code: string, subject: CodeSubject, loginCode: LoginCode): Promise<CodeCheckResult>;
}

/** The tools of a strategy. Those of the service throw a TypeError if `service` was not configured: read them only if needed. */
export interface CodeTools {
  readonly verifications: ServiceClient["verifications"];
  readonly messages: ServiceClient["messages"];
  readonly keys: CodeKeys;
  readonly clock: Clock;
  /** The origins of the pages that log in, as the app has listed them. */
  readonly origins: readonly string[] | undefined;
}

/** The return type of `serviceCodes`, `appCodes` and `providerCodes`: creates the strategy once its tools exist. */
export type CodeStrategyFactory = (tools: CodeTools) => CodeStrategy;

const strategyParts = z.object({
  digits: z.object({ min: z.int(), max: z.int() }),
  channels: z.array(z.string()).min(1),
  send: functionOption(),
  check: functionOption(),
});

/** Tells a strategy from anything else that a function of the app may return. */
export function isCodeStrategy(value: unknown): boolean {
  return strategyParts.safeParse(value).success;
}

/** Returns what the codes of a transaction are bound to. */
export function subjectOf(transactionKey: string, { phone, purpose }: LoginCode): CodeSubject {
  return { transactionKey, phone, purpose };
}

/** Returns the parts that bind a code to its transaction, number and purpose. */
export function subjectParts({ transactionKey, phone, purpose }: CodeSubject): readonly string[] {
  return [transactionKey, phone, purpose];
}

/** A template of the service: its name, or its name and variables. */
export type Template = string | TemplateWithVariables;

/** A template of the service that has variables. */
export interface TemplateWithVariables {
  /** The name of the template. */
  readonly name: string;
  /** The values of its variables, by their names. */
  readonly variables?: Readonly<Record<string, string>>;
}

const templateName = z.string("expected the name of a template").min(1, "expected the name of a template");
const expectedVariables = "expected a text for each variable of the template";

/**
 * The shape of the option `template`.
 *
 * @internal
 */
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

const expectedChannels = 'expected names of channels in capitals, such as "SMS"';

/**
 * The shape of the option `channels`; SMS by default.
 *
 * @internal
 */
export const channelsShape: z.ZodDefault<z.ZodArray<z.ZodString>> = z
  .array(
    z.string(expectedChannels).regex(/^[A-Z][A-Z0-9_]*$/, expectedChannels),
    'expected a list such as ["SMS", "WHATSAPP"]',
  )
  .min(1, "expected at least one channel")
  .default(["SMS"]);

/** Writes a template as the service expects it. */
export function templateOnWire(template: Template): { name: string; variables: Record<string, string> } {
  return typeof template === "string"
    ? { name: template, variables: {} }
    : { name: template.name, variables: { ...template.variables } };
}

/** Writes channels as the service expects them: priority 1 is tried first. */
export function channelsOnWire(channels: readonly string[]): { channel_name: string; priority: number }[] {
  return channels.map((channel_name, index) => ({ channel_name, priority: index + 1 }));
}
