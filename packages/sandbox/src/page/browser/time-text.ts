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

const timeOfDay = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayAndMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/**
 * Formats an instant as its time of day, with the day if it is another day than `now`.
 *
 * @param instant - Unix milliseconds.
 * @param now - Unix milliseconds. Without it the day is never shown.
 */
export function instantText(instant: number, now: number = instant): string {
  const isSameDay = new Date(instant).toDateString() === new Date(now).toDateString();
  return `${isSameDay ? "" : `${dayAndMonth.format(instant)}, `}${timeOfDay.format(instant)}`;
}
