import { z } from "zod";
import { type Channel, requireOffered } from "../phone/allowed-numbers.ts";
import { type ByCountry, byCountryOption, forNumber } from "../phone/by-country.ts";
import { type Awaitable, CallbackMistake } from "../util/call-app.ts";
import { DoorcodeError } from "../util/errors.ts";
import { isSameText } from "../util/keys.ts";
import { parseOptions, strictOptions, wholeNumberOption } from "../util/parse-options.ts";
import {
  type AcceptedCode,
  bindingOf,
  type CodeStrategy,
  type CodeStrategyFactory,
  type CodeTools,
  channelsShape,
  type LoginCode,
  maxCodeSeconds,
} from "./code-strategy.ts";
import { type CodeTexts, codeTextsShape, createTextsByCountry, decideTextHost } from "./code-texts.ts";
import { defaultTexts } from "./default-texts.ts";
import { askToSend, type CodeToRequest, codeToRequest, type SendRefusal } from "./provider-codes.ts";
import { type Template, templateShape, verificationTo } from "./service-codes.ts";

/** A code that the app sends itself. */
export interface CodeToSend extends CodeToRequest {
  /** The code: digits. */
  readonly code: string;
  /** The text for an SMS, in the person's language, with the last line that browsers read. */
  readonly text: string;
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

interface AppCodeOptions {
  /** The number of digits, from 6 to 10, of a number without many wrong codes. Default: 6. */
  readonly codeLength?: number;
  /** The lifetime of a code from each send, from 30 to 600. Default: 300. */
  readonly lifetimeSeconds?: number;
}

interface TextOptions {
  /** The texts by language; the first is everybody else's. Also a table by country. Default: eight languages of the kit. */
  readonly text?: ByCountry<CodeTexts>;
  /** The host of the login page, to which texts bind the code, if `origins` has several. */
  readonly host?: string;
  /**
   * Whether a text ends with the line that binds the code to the host. `false` where a regulator has registered the text to the letter;
   * browsers cannot offer the code there. Also a table by country. Default: true.
   */
  readonly hostLine?: ByCountry<boolean>;
}

/** The service words and sends the code, as a verification with `custom_otp`. */
export interface VerificationCodes extends AppCodeOptions {
  /** The template beside `custom_otp`, if your service requires one. Also a table by country. */
  readonly template?: ByCountry<Template>;
  /** The channels, in the order in which the service tries them; also a table by country. Default: `["SMS"]`. */
  readonly channels?: ByCountry<readonly Channel[]>;
  readonly sender?: never;
  readonly send?: never;
  readonly text?: never;
  readonly host?: never;
  readonly hostLine?: never;
}

/** The app words the code, and the service sends it as a message. Messages are SMS only. */
export interface MessageCodes extends AppCodeOptions, TextOptions {
  /** The sender of the messages: a sender ID that is registered on the account, or a rented number. Also a table by country. */
  readonly sender: ByCountry<string>;
  /** SMS, the only channel of messages. */
  readonly channels?: readonly ["SMS"];
  readonly send?: never;
  readonly template?: never;
}

/** The app sends the code itself: over another provider, by e-mail. */
export interface SelfSentCodes extends AppCodeOptions, TextOptions {
  /** Sends a code, once. */
  readonly send: SendCode;
  /** The channels that a page may ask for; the first is the usual one. Also a table by country. Default: `["SMS"]`. */
  readonly channels?: ByCountry<readonly Channel[]>;
  readonly sender?: never;
  readonly template?: never;
}

/** Options of {@link appCodes}: the service words and sends a code, or the app words it, or also sends it. */
export type AppCodesOptions = VerificationCodes | MessageCodes | SelfSentCodes;

const expectedSender = 'expected a sender that is registered on the account, such as "Example", or a rented number';
const expectedSend = "expected a function that sends a code: async ({ phone, text, signal }) => { … }";

const optionsShape = strictOptions({
  template: byCountryOption(templateShape).optional(),
  sender: byCountryOption(z.string(expectedSender).min(1, expectedSender)).optional(),
  send: z.custom<SendCode>((value) => typeof value === "function", expectedSend).optional(),
  text: byCountryOption(codeTextsShape).optional(),
  host: z.string("expected the host of the login page, such as app.example.com").optional(),
  hostLine: byCountryOption(z.boolean("expected true or false")).optional(),
  channels: channelsShape,
  codeLength: wholeNumberOption(6, 10).default(6),
  lifetimeSeconds: wholeNumberOption(30, maxCodeSeconds).default(300),
});

type CheckedOptions = z.output<typeof optionsShape>;

const shape = optionsShape.superRefine((options, context) => {
  const [option, message] = findConflict(options) ?? [];
  if (option !== undefined) context.addIssue({ code: "custom", path: [option], message });
});

function findConflict({
  template,
  sender,
  send,
  text,
  host,
  hostLine,
  channels,
}: CheckedOptions): readonly [option: keyof CheckedOptions, fix: string] | undefined {
  const wordsText = sender !== undefined || send !== undefined;
  if (sender !== undefined && send !== undefined) {
    return ["send", "leave out sender, with which the service sends your texts, or send, with which you do"];
  }
  if (wordsText && template !== undefined) {
    return ["template", "leave it out: it belongs to texts of the service, and sender and send to your own"];
  }
  const ofTexts = Object.entries({ text, host, hostLine }).find(([, value]) => value !== undefined);
  if (!wordsText && ofTexts) {
    const fix = 'add the sender of your texts, such as sender: "Example", or send, to send them yourself';
    return [ofTexts[0] as keyof CheckedOptions, fix];
  }
  if (sender !== undefined && Object.values(channels).some((list) => list.join() !== "SMS")) {
    return ["channels", "leave it out: the service sends texts of yours as SMS only. Other channels need send"];
  }
  return undefined;
}

/**
 * Lets the app own the code: the kit creates and checks it. The service delivers it as `custom_otp`; with `sender` it delivers a text of
 * the app; with `send` the app delivers it.
 *
 * A code is derived by HMAC from a key of the app and a random seed in the store, over transaction, number and purpose, and is itself
 * stored nowhere. So another send within half of its longest life carries the same code, and a text that comes late is right as well. Wrong
 * codes make the next codes of a number longer, up to ten digits, instead of closing the number.
 *
 * @throws TypeError for a wrong option; of texts also when `createDoorcode` is called, which knows their host.
 * @see "Verification request" of the specification, `custom_otp`, and "Message request"
 * @example
 * import { appCodes } from "@doorcode/core";
 * const codes = appCodes({ sender: "Example", text: { en: "Your code for Example is {code}." } });
 */
export function appCodes(options: AppCodesOptions = {}): CodeStrategyFactory {
  const checked = parseOptions("appCodes", shape, options);
  const { channels, codeLength, lifetimeSeconds } = checked;

  return (tools: CodeTools): CodeStrategy => {
    const { keys, countries } = tools;
    const { template, sender, text, hostLine } = checked;
    requireOffered("appCodes", { template, sender, text, hostLine, channels }, countries);
    const sendDigits = createSender(checked, tools);
    const digitsOf = (code: LoginCode) =>
      keys.deriveCode(
        code.codeKey,
        [...bindingOf(code), code.codeSeed, String(code.codeNumber)],
        code.codeLength ?? codeLength,
      );

    return {
      digits: { min: codeLength, max: codeLength },
      lifetimeSeconds,
      channels,
      answersOnce: false,
      sendsMessages: checked.sender !== undefined,
      lengthensCodes: () => true,
      async send(loginCode, channels) {
        const digits = digitsOf(loginCode);
        // The password under which this login began is no longer in the list.
        if (digits === undefined) throw new DoorcodeError("send_failed", { outcome: "refused" });
        return sendDigits(digits, loginCode, channels);
      },
      async check(typed, loginCode) {
        const right = digitsOf(loginCode);
        if (right === undefined) return "ended";
        return isSameText(typed, right) ? "right" : "wrong";
      },
    };
  };
}

type SendDigits = (code: string, login: LoginCode, channels: readonly string[]) => Promise<AcceptedCode>;

function createSender(options: CheckedOptions, tools: CodeTools): SendDigits {
  const { template, sender, send, host, hostLine, text = { default: defaultTexts } } = options;
  const createWords = () => createTextsByCountry({ text, hostLine }, decideTextHost(tools.origins, host));
  if (send) {
    const wordCode = createWords();
    return async (code, login, channels) => {
      const outgoing = { ...codeToRequest(login, channels), code, text: wordCode(code, login) };
      const answer = await askToSend("appCodes.send", tools.clock, (signal) => send({ ...outgoing, signal }));
      if (answer === undefined || answer === null) return {};
      // Perhaps it is the answer of a provider that has refused the code: only the app can read it.
      throw new CallbackMistake('appCodes.send must return nothing, or "refused" or "unavailable" if it sent nothing.');
    };
  }
  if (sender !== undefined) {
    const wordCode = createWords();
    const { messages } = tools.service;
    return async (code, login) => {
      const content = { text: wordCode(code, login) };
      const channels = [{ channel: "SMS", sender: forNumber(sender, login.phone), content }] as const;
      const accepted = await messages.send({ recipients: [login.phone], channels });
      return { messageId: accepted.messages[0]?.message_id };
    };
  }
  const { verifications } = tools.service;
  return async (code, { phone }, channels) => {
    const request = { ...verificationTo(phone, template && forNumber(template, phone), channels), custom_otp: code };
    const { verificationId } = await verifications.create(request);
    return { verificationId };
  };
}
