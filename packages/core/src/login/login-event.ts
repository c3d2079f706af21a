import type { CodeCheckResult, LoginCode, Purpose } from "../codes/code-strategy.ts";
import type { SendDecision } from "../limits/decision.ts";
import { maskPhone, parseE164 } from "../phone/phone-number.ts";
import type { ProxyMistake } from "../util/client.ts";
import type { ErrorCode } from "../util/errors.ts";
import type { CodeKeys } from "../util/keys.ts";
import type { Publish } from "../util/publish.ts";

/** A phone number as events may show it. */
export interface MaskedPhone {
  /** Country code and last digits only. */
  readonly phone: string;
  /** A keyed digest that ties the events of one number together and does not reveal it. */
  readonly phoneFingerprint: string;
}

interface NamedLogin extends MaskedPhone {
  /** The login's id, the same through all of its attempts. */
  readonly loginId: string;
  readonly purpose: Purpose;
  /** The ISO 3166 code of the number's country. */
  readonly country?: string;
}

interface Timed {
  /** How long it took, on the kit's clock. */
  readonly durationSeconds: number;
}

interface Sent extends Timed {
  /** The channel that the service tries first. */
  readonly channel: string;
}

/** The line of consent that the page has shown below the number. */
export interface Consent {
  /** The version of the wording, as the page has sent it. */
  readonly version: string;
  /** The wording. An app with its own page knows it by the version. */
  readonly text?: string;
}

/** A POST to the mount of a login. */
export type LoginStep = "start" | "resend" | "confirm" | "cancel" | "logout" | "remove";

/** An event about a login, for `onEvent`. */
export type LoginEvent =
  | ({
      readonly type: "login.started";
      /** None if the page has shown no line of consent. */
      readonly consent?: Consent;
    } & Timed &
      NamedLogin)
  | ({ readonly type: "login.code_sent" } & Sent & NamedLogin)
  | ({ readonly type: "login.send_failed"; readonly error: unknown } & Sent & NamedLogin)
  | ({ readonly type: "login.code_checked"; readonly result: CodeCheckResult } & Timed & NamedLogin)
  | ({ readonly type: "login.check_failed"; readonly error: unknown } & Timed & NamedLogin)
  | (CallbackEnded & Timed & NamedLogin)
  | ({ readonly type: "login.before_send_failed"; readonly error: unknown } & NamedLogin)
  | ({ readonly type: "login.code_ended" } & NamedLogin)
  | ({ readonly type: "login.test_number_used"; readonly step: "send" | "check" } & NamedLogin)
  | ({ readonly type: "login.code_rejected"; readonly attemptsLeft: number } & NamedLogin)
  | (CompletedLogin & Timed & NamedLogin)
  | ({ readonly type: "login.unfinished"; readonly error: unknown } & NamedLogin)
  | ({ readonly type: "login.number_removed"; readonly userId: string } & Timed & MaskedPhone)
  | ({ readonly type: "login.removal_failed"; readonly userId: string; readonly error: unknown } & MaskedPhone)
  | SendDecision
  | RefusedRequest
  | DeliveredCode
  | { readonly type: "login.proxy_misconfigured"; readonly mistake: ProxyMistake };

/** The end of a function of the app that decides about a login; `onLogin` with `onSuspicion` before it. */
interface CallbackEnded {
  readonly type: "login.callback_ended";
  readonly callback: "beforeSend" | "onLogin" | "onLink";
  readonly outcome: "accepted" | "refused" | "failed";
}

/** The user of a completed login, and what a recipe "tell the user" needs to know. A `verify` has none of it. */
export interface UserOfLogin {
  readonly userId: string;
  /** Whether this browser or app had proven the number before. */
  readonly knownDevice: boolean;
  /** When the number was proven before, as Unix milliseconds. None if it was not, or nobody remembers. */
  readonly lastProvenAt?: number;
}

interface RefusedRequest extends Timed {
  readonly type: "login.refused";
  readonly code: ErrorCode;
  readonly step: LoginStep;
  readonly purpose: Purpose;
  /** The ISO 3166 code of the number in the request. None for a request without one, such as a resend or a code. */
  readonly country?: string;
}

/** What the service reports of a code that it has sent: it was delivered, or no channel could deliver it. */
interface DeliveredCode {
  readonly type: "login.code_delivered" | "login.code_undelivered";
  /** The ISO 3166 code of the number's country. None if the report names no number. */
  readonly country?: string;
  /** The channel of the report. */
  readonly channel?: string;
  /** The time since the first report about the code, as the service measures it. None if there was none before. */
  readonly deliverySeconds?: number;
}

/** A person is logged in, or has added or proven a number. */
interface CompletedLogin extends Partial<UserOfLogin> {
  readonly type: "login.completed";
  /** Unix milliseconds, on the kit's clock. */
  readonly completedAt: number;
  /** The channel that the service tried first for the newest code, and the time since that code was first sent. */
  readonly channel: string;
  readonly sinceCodeSeconds: number;
  /** The browser as it names itself, such as "Firefox on Windows". None if the kit does not know it. */
  readonly client?: string;
}

/** An event about one login, without what its transaction says already. */
type EventOfLogin = LoginEvent extends infer Event
  ? Event extends NamedLogin
    ? Omit<Event, keyof NamedLogin>
    : never
  : never;

type NameableLogin = Pick<LoginCode, "loginId" | "phone" | "purpose">;

/** Publishes an event about one login. */
export type PublishLogin = (login: NameableLogin, event: EventOfLogin) => void;

/** Creates the one publisher of events about a login: it names the login and masks its number. */
export function createLoginPublisher(publish: Publish<LoginEvent>, keys: CodeKeys): PublishLogin {
  // Naming the login for each event of a request took 8 % of the CPU time of a login.
  const names = new WeakMap<NameableLogin, NamedLogin>();
  return (login, event) => {
    const name = names.get(login) ?? nameOf(login, keys);
    names.set(login, name);
    publish({ ...event, ...name });
  };
}

function nameOf({ loginId, purpose, phone }: NameableLogin, keys: CodeKeys): NamedLogin {
  const country = parseE164(phone)?.country;
  const named = { loginId, purpose, phone: maskPhone(phone), phoneFingerprint: keys.fingerprint(phone) };
  return country === undefined ? named : { ...named, country };
}
