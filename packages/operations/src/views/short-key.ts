/** Shortens the key of an event, of which the beginning is enough to tell it from others. Any other text stays. */
export function shortKey(text: string): string {
  return /^[0-9a-f]{64}$/.test(text) ? `${text.slice(0, 12)}…` : text;
}
