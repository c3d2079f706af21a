import { createDoorcode, type Doorcode } from "@doorcode/core";
import { expect, test } from "vitest";
import { createDeployment } from "../support/deployment.ts";
import { password } from "../support/login-setup.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Changes one bit of a digit of base64url or of hexadecimal, and any other character. */
function changed(character: string): string {
  const digit = alphabet.indexOf(character);
  return digit < 0 ? "A" : (alphabet[digit ^ 1] ?? "A");
}

/**
 * At each third place of a text: with the character changed, with it left out, with one more; with the end or the beginning cut off. A
 * base64url digit of each three is enough: the parts of a seal are covered by their digest as a whole.
 */
function tampered(seal: string): readonly string[] {
  const places = Array.from({ length: Math.ceil(seal.length / 3) }, (_, index) => 3 * index);
  const variants = places.map((at) => {
    const [before, character, after] = [seal.slice(0, at), seal.charAt(at), seal.slice(at + 1)];
    return [before + changed(character) + after, before + after, `${before}A${character}${after}`, before, after];
  });
  const others = new Set([
    ...variants.flat(),
    `${seal}A`,
    `${seal}~2`,
    seal.toUpperCase(),
    seal.toLowerCase(),
    seal + seal,
  ]);
  others.delete(seal);
  return [...others];
}

/** The texts that name a session of a user, each with the headers that carry it. */
async function namesOf({ session }: Doorcode) {
  const [cookie = ""] = (await session.start({ userId: "user_1" })).setCookie.split(";");
  const { sessionToken } = await session.startBearer({ userId: "user_1" });
  const [name = "", seal = ""] = cookie.split(/=(.*)/s);
  return {
    cookie: { text: seal, headersOf: (text: string) => ({ cookie: `${name}=${text}` }) },
    token: { text: sessionToken, headersOf: (text: string) => ({ authorization: `Bearer ${text}` }) },
  };
}

test.each(["cookie", "token"] as const)(
  "L30: a session whose %s was changed names nobody else, and nobody at all if the digest covers the changed part",
  async (carrier) => {
    const { name, connect } = createDeployment();
    const start = () => createDoorcode({ name, store: connect(), session: { password, transport: "both" } });
    const known = start();
    const { text, headersOf } = (await namesOf(known))[carrier];
    const userOf = async ({ session }: Doorcode, own: string) =>
      (await session.current({ headers: { host: "localhost", ...headersOf(own) } }))?.userId;
    expect(await userOf(known, text)).toBe("user_1");
    // Another process has never read the session, so nothing that it remembers can tell the texts apart.
    const unknown = start();

    // The digest is the last part. Its bytes have several spellings, and what follows a `~` is not read.
    const covered = text.slice(0, Math.max(text.lastIndexOf("*"), text.lastIndexOf("/")) + 1);
    for (const other of tampered(text)) {
      const users = await Promise.all([known, unknown].map((doorcode) => userOf(doorcode, other)));
      if (!other.startsWith(covered)) expect([other, users]).toEqual([other, [undefined, undefined]]);
      expect(users.filter((user) => user !== undefined && user !== "user_1")).toEqual([]);
    }
    expect(await Promise.all([known, unknown].map((doorcode) => userOf(doorcode, text)))).toEqual(["user_1", "user_1"]);
  },
);
