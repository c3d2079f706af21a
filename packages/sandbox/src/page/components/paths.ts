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

/** Adds a query to a path. Undefined and empty values are omitted. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Tells whether one of the texts contains the search text, in upper or lower case, or its digits as a page groups them. */
export function matchesSearch(search: string, texts: readonly (string | undefined)[]): boolean {
  const wanted = search.toLowerCase();
  const digits = /^[+\d ]+$/.test(search) ? search.replaceAll(" ", "") : wanted;
  return texts.some((text = "") => text.toLowerCase().includes(wanted) || text.includes(digits));
}

/** Formats a JSON text over several lines. Any other text stays as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** One page of a list. */
export interface Page<Item> {
  /** The items of this page, the newest first. */
  readonly items: readonly Item[];
  /** The cursor of the next page, with older items; undefined on the last page. */
  readonly older: string | undefined;
}

/**
 * Returns one page of a list.
 *
 * @param newestFirst - the whole list.
 * @param cursorOf - returns the cursor of an item.
 * @param before - cursor of the last item on the previous page. An unknown cursor gives the first page.
 */
export function pageOf<Item>(
  newestFirst: readonly Item[],
  cursorOf: (item: Item) => string,
  size: number,
  before: string | undefined,
): Page<Item> {
  const next = newestFirst.findIndex((item) => cursorOf(item) === before) + 1;
  const start = next < newestFirst.length ? next : 0;
  const items = newestFirst.slice(start, start + size);
  const last = items.at(-1);
  return { items, older: last && start + size < newestFirst.length ? cursorOf(last) : undefined };
}
