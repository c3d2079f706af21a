import { z } from "zod";
import { strictOptions, wholeNumberOption } from "../util/parse-options.ts";
import type { Channel } from "./channel.ts";
import { channelsShape, type Template, templateShape } from "./code-strategy.ts";
import { type CodeTexts, codeTextsShape } from "./code-texts.ts";
import { maxCodeSeconds } from "./login-code.ts";
import type { SendCode } from "./send-by-app.ts";

/** The options of {@link appCodes}, whoever sends its codes. */
interface AppCodeOptions {
  /** The number of digits, from 6 to 10, of a number without many wrong codes. Default: 6. */
  readonly codeLength?: number;
  /** The lifetime of a code from each send, from 30 to 600. Default: 300. */
  readonly lifetimeSeconds?: number;
}

/** The options of texts that the app words. */
interface TextOptions {
  /** The texts by language; the first is that of everybody else. Default: texts of the kit in English and German. */
  readonly text?: CodeTexts;
  /** The host of the login page, to which texts bind the code, if `origins` has several. */
  readonly host?: string;
}

/** The service words and sends the code, as a verification with `custom_otp`. */
export interface VerificationCodes extends AppCodeOptions {
  /** The template to send beside `custom_otp`, if your service requires one; the specification leaves that open. */
  readonly template?: Template;
  /** The channels, in the order in which the service tries them. Default: `["SMS"]`. */
  readonly channels?: readonly Channel[];
  readonly sender?: never;
  readonly send?: never;
  readonly text?: never;
  readonly host?: never;
}

/** The app words the code, and the service sends it as a message. Messages are SMS only. */
export interface MessageCodes extends AppCodeOptions, TextOptions {
  /** The sender of the messages: a sender ID that is registered on the account, or a rented number. */
  readonly sender: string;
  /** SMS, the only channel of messages. */
  readonly channels?: readonly ["SMS"];
  readonly send?: never;
  readonly template?: never;
}

/** The app sends the code itself: over another provider, by e-mail. */
export interface SelfSentCodes extends AppCodeOptions, TextOptions {
  /** Sends a code, once. */
  readonly send: SendCode;
  /** The channels that a page may ask for; the first is the usual one. Default: `["SMS"]`. */
  readonly channels?: readonly Channel[];
  readonly sender?: never;
  readonly template?: never;
}

/** Options of {@link appCodes}: by default the service words and sends a code, with `sender` the app words it, with `send` it sends it too. */
export type AppCodesOptions = VerificationCodes | MessageCodes | SelfSentCodes;

/** The checked options, in one form for all senders, with their defaults. */
export interface CheckedAppCodes {
  readonly template?: Template | undefined;
  readonly sender?: string | undefined;
  readonly send?: SendCode | undefined;
  readonly text?: CodeTexts | undefined;
  readonly host?: string | undefined;
  readonly channels: readonly string[];
  readonly codeLength: number;
  readonly lifetimeSeconds: number;
}

const expectedSender = 'expected a sender that is registered on the account, such as "Example", or a rented number';
const expectedSend = "expected a function that sends a code: async ({ phone, text, signal }) => { … }";

/**
 * The shape of {@link AppCodesOptions}. It also refuses options that do not go together.
 *
 * @internal
 */
export const appCodesShape: z.ZodType<CheckedAppCodes> = strictOptions({
  template: templateShape.optional(),
  sender: z.string(expectedSender).min(1, expectedSender).optional(),
  send: z.custom<SendCode>((value) => typeof value === "function", expectedSend).optional(),
  text: codeTextsShape.optional(),
  host: z.string("expected the host of the login page, such as app.example.com").optional(),
  channels: channelsShape,
  codeLength: wholeNumberOption(6, 10).default(6),
  lifetimeSeconds: wholeNumberOption(30, maxCodeSeconds).default(300),
}).superRefine((options, context) => {
  const mistake = mistakeIn(options);
  if (mistake) context.addIssue({ code: "custom", path: [mistake.option], message: mistake.fix });
});

function mistakeIn(
  options: CheckedAppCodes,
): { readonly option: keyof CheckedAppCodes; readonly fix: string } | undefined {
  const { template, sender, send, text, host, channels } = options;
  const wordsText = sender !== undefined || send !== undefined;
  if (sender !== undefined && send !== undefined) {
    return {
      option: "send",
      fix: "leave out sender, with which the service sends your texts, or send, with which you do",
    };
  }
  if (wordsText && template !== undefined) {
    return {
      option: "template",
      fix: "leave it out: it belongs to texts of the service, and sender and send to your own",
    };
  }
  if (!wordsText && (text !== undefined || host !== undefined)) {
    const option = text === undefined ? "host" : "text";
    return { option, fix: 'add the sender of your texts, such as sender: "Example", or send, to send them yourself' };
  }
  if (sender !== undefined && channels.join() !== "SMS") {
    return {
      option: "channels",
      fix: "leave it out: the service sends texts of yours as SMS only. Other channels need send",
    };
  }
  return undefined;
}
