import { z } from "zod";
import { createRecentlyUsed } from "../primitives/recently-used.ts";
import { readRecord } from "../store/record.ts";
import { openSeal, sealText } from "./seal.ts";

/** The content of a session's cookie or token: which session, and whose. Everything else about a session is in the store. */
export interface SealedSession {
  readonly userId: string;
  readonly sessionId: string;
  /** Present in a token. A cookie and a token of one form would each be accepted as the other. */
  readonly transport?: "bearer" | undefined;
}

const sealedSessionShape: z.ZodType<SealedSession> = z.object({
  userId: z.string(),
  sessionId: z.string(),
  transport: z.literal("bearer").optional(),
});

/** A pair of functions that turn sessions into the text of a cookie or a token and back. */
export interface Sealer {
  /** Seals a session. */
  seal(session: SealedSession): string;
  /**
   * Unseals a text. Returns `undefined` for a text that none of the passwords sealed. A text that comes again is the same object, for
   * as long as it is cached.
   */
  unseal(text: string): SealedSession | undefined;
}

const maxTextCharacters = 4096;

/** The end of a seal is a digest of the rest. It finds a seal faster than the whole text, which is compared afterwards. */
const digestCharacters = 45;

/**
 * Seals under the first password, and unseals under each of them.
 *
 * @param maxCached - the number of unsealed sessions that are kept; those that were not used recently make room.
 */
export function createSealer(passwords: readonly string[], maxCached = 10_000): Sealer {
  const [newest = ""] = passwords;
  // Unsealing costs eight times as much as the rest of a guard. The cache holds what the text says, never whether it is valid.
  const unsealed = createRecentlyUsed<{ readonly text: string; readonly session: SealedSession }>(maxCached);

  function open(text: string): SealedSession | undefined {
    for (const password of passwords) {
      const session = readRecord(sealedSessionShape, openSeal(password, text));
      if (session) return session;
    }
    return undefined;
  }

  return {
    seal: (session) => sealText(newest, JSON.stringify(session)),
    unseal(text) {
      const digest = text.slice(-digestCharacters);
      const known = unsealed.find(digest);
      if (known?.text === text) return known.session;
      const session = text.length > maxTextCharacters ? undefined : open(text);
      if (session) unsealed.keep(copyOf(digest), { text: copyOf(text), session });
      return session;
    },
  };
}

/** Copies a part of a header. The part itself would keep the whole header in memory, with all other cookies. */
function copyOf(ascii: string): string {
  return Buffer.from(ascii).toString();
}
