import type { PhoneNumber } from "../phone/phone-number.ts";
import { createCeilings } from "./ceilings.ts";
import { createClosedGroups } from "./closed-groups.ts";
import { type CountedLogin, countConfirmed, countUndelivered, type ProvenBy } from "./counted-login.ts";
import { createCountryTotals } from "./country-totals.ts";
import { limitsPrefix } from "./group-counters.ts";
import type { AllowedCode, LimitedLogin, RefusedCode } from "./limited-code.ts";
import { forgettingChanges, numberPastQuery } from "./proven-numbers.ts";
import { askTogether } from "./query.ts";
import { type LoginWithCode, reserveCode, reserveCodeAgain, reserveNumber } from "./reserve-code.ts";
import type { SendLimitsDeps, SendLimitsParts } from "./reserved-code.ts";

/** The limits of codes that are sent. Every code of the kit passes them before it is sent. */
export interface SendLimits {
  /**
   * Reserves a code for a login, in one call of the store. The refusals are `cooldown`, `send_limit_reached`,
   * `number_range_closed`, `client_limit_reached`, and those of the app's ceilings. Let a refused login undo what it has added.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  reserve(login: LimitedLogin): Promise<AllowedCode | RefusedCode>;
  /**
   * Reserves another code for a login that was counted. The first one is no second suspicion; each one after it counts like a login. None
   * is sent while a group of the login is closed.
   *
   * @param isTentative - true to only look at the number's budgets.
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  reserveAgain(phone: string, login: LoginWithCode, isTentative?: boolean): Promise<AllowedCode | RefusedCode>;
  /**
   * Reserves a code that was only looked at: its number's budgets and the ceilings decide.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  reserveNumber(phone: string, counted: CountedLogin): Promise<AllowedCode | RefusedCode>;
  /**
   * Counts a login as confirmed, and remembers what it has proven. `undefined` for a login that the app has refused: nothing is
   * remembered of its number.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  countConfirmed(phone: string, counted: CountedLogin, provenBy: ProvenBy | undefined): Promise<void>;
  /**
   * Returns the time since a login, a link or a step-up has proven a number; `undefined` if none is remembered.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  lastProvenSecondsAgo(phone: string): Promise<number | undefined>;
  /**
   * Forgets that a number was proven, and by which devices: it was removed from an account, and may get another owner.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  forget(phone: string): Promise<void>;
  /**
   * Takes a login off its blocks and its country, because the service could not deliver its code: nobody could have entered it. Its
   * address and network are unknown then, and keep it. It does so once a day for a number, and as often as a block may have unconfirmed
   * logins: a carrier may report failures of texts that it is paid for.
   *
   * @throws {@link DoorcodeError} `store_unavailable`
   */
  countUndelivered(number: PhoneNumber): Promise<void>;
}

/** Creates the limits of an app. */
export function createSendLimits(deps: SendLimitsDeps): SendLimits {
  const prefix = limitsPrefix(deps.name);
  const parts: SendLimitsParts = {
    ...deps,
    prefix,
    totals: createCountryTotals({ ...deps, prefix }),
    ceilings: createCeilings({ ...deps, prefix }),
    closedGroups: createClosedGroups(deps.store, prefix),
  };
  return {
    reserve: (login) => reserveCode(parts, login),
    reserveAgain: (...code) => reserveCodeAgain(parts, ...code),
    reserveNumber: (...code) => reserveNumber(parts, ...code),
    countUndelivered: (number) => countUndelivered(parts, number),
    countConfirmed: (...login) => countConfirmed(parts, ...login),
    async lastProvenSecondsAgo(phone) {
      const [past] = await askTogether(deps.store, [numberPastQuery(prefix, deps.keys.fingerprint(phone))]);
      return past.lastProvenSecondsAgo;
    },
    async forget(phone) {
      await deps.store.increment(forgettingChanges(prefix, deps.keys.fingerprint(phone)));
    },
  };
}
