import type { z } from "zod";

/** Parses a record that was stored as JSON. Returns `undefined` for an absent or empty text, and for a wrong shape. */
export function readRecord<Shape extends z.ZodType>(
  shape: Shape,
  text: string | undefined,
): z.output<Shape> | undefined {
  const stored = parseText(text);
  return stored === undefined ? undefined : shape.safeParse(stored).data;
}

/** Tells whether a member that was stored has the right type. */
type MemberCheck = (value: unknown) => boolean;

/** The checks of a record that is stored as a list, in the order of the list. Names would be half of a short record. */
export type ListedMembers<Record> = { readonly [Name in keyof Required<Record>]: MemberCheck };

/** Checks a text. */
export function isText(value: unknown): boolean {
  return typeof value === "string";
}

/** Checks a number. */
export function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

/** Creates the check of a member that may be absent. */
export function maybe(check: MemberCheck): MemberCheck {
  return (value) => value === undefined || check(value);
}

/** Returns the members of a record as a list. What is absent at the end takes nothing. */
export function listOf<Record extends object>(members: ListedMembers<Record>, record: Record): readonly unknown[] {
  const list: unknown[] = [];
  let length = 0;
  for (const name in members) {
    const value = record[name];
    list.push(value);
    if (value !== undefined) length = list.length;
  }
  list.length = length;
  return list;
}

/**
 * Gives the members of a list their names. Returns `undefined` for anything that {@link listOf} has not returned. A schema would take
 * three times as long.
 */
export function readList<Record extends object>(members: ListedMembers<Record>, list: unknown): Record | undefined {
  if (!Array.isArray(list)) return undefined;
  const record: Partial<Record> = {};
  let place = 0;
  for (const name in members) {
    // JSON has `null` for what is absent in a list.
    const value = list[place++] ?? undefined;
    if (!members[name](value)) return undefined;
    record[name] = value;
  }
  return record as Record;
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
