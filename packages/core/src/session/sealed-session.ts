import { sealData, unsealData } from "iron-session";
import { z } from "zod";
import type { Clock } from "../clock.ts";

/** What a session cookie says. Whether the session still lives is a matter of the store, never of the cookie. */
export interface SealedSession {
  readonly userId: string;
  readonly sessionId: string;
  /** Instants in Unix milliseconds. */
  readonly startedAt: number;
  readonly provenAt?: number | undefined;
  readonly expiresAt: number;
}

const sealedSessionShape: z.ZodType<SealedSession> = z.object({
  userId: z.string(),
  sessionId: z.string(),
  startedAt: z.number(),
  provenAt: z.number().optional(),
  expiresAt: z.number(),
});

/** Seals sessions into the text of a cookie, and unseals them. */
export interface Sealer {
  seal(session: SealedSession): Promise<string>;
  /** Answers `undefined` for anything that none of the passwords sealed, and for what has expired. */
  unseal(text: string): Promise<SealedSession | undefined>;
}

const mostCached = 10_000;
const longestTextCharacters = 4096;

/**
 * Seals with iron-session under the first password and unseals under each.
 *
 * The kit tries the passwords itself: iron-session numbers them by their place in the list, so that taking an old one
 * off the list would log out whoever came with a newer.
 */
export function createSealer(passwords: readonly string[], clock: Clock): Sealer {
  const [newest = ""] = passwords;
  const unsealed = new Map<string, SealedSession>();

  async function open(text: string): Promise<SealedSession | undefined> {
    for (const password of passwords) {
      const opened = sealedSessionShape.safeParse(await unsealData(text, { password, ttl: 0 }));
      if (opened.success) return opened.data;
    }
    return undefined;
  }

  return {
    // Lifetimes are absolute, inside the seal, and judged by the clock that the app passed in.
    seal: (session) => sealData(session, { password: newest, ttl: 0 }),
    async unseal(text) {
      // What follows a second tilde is outside the seal: endless spellings of one cookie would flush the cache.
      if (text.length > longestTextCharacters || text.split("~").length !== 2) return undefined;
      // Unsealing costs forty times a webhook's HMAC. What is kept is only what the text says.
      const session = unsealed.get(text) ?? (await open(text));
      if (!session || clock.now() >= session.expiresAt) {
        unsealed.delete(text);
        return undefined;
      }
      remember(unsealed, text, session);
      return session;
    },
  };
}

/** The least recently used entry makes room. */
function remember(cache: Map<string, SealedSession>, text: string, session: SealedSession): void {
  cache.delete(text);
  cache.set(text, session);
  if (cache.size <= mostCached) return;
  for (const oldest of cache.keys()) {
    cache.delete(oldest);
    return;
  }
}
