import { z } from "zod";
import type { Clock } from "../clock.ts";
import type { CodeKeys } from "../keys.ts";
import type { ServiceClient } from "../service/client.ts";
import type { Purpose, Transaction } from "./transaction.ts";

/** What a code is bound to: the same digits are worth nothing in another transaction, for another number or purpose. */
export interface CodeSubject {
  /** The store's key of the transaction. */
  readonly transactionKey: string;
  readonly phone: string;
  readonly purpose: Purpose;
}

/** What a check of a code came to. A service that cannot be asked is an error, not a verdict. */
export type CodeVerdict =
  | "right"
  | "wrong"
  /** No code will be right any more: start again. */
  | "ended"
  | "exhausted";

/** A code on its way to a phone: what has to be remembered of it, and the act of sending it. */
export interface IssuedCode {
  /** Joins the transaction before the code is sent, so that no answer can come too early. */
  readonly remembered: Pick<Transaction, "digest">;
  /**
   * Sends it, once.
   *
   * @returns the service's id of the verification, when its answer held one.
   * @throws DoorcodeError with `outcome` "refused" when the code surely did not leave.
   */
  send(channels: readonly string[]): Promise<string | undefined>;
}

/** Who owns the code: makes it, sends it, checks it. Nothing else in a login knows which one is there. */
export interface CodeStrategy {
  /** How many digits a code may have; anything else is refused before it is counted. */
  readonly digits: { readonly fewest: number; readonly most: number };
  /** How long a code, and the transaction with it, lives from its sending. */
  readonly lifetimeSeconds: number;
  /** In the order in which they are tried. */
  readonly channels: readonly string[];
  /** True when a right code is right only once, so that the answer has to be remembered before it is acted on. */
  readonly answersOnce: boolean;
  issue(subject: CodeSubject): IssuedCode;
  /** @throws DoorcodeError when the code could not be checked; the same code may then be tried again. */
  check(code: string, subject: CodeSubject, transaction: Transaction): Promise<CodeVerdict>;
}

/** What a strategy works with. */
export interface CodeTools {
  readonly verifications: ServiceClient["verifications"];
  readonly keys: CodeKeys;
  readonly clock: Clock;
}

/** What `serviceCodes` and `appCodes` return: a strategy that waits for its tools. */
export type CodeStrategyFactory = (tools: CodeTools) => CodeStrategy;

/** The parts that every digest of a code stands over. */
export function digestParts(subject: CodeSubject, code: string): readonly string[] {
  return [subject.transactionKey, subject.phone, subject.purpose, code];
}

/** The template of the service that a code is sent with: its name, or its name and variables. */
export type Template = string | { readonly name: string; readonly variables?: Readonly<Record<string, string>> };

/** Checks a {@link Template} among options. */
export const templateShape: z.ZodType<Template> = z.union(
  [
    z.string().min(1),
    z.strictObject({ name: z.string().min(1), variables: z.record(z.string(), z.string()).exactOptional() }),
  ],
  "expected the name of a template, or { name, variables }",
);

/** Checks the list of channels among options; SMS when there is none. */
export const channelsShape: z.ZodDefault<z.ZodArray<z.ZodString>> = z
  .array(
    z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'expected names of channels in capitals, such as "SMS"'),
    'expected a list such as ["SMS", "WHATSAPP"]',
  )
  .min(1, "expected at least one channel")
  .default(["SMS"]);

/** Writes the template as the service wants it. */
export function templateOnWire(template: Template): { name: string; variables: Record<string, string> } {
  return typeof template === "string"
    ? { name: template, variables: {} }
    : { name: template.name, variables: { ...template.variables } };
}

/** Writes channels as the service wants them: priority 1 is tried first. */
export function channelsOnWire(channels: readonly string[]): { channel_name: string; priority: number }[] {
  return channels.map((channel_name, index) => ({ channel_name, priority: index + 1 }));
}
