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
    "L30: names nobody else, and nobody at all if a part of its %s was changed that the digest covers",
    async (carrier) => {
      const app = createDeployment();
      const options = { session: { password, transport: "both" } } as const;
      const known = await setUpLogin(host, { app, options });
      const { text, headersOf } = (await namesOf(known.doorcode))[carrier];
      const answerOn = async ({ open }: LoginSetup, own: string) => {
        const { status, json } = await open().get("/account", headersOf(own));
        return status === 401 ? "refused" : json.id;
      };
      expect(await answerOn(known, text)).toBe("user_1");
      // Another process has never read the session, so nothing that it remembers can tell the texts apart.
      const unknown = await setUpLogin(host, { app, options });

      // The digest is the last part. Its bytes have several spellings, and what follows a `~` is not read.
      const covered = text.slice(0, Math.max(text.lastIndexOf("*"), text.lastIndexOf("/")) + 1);
      for (const other of tampered(text)) {
        const answers = await Promise.all([known, unknown].map((login) => answerOn(login, other)));
        if (!other.startsWith(covered)) expect([other, answers]).toEqual([other, ["refused", "refused"]]);
        expect(answers.filter((answer) => answer !== "refused" && answer !== "user_1")).toEqual([]);
      }
      expect(await Promise.all([known, unknown].map((login) => answerOn(login, text)))).toEqual(["user_1", "user_1"]);
    },
  );
});
