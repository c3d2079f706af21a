import type { Message } from "../../state/message.ts";

/** Returns the path of a page or a form of an application, with encoded parts: `applicationPath("app_1", "webhooks", id)`. */
export function applicationPath(applicationId: string, ...parts: readonly string[]): string {
  return `/applications/${[applicationId, ...parts].map(encodeURIComponent).join("/")}`;
}

/** The name of a thread of the inbox: a phone number and a channel. */
export type ThreadName = Pick<Message, "to" | "channel">;

/** Returns the path of a thread of the inbox. */
export function threadPath(applicationId: string, { to, channel }: ThreadName): string {
  return applicationPath(applicationId, "inbox", to, channel);
}

/** Adds parameters to the query of a path. Undefined and empty values are omitted. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  if (given.length === 0) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(given)}`;
}
