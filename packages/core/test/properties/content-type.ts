import assert from "node:assert/strict";
import fc from "fast-check";
import { bodyFormat } from "../../src/http/body.ts";
import { createRequest } from "./login-request.ts";
import { anyText, createProperty, mutated, type ParserProperty } from "./property.ts";

const types = { "application/json": "json", "application/x-www-form-urlencoded": "form" } as const;
const space = fc.constantFrom("", " ", "\t", "  ");
const parameters = fc.constantFrom(
  "",
  ";",
  "; charset=utf-8",
  ';charset="utf-8"; boundary=x',
  "; application/json",
  ", text/plain",
);
const written = fc
  .record({
    type: fc.constantFrom(...Object.keys(types), "text/plain", "multipart/form-data"),
    upper: fc.boolean(),
    space,
    parameters,
  })
  .map(({ type, upper, space, parameters }) => `${space}${upper ? type.toUpperCase() : type}${space}${parameters}`);
const strangers = fc.oneof(
  fc.constantFrom(..."/;,+ \t=\u0000\u017f"),
  fc.constantFrom("+json", "application/json", "x-"),
  anyText,
);

function formatOf(contentType: string | readonly string[] | undefined): string | undefined {
  return bodyFormat(createRequest({ "content-type": contentType }, { bytes: new Uint8Array() }));
}

/** The invariants of `bodyFormat`. */
export const contentTypeProperties: readonly ParserProperty[] = [
  createProperty(
    "a content type is JSON or a form only if its media type is exactly that, in any case and with any parameters",
    fc.oneof(written, written, mutated(written, strangers), anyText),
    (text) => {
      const found = Object.entries(types).find(([type]) => new RegExp(`^\\s*${type}\\s*(;|$)`, "i").test(text));
      assert.equal(formatOf(text), found?.[1]);
    },
  ),
  createProperty(
    "several content types are no format, and no content type is no body",
    fc.array(written),
    (several) => {
      assert.equal(formatOf(several), undefined);
      assert.equal(formatOf(undefined), "none");
    },
  ),
];
