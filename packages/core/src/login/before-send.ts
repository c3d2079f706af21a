import { z } from "zod";
import type { Purpose } from "../codes/purpose.ts";
import type { LimitCount } from "../limits/limited-code.ts";
import type { ClientAddress } from "../util/client-address.ts";

/** A code that is about to be sent, as `login.beforeSend` sees it. */
export interface BeforeSendContext {
  readonly loginId: string;
  readonly purpose: Purpose;
  /** The user who adds a number or proves it again; `undefined` for a login. */
  readonly userId: string | undefined;
  /** The number in E.164. */
  readonly phone: string;
  /** The ISO 3166 code of the number's country. */
  readonly country: string;
  /** The type in the numbering plan, such as `MOBILE`. */
  readonly numberType: string | undefined;
  /** True for another code of the same login. */
  readonly resend: boolean;
  /** The channels, in the order in which they will be tried. */
  readonly channels: readonly string[];
  /** The client's address and its network, by the framework's own proxy rules. */
  readonly client: ClientAddress;
  /** True for a number that was proven a day ago or longer. */
  readonly knownNumber: boolean;
  /** True for a device that has proven this number. */
  readonly knownDevice: boolean;
  /** True while the country has far more unconfirmed logins than its past explains. */
  readonly onAlert: boolean;
  /** True while the app as a whole has, as in an attack on many countries. No limit refuses by it: challenge unknown devices. */
  readonly appOnAlert: boolean;
  /** The counters that decide, this code included. The first resend of a login adds nothing to its groups. */
  readonly counters: readonly LimitCount[];
  /** The limit of a group that refuses this code, unless the answer is `{ trust: … }`. */
  readonly refusedBy: LimitCount | undefined;
  /** The member `challenge` of the request: the token of a solved challenge, which you verify. */
  readonly challenge: string | undefined;
  /** The return value of the mount's option `signals`. */
  readonly signals: unknown;
  /** Aborts when the kit gives the answer up, after 3 seconds. */
  readonly signal: AbortSignal;
}

/**
 * The answer of `login.beforeSend`.
 *
 * - `allow`: send the code, if the limits allow it.
 * - `challenge`: refuse with `challenge_required`. The page asks again with a `challenge`.
 * - `suppress`: send nothing, and let nobody see it.
 * - `deny`: refuse with `send_denied`.
 * - `{ trust }`: the same as `allow` or `suppress`, also against the limit in `refusedBy`, because a challenge was solved.
 */
export type BeforeSendAnswer = "allow" | "challenge" | "suppress" | "deny" | { readonly trust: "allow" | "suppress" };

/**
 * The shape of the option `beforeSendFails`: whether a code is refused or sent when `beforeSend` fails.
 *
 * @internal
 */
export const beforeSendFailsShape: z.ZodType<"closed" | "open"> = z.enum(
  ["closed", "open"],
  'expected "closed" to refuse codes while beforeSend fails, or "open" to send them',
);
