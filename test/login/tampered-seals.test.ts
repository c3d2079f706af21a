import { describe, expect, test } from "vitest";
import { createDeployment } from "../support/deployment.ts";
import { hosts } from "../support/hosts.ts";
import { type LoginSetup, password, setUpLogin } from "../support/login-setup.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Changes one bit of a digit of base64url or of hexadecimal, and any other character. */
function changed(character: string): string {
  const digit = alphabet.indexOf(character);
  return digit < 0 ? "A" : (alphabet[digit ^ 1] ?? "A");
}

/** Every text with one character changed, with one left out, with one more; with the end or the beginning cut off. */
function tampered(seal: string): readonly string[] {
  const variants = Array.from(seal, (character, at) => {
    const [before, after] = [seal.slice(0, at), seal.slice(at + 1)];
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
async function namesOf({ session }: LoginSetup["doorcode"]) {
  const [cookie = ""] = (await session.start({ userId: "user_1" })).setCookie.split(";");
  const { sessionToken } = await session.startBearer({ userId: "user_1" });
  const [name = "", seal = ""] = cookie.split(/=(.*)/s);
  return {
    cookie: { text: seal, headersOf: (text: string) => ({ cookie: `${name}=${text}` }) },
    token: { text: sessionToken, headersOf: (text: string) => ({ authorization: `Bearer ${text}` }) },
  };
}

describe.each(hosts)("a session that somebody has tampered with, on $name", (host) => {
  test.each(["cookie", "token"] as const)(
    "L30: is refused, whatever part of its %s was changed, cut off or added",
    async (carrier) => {
      const app = createDeployment();
      const options = { session: { password, transport: "both" } } as const;
      const known = await setUpLogin(host, { app, options });
      const { text, headersOf } = (await namesOf(known.doorcode))[carrier];
      const statusOn = async ({ open }: LoginSetup, own: string) =>
        (await open().get("/account", headersOf(own))).status;
      expect(await statusOn(known, text)).toBe(200);
      // Another process has never read the session, so nothing that it remembers can tell the texts apart.
      const unknown = await setUpLogin(host, { app, options });

      const accepted: string[] = [];
      for (const other of tampered(text)) {
        const statuses = await Promise.all([known, unknown].map((login) => statusOn(login, other)));
        if (statuses.some((status) => status !== 401)) accepted.push(other);
      }
      expect(accepted).toEqual([]);
      expect(await Promise.all([known, unknown].map((login) => statusOn(login, text)))).toEqual([200, 200]);
    },
  );
});
