const pattern = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

const unitsInMilliseconds = [86_400_000, 3_600_000, 60_000, 1_000, 1] as const;

/** Ten years. A longer duration is probably a mistake. */
const maxMilliseconds = 3_650 * unitsInMilliseconds[0];

/**
 * Parses a duration such as `1h12m30s`, `24h`, `500ms` or `2d`. Longer units come first.
 *
 * @returns milliseconds; undefined when the text is not a duration, or a duration of more than ten years.
 */
export function parseDuration(text: string): number | undefined {
  const match = pattern.exec(text);
  if (!match || text === "") return undefined;
  const milliseconds = unitsInMilliseconds.reduce((sum, unit, index) => sum + unit * Number(match[index + 1] ?? 0), 0);
  return milliseconds <= maxMilliseconds ? milliseconds : undefined;
}
