import type { Context } from "hono";
import { Refusal } from "../../refusal.ts";
import { readBytes } from "../read-json.ts";

const limitBytes = 1_048_576;

/** What somebody wrote into a form. */
export interface PageForm {
  /** Without spaces around it; undefined when nothing was written. */
  text(name: string): string | undefined;
  /** As a number when it is one, else as it was written, for whoever checks it; undefined when nothing was. */
  number(name: string): number | string | undefined;
  /** Every value of this name. */
  all(name: string): readonly string[];
  /** All fields with one value each. */
  entries(): readonly (readonly [name: string, value: string])[];
}

/**
 * Reads a form as browsers send it.
 *
 * @throws Refusal `request.unsupported_media_type`; `request.too_large`
 */
export async function readForm(c: Context): Promise<PageForm> {
  const type = c.req.header("content-type") ?? "application/x-www-form-urlencoded";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new Refusal("request.unsupported_media_type", "Send Content-Type: application/x-www-form-urlencoded.");
  }
  const fields = new URLSearchParams(new TextDecoder().decode(await readBytes(c.req.raw.body, limitBytes)));
  const text = (name: string) => fields.get(name)?.trim() || undefined;
  return {
    text,
    number: (name) => numberIn(text(name)),
    all: (name) => fields.getAll(name),
    entries: () => [...fields].map(([name, value]) => [name, value.trim()]),
  };
}

/** A number when a text is one; else the text. */
export function numberIn(text: string | undefined): number | string | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}
