import type { DatabaseSync } from "node:sqlite";

/**
 * Whose a challenge is: an answer to it is worth nothing for anybody else. Whether it is of a registration or of a sign-in stands in the
 * answer, and is verified there.
 */
export interface ChallengeOwner {
  /** The id in the cookie of the browser that has asked for it. */
  readonly browserId: string;
  /** The user who is logged in; absent for a sign-in, which begins with nobody. */
  readonly userId?: string | undefined;
}

/** The challenges that wait for an answer. */
export interface Challenges {
  /** Keeps a challenge for fifteen minutes. */
  add(challenge: string, owner: ChallengeOwner): void;
  /** Takes a challenge away, so that it is answered once. Returns false if there is none of this owner. */
  take(challenge: string, owner: ChallengeOwner): boolean;
}

/** The time for which a challenge can be answered: a page waits with it until the person chooses a passkey. */
export const challengeSeconds = 900;

/** Creates the challenges in a database, where any process takes what another one has added. */
export function createChallenges(database: DatabaseSync, now: () => number): Challenges {
  database.exec(`create table if not exists challenges (
    challenge text primary key, browser_id text not null, user_id text, expires_at integer not null)`);
  return {
    add(challenge, { browserId, userId }) {
      database.prepare("delete from challenges where expires_at <= ?").run(now());
      database
        .prepare("insert into challenges values (?, ?, ?, ?)")
        .run(challenge, browserId, userId ?? null, now() + challengeSeconds * 1000);
    },
    take(challenge, { browserId, userId }) {
      const { changes } = database
        .prepare(
          `delete from challenges
           where challenge = ? and browser_id = ? and user_id is ? and expires_at > ?`,
        )
        .run(challenge, browserId, userId ?? null, now());
      return changes === 1;
    },
  };
}
