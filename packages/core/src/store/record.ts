import type { z } from "zod";

/** Reads a record that was stored as JSON; `undefined` for none, an empty text and anything of another shape. */
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
