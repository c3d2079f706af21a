import { raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

/** A piece of HTML in which everything that came from outside is escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** What a component shows when it has nothing to show. */
export const nothing: Html = raw("");
