import type { ProblemCode } from "../client/problem.ts";
import type { Purpose } from "../client/wire.ts";

/** A sentence with `{placeholders}`, or one for each plural form of the language: `one`, `few`, `many`, …; `other` for the rest. */
export type Sentence = string | ({ readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>);

/** Every word of the page. Plain data: a server can render it and pass it on. */
export interface Strings {
  /** Above the form, by purpose. */
  readonly intro: Readonly<Record<Purpose, string>>;
  readonly phone: string;
  readonly country: string;
  /** `{example}`: a number of the chosen country. */
  readonly phoneHint: string;
  /** Without an example. */
  readonly phoneHintAbroad: string;
  readonly send: string;
  /** Below the number, where the person's consent to a text message is asked for. */
  readonly consent: string;
  /** The link to your terms, after the consent. */
  readonly terms: string;
  /** The link to your privacy policy, after the consent. */
  readonly privacy: string;
  /** Above the code. `{phone}`. */
  readonly sentTo: string;
  readonly code: string;
  /** `{count}` digits. */
  readonly codeHint: Sentence;
  /** The button below the code, by purpose. */
  readonly confirm: Readonly<Record<Purpose, string>>;
  /** The choice that this browser asks for no further step-up for a time. */
  readonly remember: string;
  readonly noCode: string;
  /** `{phone}`. */
  readonly checkNumber: string;
  readonly changeNumber: string;
  readonly back: string;
  readonly resend: string;
  /** `{channel}`. */
  readonly resendBy: string;
  /** In place of a button that sends something, once that takes longer than a moment. */
  readonly sending: string;
  /** In place of the button below the code. */
  readonly checking: string;
  /** Counts down where a code is sent again: `{time}`. */
  readonly resendIn: string;
  /** Counts down beside any other button: `{time}`. */
  readonly checkIn: string;
  /** Announced once: `{when}`, such as "in 30 seconds". */
  readonly resendWhen: string;
  readonly resendNow: string;
  readonly sentAgain: string;
  readonly checkNow: string;
  /** The names of channels. */
  readonly channels: Readonly<Record<string, string>>;
  /** What became of a code: `{channel}`. */
  readonly delivery: Readonly<Record<"sending" | "sent" | "delivered" | "failed", string>>;
  /** By channel: where to look for a code that came there after another channel had failed. */
  readonly lookIn: Readonly<Record<string, string>>;
  /** The link that asks for the delivery, in a page without a script. */
  readonly checkDelivery: string;
  /** What is done, by purpose. `{phone}` in that of `verify`. */
  readonly done: Readonly<Record<Purpose, string>>;
  readonly logout: string;
  readonly retry: string;
  /** After a problem: `{count}` codes may still be tried. */
  readonly attemptsLeft: Sentence;
  /** After a problem: `{when}`, such as "in 30 seconds". */
  readonly again: string;
  /** After a problem: `{time}` of the person's own clock. */
  readonly againAt: string;
  /** `{countries}`: those that are offered. */
  readonly offeredCountries: string;
  /**
   * What each problem means, and what to do. `{example}`: a number of the chosen country. A code that is not here has the
   * words of a related one, or `other`.
   */
  readonly problems: Readonly<Partial<Record<ProblemCode, string>> & Record<OwnProblemCode, string>>;
}

/** Problems that only the page knows: a number that can be read in two ways, and any code without its own words. */
export type OwnProblemCode = "phone_ambiguous" | "other";

/** Some words of the page, which replace those of the language. */
export type StringsOverride = {
  readonly [Name in keyof Strings]?: Strings[Name] extends string ? string : Partial<Strings[Name]> | string;
};
