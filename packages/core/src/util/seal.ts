import { sealData, unsealData } from "iron-session";
import type { z } from "zod";

/** Seals content under the first password. The seal never ends by itself: that would be by the machine's clock. */
export function seal(passwords: readonly string[], content: object): Promise<string> {
  const [newest = ""] = passwords;
  return sealData(content, { password: newest, ttl: 0 });
}

/**
 * Reads what one of the passwords has sealed in a shape; `undefined` for any other text. iron-session finds a password by a number in the
 * seal, which a rotation would change, so each password is tried.
 */
export async function unseal<Content>(
  passwords: readonly string[],
  text: string,
  shape: z.ZodType<Content>,
): Promise<Content | undefined> {
  for (const password of passwords) {
    // A seal that cannot be opened has the content `{}`.
    const read = shape.safeParse(await unsealData(text, { password, ttl: 0 }));
    if (read.success) return read.data;
  }
  return undefined;
}
