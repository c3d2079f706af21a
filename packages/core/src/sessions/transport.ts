import { hash } from "node:crypto";
import { parseCookie, stringifySetCookie } from "cookie";
import { z } from "zod";
import type { Purpose } from "../codes/code-strategy.ts";
import type { RequestHeaders } from "../util/headers.ts";
import { newRandomText, randomTextForm, seal, unseal } from "../util/keys.ts";

/** How logins and sessions travel: in cookies that scripts cannot read, as tokens for apps on phones, or as asked for. */
export type Transport = "cookie" | "bearer" | "both";

/** The shape of the option `transport`. @internal */
export const transportShape: z.ZodType<Transport> = z.enum(
  ["cookie", "bearer", "both"],
  'expected "cookie", "bearer" or "both"',
);

/** How the login and the session of one request travel. */
export type RequestTransport = Exclude<Transport, "both">;

/** A cookie of the kit. Its name and attributes are decided once, at start. */
export interface KitCookie {
  /** Returns the cookie's value, if the request has one. */
  read(headers: RequestHeaders): string | undefined;
  /** Returns a whole `Set-Cookie` value; a browser keeps the cookie for `maxAgeSeconds`. */
  write(value: string, maxAgeSeconds: number): string;
  /** Returns a `Set-Cookie` value that makes the browser delete the cookie. */
  drop(): string;
}

/**
 * Creates a cookie that scripts cannot read and that browsers do not send along with another site's POST. Over https its name begins with
 * `__Host-`, so that no subdomain can plant one. Over http browsers reject that prefix.
 */
export function createCookie(name: string, secure: boolean): KitCookie {
  const fullName = secure ? `__Host-${name}` : name;
  const attributes = { name: fullName, path: "/", httpOnly: true, sameSite: "lax", secure } as const;
  return {
    read({ cookie }) {
      const header = typeof cookie === "string" ? cookie : cookie?.join("; ");
      return parseCookie(header ?? "")[fullName] || undefined;
    },
    write: (value, maxAgeSeconds) => stringifySetCookie({ ...attributes, value, maxAge: maxAgeSeconds }),
    drop: () => stringifySetCookie({ ...attributes, value: "", maxAge: 0 }),
  };
}

/** The header by which a client asks for tokens: `bearer`. A page of another site cannot send it without a preflight. */
const transportHeader = "doorcode-transport";

const transactionHeader = "doorcode-transaction";

const deviceHeader = "doorcode-device";

/**
 * Decides how a request travels, from its headers alone. With a token, the cookies of a request do not count, even if the token is
 * not valid. A bearer token of another form is not the kit's, for example that of a gateway in front: it is ignored.
 */
export function transportOf(transport: Transport, headers: RequestHeaders): RequestTransport {
  if (transport !== "both") return transport;
  const hasToken = headers[transactionHeader] !== undefined || headers[deviceHeader] !== undefined;
  return hasToken || asksForTokens(headers) || readSessionToken(headers) !== undefined ? "bearer" : "cookie";
}

/** Tells whether a request says by its header that it wants tokens. */
export function asksForTokens(headers: RequestHeaders): boolean {
  return headers[transportHeader] === "bearer";
}

/** Returns the header of a 401 that asks a client for a token (RFC 6750), or says that its token is not valid. */
export function bearerChallenge(transport: Transport, headers: RequestHeaders): Readonly<Record<string, string>> {
  if (transport === "cookie") return {};
  const hasSentToken = bearerIn(headers) !== undefined && transportOf(transport, headers) === "bearer";
  return { "www-authenticate": hasSentToken ? 'Bearer error="invalid_token"' : "Bearer" };
}

function bearerIn({ authorization }: RequestHeaders): string | undefined {
  return typeof authorization === "string" ? /^bearer +(.*)$/is.exec(authorization)?.[1] : undefined;
}

/** The beginning of a session's token. A token that begins so is meant for the kit, also if it is not valid. */
const tokenPrefix = "sessionToken.";

/** Returns the session's token of a request, valid or not. */
export function readSessionToken(headers: RequestHeaders): string | undefined {
  const token = bearerIn(headers);
  return token?.startsWith(tokenPrefix) ? token : undefined;
}

/** The characters that RFC 6750 allows in a token. A seal has stars besides, and no slashes. */
const allowedInToken = /^[\w.~/-]+$/;

