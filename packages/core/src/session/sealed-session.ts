import { sealData, unsealData } from "iron-session";
import { z } from "zod";
import type { Clock } from "../primitives/clock.ts";

/** The content of a session cookie. Only the store knows whether the session is still valid. */
export interface SealedSession {
  readonly userId: string;
  readonly sessionId: string;
  /** Unix milliseconds, as are the other instants. */
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

/** A pair of functions that turn sessions into the text of a cookie and back. */
export interface Sealer {
  /** Seals a session. */
  seal(session: SealedSession): Promise<string>;
  /** Unseals a text. Returns `undefined` for a text that none of the passwords sealed, and for an expired session. */
  unseal(text: string): Promise<SealedSession | undefined>;
}

const maxCached = 10_000;
const maxTextCharacters = 4096;

/**
 * Seals with iron-session under the first password, and unseals under each of them.
 *
 * The kit tries the passwords itself: iron-session numbers them by their place in the list, so removing an old one would
 * log out users whose cookie a newer one sealed.
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
    // The expiry is inside the seal and is judged by the kit's clock, so iron-session's own lifetime stays unused.
    seal: (session) => sealData(session, { password: newest, ttl: 0 }),
    async unseal(text) {
      // A text after a second tilde is outside the seal: endless spellings of one cookie would flush the cache.
      if (text.length > maxTextCharacters || text.split("~").length !== 2) return undefined;
      // Unsealing costs forty times a webhook's HMAC. The cache holds what the text says, never whether it is valid.
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

/** Caches a session; the least recently used one makes room. */
function remember(cache: Map<string, SealedSession>, text: string, session: SealedSession): void {
  cache.delete(text);
  cache.set(text, session);
  if (cache.size <= maxCached) return;
  for (const oldest of cache.keys()) {
    cache.delete(oldest);
    return;
  }
}
