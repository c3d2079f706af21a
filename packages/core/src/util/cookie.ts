import { parseCookie, stringifySetCookie } from "cookie";
import type { RequestHeaders } from "./headers.ts";

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
 * Creates a cookie that scripts cannot read and that browsers do not send along with another site's POST.
 *
 * Over https its name begins with `__Host-`, so that no subdomain can plant one. Over http browsers reject such cookies,
 * so the name has no prefix there.
 */
export function createCookie(name: string, secure: boolean): KitCookie {
  const fullName = secure ? `__Host-${name}` : name;
  const attributes = { name: fullName, path: "/", httpOnly: true, sameSite: "lax", secure } as const;
  return {
    read(headers) {
      const header = headers.cookie;
      const text = typeof header === "string" ? header : header?.join("; ");
      return text === undefined ? undefined : readCookie(text, fullName) || undefined;
    },
    write: (value, maxAgeSeconds) => stringifySetCookie({ ...attributes, value, maxAge: maxAgeSeconds }),
    drop: () => stringifySetCookie({ ...attributes, value: "", maxAge: 0 }),
  };
}

/**
 * Returns the value of the first cookie of this name. The other cookies are parsed only if this one is not spelled as browsers do.
 */
function readCookie(header: string, name: string): string | undefined {
  const start = header.indexOf(name);
  if (start < 0) return undefined;
  const isPairStart = start === 0 || header.startsWith("; ", start - 2);
  const equalsSign = start + name.length;
  const end = header.indexOf(";", equalsSign);
  const value = header.slice(equalsSign + 1, end < 0 ? undefined : end);
  // A parser decodes `%`, and leaves out spaces around a value.
  const isUsual = isPairStart && header[equalsSign] === "=" && !value.includes("%") && value.trim() === value;
  return isUsual ? value : parseCookie(header)[name];
}
