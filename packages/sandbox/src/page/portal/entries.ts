/** Returns a copy of a record with one more entry. A missing key or value is empty, so that a later check refuses it. */
export function withEntry<Value>(
  record: Readonly<Record<string, Value>>,
  key: string | undefined,
  value: string | undefined,
): Readonly<Record<string, Value | string>> {
  return { ...record, [key ?? ""]: value ?? "" };
}

/** Returns a copy of a record without an entry. */
export function withoutEntry<Value>(
  record: Readonly<Record<string, Value>>,
  key: string | undefined,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}
