const form = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

const unitsInMilliseconds = [86_400_000, 3_600_000, 60_000, 1_000, 1] as const;

/** At most ten years: what is longer is a mistake. */
const longestMilliseconds = 3_650 * unitsInMilliseconds[0];

/**
 * Reads a duration as people write it: `1h12m30s`, `24h`, `500ms`, `2d`. Units stand from long to short.
 *
 * @returns milliseconds; undefined when the text is no duration, or one of more than ten years.
 */
export function parseDuration(text: string): number | undefined {
  const found = form.exec(text);
  if (!found || text === "") return undefined;
  const milliseconds = unitsInMilliseconds.reduce((sum, unit, index) => sum + unit * Number(found[index + 1] ?? 0), 0);
  return milliseconds <= longestMilliseconds ? milliseconds : undefined;
}
