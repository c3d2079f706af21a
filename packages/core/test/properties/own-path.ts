import assert from "node:assert/strict";
import fc from "fast-check";
import { doneLocation, pageLocation } from "../../src/http/answers.ts";
import { anyText, createProperty, mutated, type ParserProperty } from "./property.ts";

const forms = { page: "/login", done: "/done" };
const origins = ["https://app.example", "http://localhost:3000", "https://app.example:8443"];

const segment = fc.oneof(
  fc.constantFrom("a", "account", "..", ".", "%2e", "%2F", "\\", "ä", "a b", "@", ":"),
  fc.string({ maxLength: 4 }),
);
const paths = fc
  .tuple(
    fc.array(segment, { minLength: 1, maxLength: 5 }),
    fc.constantFrom("", "?q=1", "?next=//a.example", "#f", "?a#b"),
  )
  .map(([segments, end]) => `/${segments.join("/")}${end}`);
const strangers = fc.oneof(
  fc.constantFrom(
    "/",
    "//",
    "\\",
    "/\\",
    "\t",
    "\n",
    "\r",
    "@",
    ":",
    "?",
    "#",
    "..",
    "/.",
    "%",
    "\u0000",
    "\u2028",
    " ",
  ),
  fc.constantFrom(
    "attacker.example",
    "https:",
    "javascript:",
    "//attacker.example",
    "\\\\attacker.example",
    "。",
    "／",
  ),
  anyText,
);
const pieces = fc.array(strangers, { maxLength: 6 }).map((parts) => parts.join(""));
const anyPath = fc.oneof(
  anyText,
  paths,
  mutated(paths, strangers),
  pieces,
  pieces.map((text) => `/${text}`),
);

/** The invariants of the paths to which forms are redirected. */
export const ownPathProperties: readonly ParserProperty[] = [
  createProperty("a redirect stays on the site, from any page of it, whatever `next` is", anyPath, (next) => {
    const location = doneLocation(forms, next);
    const isPath = next.startsWith("/") && URL.parse(next, "https://app.example")?.origin === "https://app.example";
    if (!isPath) assert.equal(location, "/done");
    assert.match(location, /^\/(?![/\\])[\x21-\x7e]*$/);
    for (const origin of origins) {
      assert.equal(new URL(location, origin).origin, origin);
      assert.equal(new URL(location, `${origin}/login/deep/page?next=//a#b`).origin, origin);
    }
  }),
  createProperty("the page with the forms gets `next` only as the path to which the login goes", anyPath, (next) => {
    const location = new URL(pageLocation(forms, next), "https://app.example");
    assert.deepEqual([location.origin, location.pathname, location.hash], ["https://app.example", "/login", ""]);
    const expected = doneLocation({ page: "/login", done: "/none" }, next);
    assert.deepEqual([...location.searchParams], expected === "/none" ? [] : [["next", expected]]);
  }),
  createProperty(
    "a plain path with a query is kept as it is",
    fc.webPath().filter((path) => /^\/(?!\/)/.test(path)),
    (path) => {
      if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path)) return;
      assert.equal(doneLocation(forms, `${path}?q=1#top`), `${path}?q=1#top`);
    },
  ),
];
