import { type Interruption, isRepeatedForNothing } from "./history.ts";
import type { LedgerLine } from "./ledger.ts";
import type { Login } from "./run-chaos.ts";

/** What became of the logins, class by class. */
export interface LoginClasses {
  /** Nothing failed on the way. */
  readonly untouched: number;
  /** Requests failed, and the first code logged in all the same. */
  readonly bySameCode: number;
  /** A confirmation failed, and the app then wanted another code: a crash between approval and answer. */
  readonly byAnotherCode: number;
}

/** Sorts logins that all came to their end. */
export function classify(logins: readonly Login[]): LoginClasses {
  const byAnotherCode = logins.filter(({ codes }) => codes > 1).length;
  const untouched = logins.filter(({ codes, failures }) => codes === 1 && failures === 0).length;
  return { untouched, bySameCode: logins.length - byAnotherCode - untouched, byAnotherCode };
}

/** What is wrong with logins, one line each. */
export function judgeLogins(
  logins: readonly Login[],
  lines: readonly LedgerLine[],
  interruptions: readonly Interruption[],
): readonly string[] {
  const effects = lines.filter((line) => line.type === "login").sort((left, right) => left.at - right.at);
  const byPhone = Map.groupBy(effects, ({ phone }) => phone);
  return logins.flatMap(({ phone, account, codes, refusedForNothing }) => {
    const byLogin = [...Map.groupBy(byPhone.get(phone) ?? [], ({ loginId }) => loginId).values()];
    const faults: readonly (readonly [wrong: boolean, what: string])[] = [
      [account !== `user of ${phone}`, `sees ${account}`],
      [refusedForNothing, "was refused with a right code that no failure had met"],
      [byLogin.length === 0, "logged in without onLogin"],
      // Each code is a login of its own; one that nobody got an answer to may stand beside the one that was used.
      [byLogin.length > codes, "logged in more than once"],
      [byLogin.some((same) => isRepeatedForNothing(same, interruptions)), "had onLogin run again for nothing"],
    ];
    return faults.filter(([wrong]) => wrong).map(([, what]) => `${phone} ${what}`);
  });
}
