const units = [
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
  ["s", 1],
] as const;

/**
 * Formats a duration with its two largest units: `1 h 12 m`, `4.2 s`, `50 ms`.
 *
 * @param milliseconds - a negative duration counts as 0.
 */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < 10_000) return `${(milliseconds / 1000).toFixed(1).replace(/\.0$/, "")} s`;
  return secondsText(Math.round(milliseconds / 1000));
}

/** Formats the time until an instant in whole seconds: `in 1 m 58 s`, and `now` after it. */
export function leftText(milliseconds: number): string {
  return milliseconds <= 0 ? "now" : `in ${secondsText(Math.ceil(milliseconds / 1000))}`;
}

function secondsText(seconds: number): string {
  let left = seconds;
  const parts = units.flatMap(([unit, size]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count > 0 ? [`${count} ${unit}`] : [];
  });
  return parts.slice(0, 2).join(" ");
}
