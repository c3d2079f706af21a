import { isLoopbackOrigin } from "./origin.ts";

/** A secret from the environment. In a list the first is used and all are accepted, so that a secret can be rotated. */
export type Secret = string | undefined | readonly (string | undefined)[];

/** The requirements of one kind of secret. */
export interface SecretKind {
  readonly minCharacters: number;
  /** The largest list. More are no rotation, and each one costs a try with every request. */
  readonly maxListed: number;
  /** The fix for a longer list, as the end of a sentence. */
  readonly listFix: string;
  /** The fix for a missing or wrong secret, as the end of a sentence. */
  readonly fix: string;
}

/** The application's signing secret. The service creates it, so its length only catches a placeholder. */
export const signingSecret: SecretKind = {
  minCharacters: 8,
  maxListed: 2,
  // Each secret of a list may report on every message, so an application could speak for another one.
  listFix: "keep the new one and the one before it, and give another application a separate kit, with its own name",
  fix: "set WEBHOOK_SECRET to the signing secret of the application, which the service's portal shows once",
};

/** The password of the app, from which the keys of its sessions, codes and proofs are derived. */
export const appPassword: SecretKind = {
  minCharacters: 32,
  maxListed: 4,
  listFix: "drop old ones",
  fix: "set SESSION_PASSWORD to at least 32 random characters, such as `openssl rand -base64 32` prints",
};

/** The URL of the service beside a secret. */
export interface SecretService {
  /** The URL of the service: `process.env.SERVICE_URL`. */
  readonly baseUrl: string | undefined;
}

/**
 * Tells what is wrong with a secret that the sandbox publishes, so that its `.env` can be committed; `undefined` for any other secret, and
 * beside a URL of this machine. `urlOption` has the URL; `fix` is how to get another secret.
 */
export function refusePublished(
  secret: string,
  url: string | undefined,
  urlOption: string,
  fix: string,
): string | undefined {
  if (!secret.startsWith("sandbox-") || isLoopbackOrigin(String(url))) return undefined;
  return `is the sandbox's, which is public. It works only beside a ${urlOption} on this machine: give that, or ${fix}`;
}

/**
 * Reads a secret of the app as a list: the current one first, then those still accepted.
 *
 * @throws TypeError when there is none, one is too short, there are too many, or one is published and may not be. The message never holds
 * the secret.
 */
export function readSecrets(
  place: string,
  option: string,
  { minCharacters, maxListed, listFix, fix }: SecretKind,
  secret: unknown,
  serviceUrl: string | undefined,
): [string, ...string[]] {
  const listed: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  const [first, ...rest] = listed;
  // An old secret may be gone from the environment. A missing new one must stop the program.
  const others = rest.filter((entry) => entry !== undefined && entry !== "");
  if (first === undefined || first === "") throw new TypeError(`${place}: ${option} is missing: ${fix}.`);
  if (listed.length > maxListed) throw new TypeError(`${place}: ${option} lists more than ${maxListed}: ${listFix}.`);
  return [readEntry(first), ...others.map(readEntry)];

  function readEntry(entry: unknown): string {
    if (typeof entry !== "string" || entry.length < minCharacters) {
      throw new TypeError(`${place}: ${option} is not a text, or too short: ${fix}.`);
    }
    const refusal = refusePublished(entry, serviceUrl, "service.baseUrl", fix);
    if (refusal !== undefined) throw new TypeError(`${place}: ${option} ${refusal}.`);
    return entry;
  }
}
