import type { SandboxApplication } from "@doorcode/sandbox";
import { createPerson, type LoggedIn, type Person } from "./person.ts";

/** Groups of people who log in: each begins at one disruption, and ends at the next. */
export interface People {
  /**
   * Lets one group type its code and the next one ask for theirs.
   *
   * @returns resolves when that many answers have come to them, good or bad.
   */
  moveOn(answers: number): Promise<void>;
  /** Lets the last group type its code, and resolves when everybody is logged in. */
  finish(): Promise<readonly LoggedIn[]>;
}

/** What people are made of. */
export interface PeopleParts {
  readonly application: SandboxApplication;
  readonly urls: readonly string[];
  readonly groupSize: number;
}

/** Creates people; nobody has begun. */
export function createPeople({ application, urls, groupSize }: PeopleParts): People {
  const logins: Promise<LoggedIn>[] = [];
  let waiting: readonly Person[] = [];
  let [persons, requests] = [0, 0];
  let hear = () => {};

  function createGroup(): readonly Person[] {
    return Array.from({ length: groupSize }, () =>
      createPerson({
        phone: `+491519${String(persons++).padStart(7, "0")}`,
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
      logins.push(...waiting.map((person) => settled(person.confirm())));
      waiting = createGroup();
      for (const person of waiting) void settled(person.start());
      await met;
    },
    async finish() {
      logins.push(...waiting.map((person) => person.confirm()));
      return Promise.all(logins);
    },
  };
}

/** What rejects is told at the end, by `finish`, and is no unhandled rejection until then. */
function settled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}
