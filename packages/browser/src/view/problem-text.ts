import { chosenCountry, countryNames } from "./countries.ts";
import { countedMilliseconds, type ShownProblem, type View } from "./view.ts";
import { fill, inWords, ownText, plural, secondsUntil } from "./words.ts";

/** The codes that have the words of another one, unless the app gives them words of their own. */
const related: Readonly<Record<string, string>> = {
  channel_not_allowed: "send_failed",
  cost_ceiling_reached: "daily_ceiling_reached",
  send_denied: "number_range_closed",
  login_superseded: "code_expired",
  no_transaction: "code_expired",
  session_changed: "code_expired",
  hourly_ceiling_reached: "service_unavailable",
  send_undecided: "service_unavailable",
  server_busy: "service_unavailable",
  service_rate_limited: "service_unavailable",
  transaction_busy: "service_unavailable",
};

/** Says in words what a problem means and what to do, with the attempts left and the time of the next try. */
export function problemText(view: View, problem: ShownProblem): string {
  const { strings, live, language, now } = view;
  const { code, attemptsLeft, retryAt } = problem;
  const own = (name: string) => ownText(strings.problems as Readonly<Record<string, string>>, name);
  const words = own(code) ?? own(ownText(related, code) ?? "other") ?? strings.problems.other;
  // A running script counts a short pause down beside the button.
  const isTold = retryAt !== undefined && !(live && retryAt - now <= countedMilliseconds);
  return [
    fill(words, { example: `\u2066${chosenCountry(view)?.example ?? "+49 1512 3456789"}\u2069` }),
    code === "country_not_allowed" && offeredCountries(view),
    attemptsLeft !== undefined && attemptsLeft > 0 && plural(strings.attemptsLeft, attemptsLeft, language),
    isTold && againText(view, retryAt),
  ]
    .filter(Boolean)
    .join(" ");
}

const manyCountries = 12;

/** Names the countries that are offered, unless they are too many to read. */
function offeredCountries({ strings, offer: { countries }, language }: View): string | undefined {
  if (countries.length === 0 || countries.length > manyCountries) return undefined;
  const nameOf = countryNames(language);
  const names = countries.map(({ country }) => nameOf(country));
  return fill(strings.offeredCountries, { countries: new Intl.ListFormat(language).format(names) });
}

/** Says when to try again, in the time of the person's own clock if their browser is asked. */
function againText({ strings, language, now, live }: View, instant: number): string {
  if (live) return fill(strings.againAt, { time: timeText(instant, now, language) });
  return fill(strings.again, { when: inWords(secondsUntil(instant, now) || 1, language) });
}

function timeText(instant: number, now: number, language: string): string {
  // The minute that is shown must be over when it is reached.
  const rounded = Math.ceil(instant / 60_000) * 60_000;
  const isToday = new Date(rounded).toDateString() === new Date(now).toDateString();
  const dateStyle = isToday ? undefined : "medium";
  return new Intl.DateTimeFormat(language, { timeStyle: "short", dateStyle }).format(rounded);
}
