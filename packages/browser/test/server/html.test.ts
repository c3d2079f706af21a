import { expect, test } from "vitest";
import { escapeHtml } from "../../src/server/html.ts";

test("a text ends neither an element nor an attribute, whichever quotes the attribute has", () => {
  expect(escapeHtml(`<a href='x' title="&">`)).toBe("&#60;a href=&#39;x&#39; title=&#34;&#38;&#34;&#62;");
});
