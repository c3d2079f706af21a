import { type Action, type Interruption, isRepeatedForNothing } from "./history.ts";
import type { LogLine } from "./process-log.ts";
import type { Login } from "./run-chaos.ts";

/** The logins of a run, counted by how they went. */
export interface LoginClasses {
  /** Nothing failed on the way. */
  readonly untouched: number;
  /** Requests failed, and the first code logged in nevertheless. */
  readonly bySameCode: number;
  /** A confirmation failed, and the app then wanted another code: a crash between approval and answer. */
  readonly byAnotherCode: number;
}

/** Counts logins that are all complete. */
export function classify(logins: readonly Login[]): LoginClasses {
  const byAnotherCode = logins.filter(({ codes }) => codes > 1).length;
  const untouched = logins.filter(({ codes, failures }) => codes === 1 && failures === 0).length;
  return { untouched, bySameCode: logins.length - byAnotherCode - untouched, byAnotherCode };
}

/** Answers what is wrong with logins, one line each. */
export function judgeLogins(
  logins: readonly Login[],
  lines: readonly LogLine[],
  interruptions: readonly Interruption[],
): readonly string[] {
  const effects = lines.filter((line) => line.type === "login").sort((left, right) => left.at - right.at);
  const byPhone = Map.groupBy(effects, ({ phone }) => phone);
  return logins.flatMap(({ phone, account, codes, refusedForNothing }) => {
    const byLogin = [...Map.groupBy(byPhone.get(phone) ?? [], ({ loginId }) => loginId).values()];
    const repeated = byLogin.find((same) => isRepeatedForNothing(same, interruptions)) ?? [];
    const faults: readonly (readonly [wrong: boolean, what: string])[] = [
      [account !== `user of ${phone}`, `sees ${account}`],
      [refusedForNothing, "was refused with a right code, without a failure before"],
      [byLogin.length === 0, "logged in without onLogin"],
      // Each code is a login of its own. One without an answer may exist beside the one that was used.
      [byLogin.length > codes, "logged in more than once"],
      [repeated.length > 0, `had onLogin run again without a reason: ${repeated.map(describeEffect).join(", ")}`],
    ];
    return faults.filter(([wrong]) => wrong).map(([, what]) => `${phone} ${what}`);
  });
}

function describeEffect({ at, process }: Action): string {
  return `in process ${process} at ${Math.round(at)} ms`;
}
