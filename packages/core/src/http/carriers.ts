import type { Purpose } from "../codes/code-strategy.ts";
import { newRandomText, randomTextForm } from "../login/transaction.ts";
import { deviceHeader, type RequestTransport, transactionHeader } from "../sessions/transport.ts";
import type { KitCookie } from "../util/cookie.ts";
import type { RequestHeaders } from "../util/headers.ts";

/*
 * The ids of a transaction and of a device travel in a cookie or as a token. The form of an id tells which: a token has a prefix with a
 * dot, which no id in a cookie has. The prefix is part of the id, so the store knows a token and a cookie by different keys, and a stolen
 * id of the one kind names nothing as the other, whatever is added to it or taken away.
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
export interface Handout {
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
  give(id: string, maxAgeSeconds: number): Handout;
  /** Takes the id away from a client. One with tokens forgets it by itself. */
  drop(): Handout;
}

/** The ways in which the ids of a mount travel. */
export interface Carriers {
  /** The carrier of the transaction of the mount's purpose. */
  readonly transaction: Carrier;
  /** The carriers of the transactions of every purpose. */
  readonly transactions: readonly Carrier[];
  readonly device: Carrier;
}

/** Creates the ways in which the ids of a mount travel, for both kinds of requests. */
export function createCarriers(
  purpose: Purpose,
  transactionCookies: Readonly<Record<Purpose, KitCookie>>,
  deviceCookie: KitCookie,
): Readonly<Record<RequestTransport, Carriers>> {
  const transactionToken = createTokenCarrier("transactionToken", transactionHeader);
  return {
    cookie: {
      transaction: createCookieCarrier(transactionCookies[purpose]),
      transactions: Object.values(transactionCookies).map(createCookieCarrier),
      device: createCookieCarrier(deviceCookie),
    },
    bearer: {
      transaction: transactionToken,
      // The store knows the purpose of each, so one header is enough.
      transactions: [transactionToken],
      device: createTokenCarrier("deviceToken", deviceHeader),
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
