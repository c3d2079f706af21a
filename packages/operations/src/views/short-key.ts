/** Tells whether a text is the key of an event, which holds nothing that a person chose. */
export function isEventKey(text = ""): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Shortens the key of an event, of which the beginning is enough to tell it from others. Any other text stays. */
export function shortKey(text: string): string {
  return isEventKey(text) ? `${text.slice(0, 12)}…` : text;
}
