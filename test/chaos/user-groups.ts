import type { SandboxApplication } from "@doorcode/sandbox";
import { createUser, type LoggedIn, type User } from "./user.ts";

/** Groups of users who log in: each group starts its logins at one disruption, and confirms them at the next. */
export interface UserGroups {
  /**
   * Lets one group enter its codes, and the next group ask for theirs.
   *
   * @returns resolves when that many answers have reached them, good or bad.
   */
  moveOn(answers: number): Promise<void>;
  /** Lets the last group enter its codes, and resolves when everybody is logged in. */
  finish(): Promise<readonly LoggedIn[]>;
}

/** Options of {@link createUserGroups}. */
export interface UserGroupOptions {
  readonly application: SandboxApplication;
  readonly urls: readonly string[];
  readonly groupSize: number;
}

/** Creates the groups. No login has started. */
export function createUserGroups({ application, urls, groupSize }: UserGroupOptions): UserGroups {
  const logins: Promise<LoggedIn>[] = [];
  let waiting: readonly User[] = [];
  let [users, requests] = [0, 0];
  let hear = () => {};

  function createGroup(): readonly User[] {
    return Array.from({ length: groupSize }, () =>
      createUser({
        phone: `+491519${String(users++).padStart(7, "0")}`,
        inbox: application.inbox,
        nextUrl: () => urls[requests++ % urls.length] ?? "",
        onAnswer: () => hear(),
      }),
    );
  }

  return {
    async moveOn(answers) {
      const { promise: met, resolve } = Promise.withResolvers<void>();
      let heard = 0;
      hear = () => void (++heard >= answers && resolve());
      if (answers === 0) resolve();
      logins.push(...waiting.map((user) => handled(user.confirm())));
      waiting = createGroup();
      for (const user of waiting) void handled(user.start());
      await met;
    },
    async finish() {
      logins.push(...waiting.map((user) => user.confirm()));
      return Promise.all(logins);
    },
  };
}

/** `finish` reports a rejection at the end; until then it must not count as unhandled. */
function handled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}
