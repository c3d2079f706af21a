import type { ServiceClient } from "../service/client.ts";
import { type Awaitable, CallbackMistake } from "../util/call-app.ts";
import type { Clock } from "../util/clock.ts";
import { callProvider, type SendRefusal, throwIfNotSent } from "./call-provider.ts";
import { type Template, verificationTo } from "./code-options.ts";
import type { AcceptedCode } from "./code-strategy.ts";
import type { WordCode } from "./code-texts.ts";
import type { Purpose } from "./purpose.ts";

/** A code that is to be sent now, once. */
export interface OutgoingCode {
  /** The number in E.164. */
  readonly phone: string;
  /** The code: digits. */
  readonly code: string;
  /** The channels, in the order in which they are to be tried. */
  readonly channels: readonly string[];
  /** The language of the page (BCP 47), such as `pt-BR`; `undefined` if the page has not named any. */
  readonly language: string | undefined;
  readonly purpose: Purpose;
  readonly loginId: string;
  /** The number of this send in the login, counted from 1. With `loginId` it is your idempotency key. */
  readonly sendNumber: number;
}

/** A code that the app sends itself. */
export interface CodeToSend extends OutgoingCode {
  /** The first of `channels`: the one that the page asked for, or else the usual one. */
  readonly channel: string;
  /** The text for an SMS, in the person's language, with the last line that browsers read. */
  readonly text: string;
  /** Aborts when the kit gives the send up, after 10 seconds. */
  readonly signal: AbortSignal;
}

/**
 * Sends a code, once. It returns nothing as soon as the provider has accepted the code.
 *
 * If it throws, or has not answered after 10 seconds, the code may be on its way: it counts, and the browser gets
 * `service_unavailable`. An error's name, `code` and first words reach `onEvent`, without numbers; nothing else of it
 * does, because clients put the request that failed, and so the code, into their errors.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement returns void.
export type SendCode = (code: CodeToSend) => Awaitable<SendRefusal | null | undefined | void>;

/**
 * Sends a code, once.
 *
 * @throws DoorcodeError with `outcome` "refused" when the code was surely not sent.
 */
export type SendOutgoingCode = (outgoing: OutgoingCode) => Promise<AcceptedCode>;

/**
 * Creates the sender that has the service word and send a code of the app.
 *
 * @see "Verification request" of the specification, `custom_otp`
 */
export function sendAsVerification(
  template: Template | undefined,
  verifications: ServiceClient["verifications"],
): SendOutgoingCode {
  return async ({ phone, code, channels }) => {
    const request = { ...verificationTo(phone, template, channels), custom_otp: code };
    const { verificationId } = await verifications.create(request);
    return { verificationId };
  };
}

/** Creates the sender that has the service send a text of the app. @see "Message request" of the specification */
export function sendAsMessage(
  sender: string,
  wordCode: WordCode,
  messages: ServiceClient["messages"],
): SendOutgoingCode {
  return async (outgoing) => {
    const text = wordCode(outgoing.code, outgoing);
    const channels = [{ channel: "SMS", sender, content: { text } }] as const;
    const accepted = await messages.send({ recipients: [outgoing.phone], channels });
    return { messageId: accepted.messages[0]?.message_id };
  };
}

/** Creates the sender that is a function of the app. */
export function sendByApp(send: SendCode, wordCode: WordCode, clock: Clock): SendOutgoingCode {
  return async (outgoing) => {
    const text = wordCode(outgoing.code, outgoing);
    const [channel = ""] = outgoing.channels;
    const answer: unknown = await callProvider("appCodes.send", clock, (signal) =>
      send({ ...outgoing, channel, text, signal }),
    );
    throwIfNotSent("appCodes.send", answer);
    if (answer === undefined || answer === null) return {};
    // Perhaps it is the answer of a provider that has refused the code: only the app can read it.
    throw new CallbackMistake('appCodes.send must return nothing, or "refused" or "unavailable" if it sent nothing.');
  };
}
