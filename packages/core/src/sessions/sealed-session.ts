import { hash } from "node:crypto";
import { z } from "zod";
import { seal, unseal } from "../util/keys.ts";

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
  /** Seals a session under the first password. */
  seal(session: SealedSession): Promise<string>;
  /** Unseals a text. Returns `undefined` for a text that none of the passwords sealed. */
  unseal(text: string): Promise<SealedSession | undefined>;
}

/** The number of texts that a process remembers. */
const maxKnown = 10_000;

/**
 * Creates the sealer of an app: the first password seals, each of them unseals. It remembers what the last texts have said, by their
 * digests, and never whether a session is still valid.
 */
export function createSealer(passwords: readonly string[]): Sealer {
  const known = new Map<string, SealedSession>();

  function remember(digest: string, session: SealedSession): void {
    // The map keeps the order of insertion: the first entry is the one that was used least recently.
    known.delete(digest);
    known.set(digest, session);
    if (known.size <= maxKnown) return;
    const [oldest = ""] = known.keys();
    known.delete(oldest);
  }

  return {
    seal: (session) => seal(passwords, session),
    async unseal(text) {
      const digest = hash("sha256", text, "base64url");
      const session = known.get(digest) ?? (await unseal(passwords, text, sealedSessionShape));
      if (session) remember(digest, session);
      return session;
    },
  };
}
