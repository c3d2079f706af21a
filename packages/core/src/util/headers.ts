import { parseCookie, stringifySetCookie } from "cookie";

/** The headers of a request, with names in lower case, as Node gives them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request of any framework, as far as its headers go. */
export interface WithHeaders {
  readonly headers: RequestHeaders;
}

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
