import type { Channel } from "../state/message.ts";

/** The path of a page or an act of an application: `address("app_1", "webhooks", id)`. Each part is encoded. */
export function address(applicationId: string, ...parts: readonly string[]): string {
  return ["/applications", applicationId, ...parts]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join("/");
}

/** A phone number and a channel: what one thread of the inbox holds. */
export interface ThreadName {
  /** E.164. */
  readonly to: string;
  readonly channel: Channel;
}

/** The path of a thread of the inbox. */
export function threadAddress(applicationId: string, { to, channel }: ThreadName): string {
  return address(applicationId, "inbox", to, channel);
}

/** Adds a query to a path; what is undefined or empty is left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
