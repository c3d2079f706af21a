import { z } from "zod";
import { readRecord } from "../store/record.ts";
import { createTextSealer, openSeal } from "./seal.ts";

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
  /** Unseals a text. Returns `undefined` for a text that none of the passwords sealed. */
  unseal(text: string): SealedSession | undefined;
}

const maxTextCharacters = 4096;

/** Seals under the first password, and unseals under each of them. */
export function createSealer(passwords: readonly string[]): Sealer {
  const [newest = ""] = passwords;
  const sealText = createTextSealer(newest);

  function open(text: string): SealedSession | undefined {
    for (const password of passwords) {
      const session = readRecord(sealedSessionShape, openSeal(password, text));
      if (session) return session;
    }
    return undefined;
  }

  return {
    seal: (session) => sealText(JSON.stringify(session)),
    unseal: (text) => (text.length > maxTextCharacters ? undefined : open(text)),
  };
}
