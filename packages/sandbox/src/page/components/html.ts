import { raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

/** The output of a component. All text from outside is escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The output of a component that shows nothing. */
export const nothing: Html = raw("");
