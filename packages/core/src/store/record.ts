import { z } from "zod";

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

/**
 * Returns the values of a record in the order of their names. Names would be half of a short record, and are the same in each. What is
 * absent at the end takes nothing.
 */
export function listOf<Name extends string>(
  names: readonly Name[],
  record: Readonly<Partial<Record<Name, unknown>>>,
): readonly unknown[] {
  const list = names.map((name) => record[name]);
  while (list.length > 0 && list.at(-1) === undefined) list.pop();
  return list;
}

/** Creates the shape of a list that {@link listOf} wrote. It gives the record back its names. */
export function listShape<Fields extends z.ZodRawShape>(fields: Fields): z.ZodType<z.output<z.ZodObject<Fields>>> {
  const names = Object.keys(fields);
  const named = (list: unknown) =>
    // JSON has `null` for what is absent in a list.
    Array.isArray(list) ? Object.fromEntries(names.map((name, index) => [name, list[index] ?? undefined])) : undefined;
  return z.preprocess(named, z.object(fields));
}

/** The shape of a truth value that was written as 0 or 1. */
export const flagShape: z.ZodType<boolean> = z.literal([0, 1]).transform((flag) => flag === 1);