/** Returns the seal in a session's token, if the kit could have issued it. */
export function sealOfToken(token: string): string | undefined {
  return allowedInToken.test(token) ? token.slice(tokenPrefix.length).replaceAll("/", "*") : undefined;
}

/** Writes a seal as a bearer token. */
export function bearerTokenOf(sealed: string): string {
  return `${tokenPrefix}${sealed.replaceAll("*", "/")}`;
}

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

/**
 * Creates the sealer of an app: the first password seals, each of them unseals. It remembers what the last texts have said, by their
 * digests, and never whether a session is still valid.
 *
 * @param maxKnown - the number of texts that it remembers.
 */
export function createSealer(passwords: readonly string[], maxKnown = 10_000): Sealer {
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

/*
 * The ids of a transaction and of a device travel in a cookie or as a token. The form of an id tells which: a token has a prefix with a
 * dot, which no id in a cookie has. The prefix is part of the id, so the store knows a token and a cookie by different keys, and a stolen
 * id of the one kind names nothing as the other, also if something is added to it or taken away.
 */

/** The tokens of an answer to a client without cookies. A client keeps each one until it gets another one of its kind. */
export interface LoginTokens {
  /** Names the open login, in the header `Doorcode-Transaction`. */
  readonly transactionToken?: string;
  /** Names the session, in the header `Authorization`, after `Bearer`. */
  readonly sessionToken?: string;
  /** Names the device, in the header `Doorcode-Device`, also of the next logins. */
  readonly deviceToken?: string;
}

/** The parts of an answer that give an id to its client, or take it away. */
export interface ClientCredential {
  /** Whole `Set-Cookie` values. */
  readonly cookies?: readonly string[];
  readonly tokens?: LoginTokens;
}

/** The way in which one id travels. */
export interface Carrier {
  /** Creates an id of 128 random bits that travels in this way only. */
  newId(): string;
  /** Returns the id of a request, if the kit could have issued it for this way. */
  read(headers: RequestHeaders): string | undefined;
  /** Gives an id to a client, which is to keep it for `maxAgeSeconds`. */
  give(id: string, maxAgeSeconds: number): ClientCredential;
  /** Takes the id away from a client. One with tokens forgets it by itself. */
  drop(): ClientCredential;
}

/** The ways in which the ids of a mount travel. */
export interface Carriers {
  readonly transaction: Carrier;
  readonly transactions: readonly Carrier[];
  readonly device: Carrier;
}

/** Creates the ways in which the ids of devices travel, for both kinds of requests. */
export function createDeviceCarriers(deviceCookie: KitCookie): Readonly<Record<RequestTransport, Carrier>> {
  return { cookie: createCookieCarrier(deviceCookie), bearer: createTokenCarrier("deviceToken", deviceHeader) };
}

/** Creates the ways in which the ids of a mount travel, for both kinds of requests. */
export function createCarriers(
  purpose: Purpose,
  transactionCookies: Readonly<Record<Purpose, KitCookie>>,
  deviceCookie: KitCookie,
): Readonly<Record<RequestTransport, Carriers>> {
  const transactionToken = createTokenCarrier("transactionToken", transactionHeader);
  const devices = createDeviceCarriers(deviceCookie);
  return {
    cookie: {
      transaction: createCookieCarrier(transactionCookies[purpose]),
      transactions: Object.values(transactionCookies).map(createCookieCarrier),
      device: devices.cookie,
    },
    bearer: {
      transaction: transactionToken,
      // The store knows the purpose of each, so one header is enough.
      transactions: [transactionToken],
      device: devices.bearer,
    },
  };
}

function createCookieCarrier(cookie: KitCookie): Carrier {
  return {
    newId: newRandomText,
    read(headers) {
      const id = cookie.read(headers) ?? "";
      return randomTextForm.test(id) ? id : undefined;
    },
    give: (id, maxAgeSeconds) => ({ cookies: [cookie.write(id, maxAgeSeconds)] }),
    drop: () => ({ cookies: [cookie.drop()] }),
  };
}

function createTokenCarrier(kind: "transactionToken" | "deviceToken", header: string): Carrier {
  const prefix = `${kind}.`;
  return {
    newId: () => `${prefix}${newRandomText()}`,
    read(headers) {
      const id = headers[header];
      if (typeof id !== "string" || !id.startsWith(prefix)) return undefined;
      return randomTextForm.test(id.slice(prefix.length)) ? id : undefined;
    },
    give: (id) => ({ tokens: { [kind]: id } }),
    drop: () => ({}),
  };
}
