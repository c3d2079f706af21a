/** The headers of a request, with names in lower case, as Node gives them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request of any framework, as far as its headers go. */
export interface WithHeaders {
  readonly headers: RequestHeaders;
}
