import type { Context } from "hono";
import { readBytes } from "../../http/read-body.ts";
import { Refusal } from "../../primitives/refusal.ts";

/** The fields of a submitted form. */
export interface Form {
  /** Returns a field without surrounding spaces; undefined when it is empty. */
  text(name: string): string | undefined;
  /** Returns a field as a number, or as text when it is not one, so that a later check can refuse it. */
  number(name: string): number | string | undefined;
  /** Returns all values of a field. */
  all(name: string): readonly string[];
  /** Returns all fields. */
  entries(): readonly (readonly [name: string, value: string])[];
}

/**
 * Reads a form as browsers send it.
 *
 * @throws Refusal `request.unsupported_media_type`; `request.too_large`
 */
export async function readForm(c: Context): Promise<Form> {
  const type = c.req.header("content-type") ?? "application/x-www-form-urlencoded";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new Refusal("request.unsupported_media_type", "Send Content-Type: application/x-www-form-urlencoded.");
  }
  const fields = new URLSearchParams(new TextDecoder().decode(await readBytes(c)));
  const text = (name: string) => fields.get(name)?.trim() || undefined;
  return {
    text,
    number: (name) => toNumber(text(name)),
    all: (name) => fields.getAll(name),
    entries: () => [...fields].map(([name, value]) => [name, value.trim()]),
  };
}

/** Converts a text to a number if it is one. */
export function toNumber(text: string | undefined): number | string | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}
