import type { Clock } from "../util/clock.ts";
import { DoorcodeError, type ErrorCode } from "../util/errors.ts";
import type { LoginLimits } from "./login-limits.ts";
import type { CounterQuery } from "./query.ts";

/*
 * One counter for all codes of an app would be one row of the database that every login waits for. So each process reserves a
 * hundredth of a ceiling at once, and takes its codes from that. A ceiling is never passed. A process that ends leaves the rest
 * of its share unused until the hour or the day is over, so an app may be refused a hundredth of it early for each process.
 */

/** A ceiling of the whole app. */
export type CeilingKind = "sends_per_hour" | "sends_per_day" | "cost_per_day";

/** What the ceilings say about a code. */
export interface CeilingState {
  /** The ceiling that refuses, and its error; `undefined` when the code was reserved. */
  readonly refused: { readonly limit: CeilingKind; readonly refusal: DoorcodeError } | undefined;
  /** Gives back what was reserved. */
  giveBack(): void;
}

/** The ceilings of an app, in this process. */
export interface Ceilings {
  /** Returns the query that reserves a code. It has no changes while this process has something left of its shares. */
  query(country: string): CounterQuery<CeilingState>;
}

/** The dependencies of the ceilings. */
interface CeilingsDeps {
  /** The beginning of their keys in the store. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly limits: LoginLimits;
}

const sharesOfCeiling = 100;
/** A store answers within this time, or fails. */
const fetchSeconds = 5;
/** Prices are counted in ten-thousandths, because counters are whole numbers. */
const unitsOfPrice = 10_000;

/** Creates the ceilings that were configured. */
export function createCeilings({ prefix, clock, limits }: CeilingsDeps): Ceilings {
  const { sendsPerHour, sendsPerDay, costPerDay, prices = {} } = limits;
  const costOf = (country: string) => Math.round((prices[country] ?? prices.other ?? 0) * unitsOfPrice);
  const oneCode = () => 1;
  const configured: readonly (CeilingRule & { readonly max: number | undefined })[] = [
    { ...rules.sends_per_hour, max: sendsPerHour, amountOf: oneCode },
    { ...rules.sends_per_day, max: sendsPerDay, amountOf: oneCode },
    { ...rules.cost_per_day, max: costPerDay && Math.round(costPerDay * unitsOfPrice), amountOf: costOf },
  ];
  const ceilings = configured.flatMap((rule) =>
    rule.max === undefined ? [] : [createCeiling({ prefix, clock }, rule, rule.max)],
  );
  return { query: (country) => allOf(ceilings.map((ceiling) => ceiling.query(country))) };
}

/** A kind of ceiling. */
interface CeilingRule {
  readonly limit: CeilingKind;
  readonly refusal: ErrorCode;
  readonly periodSeconds: number;
  /** Returns what a code takes of the ceiling. */
  amountOf(country: string): number;
}

const rules = {
  sends_per_hour: { limit: "sends_per_hour", refusal: "hourly_ceiling_reached", periodSeconds: 3600 },
  sends_per_day: { limit: "sends_per_day", refusal: "daily_ceiling_reached", periodSeconds: 86_400 },
  cost_per_day: { limit: "cost_per_day", refusal: "cost_ceiling_reached", periodSeconds: 86_400 },
} as const satisfies Record<CeilingKind, Omit<CeilingRule, "amountOf">>;

function createCeiling(
  { prefix, clock }: Pick<CeilingsDeps, "prefix" | "clock">,
  { limit, refusal, periodSeconds, amountOf }: CeilingRule,
  max: number,
): Ceilings {
  const share = Math.max(1, Math.floor(max / sharesOfCeiling));
  /** What is left of this process's shares of a period. */
  const kept = { period: -1, left: 0, fetchedAtSeconds: Number.NEGATIVE_INFINITY };

  function take(amount: number): boolean {
    if (kept.left < amount) return false;
    kept.left -= amount;
    return true;
  }

  return {
    query(country) {
      const seconds = Math.floor(clock.now() / 1000);
      const period = Math.floor(seconds / periodSeconds);
      if (period !== kept.period) Object.assign(kept, { period, left: 0, fetchedAtSeconds: Number.NEGATIVE_INFINITY });
      const amount = amountOf(country);
      const reserved: CeilingState = {
        refused: undefined,
        giveBack: () => {
          if (period === kept.period) kept.left += amount;
        },
      };
      if (take(amount)) return { changes: [], read: () => reserved };
      // Codes that are asked for at once must not fetch a share each: one process would take the whole ceiling.
      const fetches = seconds >= kept.fetchedAtSeconds + fetchSeconds;
      if (fetches) kept.fetchedAtSeconds = seconds;
      const by = fetches ? Math.max(share, amount) : amount;
      return {
        changes: [{ key: `${prefix}:${limit}:${period}`, by, limit: max, ttlSeconds: periodSeconds }],
        read([state]) {
          if (fetches) kept.fetchedAtSeconds = Number.NEGATIVE_INFINITY;
          if (state?.granted) {
            if (period === kept.period) kept.left += by - amount;
            return reserved;
          }
          // Another code may have brought a share meanwhile.
          if (period === kept.period && take(amount)) return reserved;
          const retryAfterSeconds = periodSeconds - (seconds % periodSeconds);
          return {
            refused: { limit, refusal: new DoorcodeError(refusal, { retryAfterSeconds }) },
            giveBack: () => undefined,
          };
        },
      };
    },
  };
}

/** Reserves a code of all ceilings, or of none. */
function allOf(queries: readonly CounterQuery<CeilingState>[]): CounterQuery<CeilingState> {
  return {
    changes: queries.flatMap(({ changes }) => changes),
    read(states) {
      let next = 0;
      const reserved = queries.map(({ changes, read }) => {
        const begin = next;
        next += changes.length;
        return read(states.slice(begin, next));
      });
      const giveBack = () => {
        for (const state of reserved) state.giveBack();
      };
      const refused = reserved.find((state) => state.refused)?.refused;
      if (refused) giveBack();
      return { refused, giveBack: refused ? () => undefined : giveBack };
    },
  };
}
