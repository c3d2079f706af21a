import type { Awaitable } from "../primitives/awaitable.ts";
import { callApp } from "../primitives/call-app.ts";
import type { Clock } from "../primitives/clock.ts";
import { createDeadline } from "../primitives/deadline.ts";
import { summarizeError } from "../primitives/error-summary.ts";
import { DoorcodeError } from "../primitives/errors.ts";
import { CallbackMistake } from "./callbacks.ts";
import type { WordCode } from "./code-texts.ts";
import type { AcceptedCode, OutgoingCode, SendOutgoingCode } from "./outgoing-code.ts";

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
 * The answer of a sender that has surely not sent the code, so that it does not count for the number.
 *
 * - `refused`: the provider does not send to this number. The browser gets `send_failed`.
 * - `unavailable`: the provider may send it later. The browser gets `service_unavailable`.
 */
export type SendRefusal = "refused" | "unavailable";

/**
 * Sends a code, once. It returns nothing as soon as the provider has accepted the code.
 *
 * If it throws, or has not answered after 10 seconds, the code may be on its way: it counts, and the browser gets
 * `service_unavailable`. An error's name, `code` and first words reach `onEvent`, without numbers; nothing else of it does, because
 * clients put the request that failed, and so the code, into their errors.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement returns void.
export type SendCode = (code: CodeToSend) => Awaitable<SendRefusal | null | undefined | void>;

const maxSeconds = 10;

/** Creates the sender that is a function of the app. */
export function sendByApp(send: SendCode, wordCode: WordCode, clock: Clock): SendOutgoingCode {
  return async (outgoing) => {
    const controller = new AbortController();
    const deadline = createDeadline(clock, maxSeconds, () => {
      const error = new Error(`appCodes.send took longer than ${maxSeconds} seconds.`);
      controller.abort(error);
      return error;
    });
    const text = wordCode(outgoing.code, outgoing);
    const [channel = ""] = outgoing.channels;
    const sending = callApp("appCodes.send", () => send({ ...outgoing, channel, text, signal: controller.signal }));
    try {
      return readAnswer(await deadline.race(sending).catch(throwSummary));
    } finally {
      deadline.clear();
    }
  };
}

function readAnswer(answer: unknown): AcceptedCode {
  switch (answer ?? undefined) {
    case undefined:
      return {};
    case "refused":
      throw new DoorcodeError("send_failed", { outcome: "refused", message: 'appCodes.send answered "refused".' });
    case "unavailable":
      throw new DoorcodeError("service_unavailable", {
        outcome: "refused",
        message: 'appCodes.send answered "unavailable".',
      });
    default:
      // Perhaps it is the answer of a provider that has refused the code: only the app can read it.
      throw new CallbackMistake('appCodes.send must return nothing, or "refused" or "unavailable" if it sent nothing.');
  }
}

/** Throws in place of an error of the app, which may hold the code. The summary has no digits that could be one. */
function throwSummary(error: unknown): never {
  const { name, code, message } = summarizeError(error);
  const words = [name, code, message].filter((word) => word !== undefined && word !== "").join(" ");
  throw new DoorcodeError("service_unavailable", { outcome: "unknown", message: `appCodes.send failed: ${words}.` });
}
