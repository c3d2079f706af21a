import type { z } from "zod";

/** Parses a record that was stored as JSON. Returns `undefined` for an absent or empty text, and for a wrong shape. */
export function readRecord<Shape extends z.ZodType>(
  shape: Shape,
  text: string | undefined,
): z.output<Shape> | undefined {
  if (!text) return undefined;
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
