import type { Awaitable } from "../util/awaitable.ts";
import { CallbackMistake } from "../util/call-app.ts";
import type { Clock } from "../util/clock.ts";
import { callProvider, type SendRefusal, throwIfNotSent } from "./call-provider.ts";
import type { WordCode } from "./code-texts.ts";
import type { OutgoingCode, SendOutgoingCode } from "./outgoing-code.ts";

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
 * `service_unavailable`. An error's name, `code` and first words reach `onEvent`, without numbers; nothing else of it does, because
 * clients put the request that failed, and so the code, into their errors.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement returns void.
export type SendCode = (code: CodeToSend) => Awaitable<SendRefusal | null | undefined | void>;

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
