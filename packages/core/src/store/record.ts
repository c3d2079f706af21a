import type { z } from "zod";

/** Parses a record that was stored as JSON. Returns `undefined` for an absent or empty text, and for a wrong shape. */
export function readRecord<Shape extends z.ZodType>(
  shape: Shape,
  text: string | undefined,
): z.output<Shape> | undefined {
  const stored = parseText(text);
  return stored === undefined ? undefined : shape.safeParse(stored).data;
}

/** Parses a text as JSON. Returns `undefined` for an absent or empty text, and for any other that is no JSON. */
export function parseText(text: string | undefined): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
