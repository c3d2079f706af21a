import type { Store } from "../store/store.ts";
import type { Clock } from "../util/clock.ts";
import type { CodeKeys } from "../util/keys.ts";
import type { Budget } from "./budgets.ts";
import type { CeilingState, Ceilings } from "./ceilings.ts";
import type { ClosedGroups } from "./closed-groups.ts";
import type { CountedLogin } from "./counted-login.ts";
import type { CountryTotals } from "./country-totals.ts";
import type { LimitedLogin } from "./limited-code.ts";
import { isEnforced, type LoginLimits } from "./login-limits.ts";

/** The dependencies of the limits. */
export interface SendLimitsDeps {
  /** The prefix of the app's keys in the store. */
  readonly name: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: Pick<CodeKeys, "fingerprint">;
  readonly limits: LoginLimits;
}

/** The dependencies, and what the limits of an app keep in this process. */
export interface SendLimitsParts extends SendLimitsDeps {
  /** The prefix of what the limits keep in the store. */
  readonly prefix: string;
  readonly totals: CountryTotals;
  readonly ceilings: Ceilings;
  readonly closedGroups: ClosedGroups;
}

/** Whether a country and the whole app have far more unconfirmed logins than their past explains. */
export interface Alerts {
  readonly onAlert: boolean;
  readonly appOnAlert: boolean;
}

/** Returns the alerts that a code of a country meets. */
export function alertsOf({ limits, totals }: SendLimitsParts, country: string): Alerts {
  return {
    onAlert: isEnforced(limits, "country") && totals.isOnAlert(country),
    appOnAlert: totals.isAppOnAlert(),
  };
}

/** What a code has reserved, and what decides about it. */
export interface ReservedCode extends Alerts {
  readonly phone: string;
  readonly client: LimitedLogin["client"];
  readonly counted: CountedLogin;
  /** What the code has added to the groups of its login. */
  readonly added: number;
  /** Whether the login had a code before. */
  readonly isAgain?: boolean;
  /** Whether the app's `beforeSend` decides too. */
  readonly isAsked: boolean;
  /** The shares that were granted. */
  readonly granted: readonly Budget[];
  readonly ceiling: CeilingState;
}
