import { sealData, unsealData } from "iron-session";
import { z } from "zod";

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
  seal(session: SealedSession): Promise<string>;
  /** Unseals a text. Returns `undefined` for a text that none of the passwords sealed. */
  unseal(text: string): Promise<SealedSession | undefined>;
}

const maxTextCharacters = 4096;

/** A seal, and the ending that iron-session writes after it. A seal has no tilde. */
const sealForm = /^[^~]+~2$/;

/**
 * Seals with iron-session under the first password, and unseals under each of them.
 *
 * The kit tries the passwords itself: iron-session numbers them by their place in the list, so removing an old one would
 * log out users whose cookie a newer one sealed.
 *
 * @param maxCached - the number of unsealed sessions that are kept; the least recently used one makes room.
 */
export function createSealer(passwords: readonly string[], maxCached = 10_000): Sealer {
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
    // The store knows when a session ends, so iron-session's own lifetime stays unused.
    seal: (session) => sealData(session, { password: newest, ttl: 0 }),
    async unseal(text) {
      // iron-session reads any ending that begins with its own: endless spellings of one cookie would flush the cache.
      if (text.length > maxTextCharacters || !sealForm.test(text)) return undefined;
      // Unsealing costs forty times a webhook's HMAC. The cache holds what the text says, never whether it is valid.
      const session = unsealed.get(text) ?? (await open(text));
      if (session) remember(text, session);
      return session;
    },
  };

  /** Puts a session last in the cache, whose first one is the least recently used. */
  function remember(text: string, session: SealedSession): void {
    unsealed.delete(text);
    unsealed.set(text, session);
    if (unsealed.size <= maxCached) return;
    for (const oldest of unsealed.keys()) {
      unsealed.delete(oldest);
      return;
    }
  }
}
