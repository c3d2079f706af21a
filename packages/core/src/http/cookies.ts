import { parseCookie, stringifySetCookie } from "cookie";
import type { HttpRequest } from "./exchange.ts";

/** One cookie of the kit: its name and attributes are decided once, at start. */
export interface KitCookie {
  read(headers: HttpRequest["headers"]): string | undefined;
  /** A whole `Set-Cookie` value; a browser keeps it for `maxAgeSeconds`. */
  write(value: string, maxAgeSeconds: number): string;
  /** A `Set-Cookie` value that makes the browser forget it. */
  drop(): string;
}

/**
 * Makes a cookie that scripts cannot read and other sites cannot send along with a post.
 *
 * Over https the name carries `__Host-`, so that no subdomain can plant one; over http browsers drop such cookies, and
 * the same name stands without the prefix.
 */
export function createCookie(name: string, secure: boolean): KitCookie {
  const fullName = secure ? `__Host-${name}` : name;
  const attributes = { name: fullName, path: "/", httpOnly: true, sameSite: "lax", secure } as const;
  return {
    read(headers) {
      const header = headers.cookie;
      const text = typeof header === "string" ? header : header?.join("; ");
      // Most requests of an app carry no cookie of ours: they are not parsed.
      return text?.includes(fullName) ? parseCookie(text)[fullName] || undefined : undefined;
    },
    write: (value, maxAgeSeconds) => stringifySetCookie({ ...attributes, value, maxAge: maxAgeSeconds }),
    drop: () => stringifySetCookie({ ...attributes, value: "", maxAge: 0 }),
  };
}
