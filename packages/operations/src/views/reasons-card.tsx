import { problemTitle } from "@doorcode/core";
import type { Child } from "hono/jsx";
import type { Figures, Occurrence } from "../figures/figures.ts";
import { countOf, occurrenceOf, valuesOf } from "../figures/read-figures.ts";
import { countText, none } from "../page/format.ts";
import { RunLines } from "../page/run-lines.tsx";
import { type PageContext, urlOf } from "../page-context.ts";
import { Card, type Html, Table } from "../page-parts.ts";

/** A reason why people did not arrive. */
interface Reason {
  readonly reason: string;
  /** What the app's events and logs call it. */
  readonly code?: string | undefined;
  readonly count: number;
  /** When it occurred, if that is known. */
  readonly times?: Occurrence;
  readonly meaning: Child;
}

/** Shows why people did not arrive, and from when until when. */
export function reasonsCard(context: PageContext, total: Figures): Html {
  const { now, filter } = context;
  const reasons = reasonsOf(context, total).sort((left, right) => right.count - left.count);
  return (
    <Card
      id="reasons"
      title="Why people do not arrive"
      lead={
        filter && filter.dimension !== "country"
          ? "Refusals and failures are counted in total and by country alone, so they are not among these."
          : "One person may be in several rows, and an attack is in them, too. What came back within ten minutes is one line."
      }
    >
      <Table
        label="Why people do not arrive"
        empty="Nothing was refused, and nothing failed."
        columns={["Reason", "#Count", "When (UTC), newest first", "What it means"]}
        rows={reasons.map(({ reason, code, count, times, meaning }) => [
          <>
            {reason} {code && <span class="soft">{code}</span>}
          </>,
          countText(count),
          times ? <RunLines of={times} now={now} /> : none,
          meaning,
        ])}
      />
    </Card>
  );
}

/** With a filter only what is counted by its property can be shown: why, for a country alone. */
function reasonsOf(context: PageContext, total: Figures): Reason[] {
  const { filter } = context;
  const [sent = 0, delivered = 0, undelivered = 0] = ["sent", "delivered", "undelivered"].map((metric) =>
    countOf(total, metric, filter),
  );
  const isSplit = filter === undefined || filter.dimension === "country";
  const because = (metric: string, property: string) => (isSplit ? valuesOf(total, metric, property, filter) : []);
  const sendErrors = because("send_failed", "error");
  // A wrong code and a send that failed have rows of their own.
  const hasOwnRow = (code: string) => code === "code_rejected" || sendErrors.some(({ value }) => value === code);
  const refused = [...because("not_sent", "code"), ...because("refused", "code")].filter(
    ({ value }) => !hasOwnRow(value),
  );
  const one = (reason: string, metric: string, meaning: string): Reason[] => {
    const occurrence = occurrenceOf(total, metric, filter);
    return occurrence ? [rowOf(reason, occurrence, meaning)] : [];
  };
  const noReports = Math.max(0, sent - delivered - undelivered);
  return [
    ...one("Not delivered", "undelivered", "The service reported that no channel delivered the code."),
    ...(noReports > 0 ? [{ reason: "No report of the delivery", count: noReports, meaning: noReport }] : []),
    ...one("Wrong code", "rejected", "The code that a person typed was wrong."),
    ...refused.map((times) => {
      const { value: code } = times;
      return rowOf(ofLimits[code]?.reason ?? "Refused", times, refusalMeaning(context, code), code);
    }),
    ...because("suppressed", "limit").map((times) => rowOf("Suppressed", times, suppressed)),
    ...sendErrors.map((times) => rowOf("Not sent", times, sendFailed, times.value)),
    ...because("unfinished", "error").map((times) => rowOf("Your app failed", times, unfinished, times.value)),
  ];
}

function rowOf(reason: string, times: Occurrence, meaning: Child, code?: string): Reason {
  return { reason, code, count: times.count, times, meaning };
}

/** What a refusal means whose end the view of the limits shows. */
const ofLimits: Readonly<Record<string, { readonly reason: string; readonly meaning: string }>> = {
  number_range_closed: {
    reason: "Block of numbers closed",
    meaning:
      "Too many requests for numbers that are alike, or too many that nobody confirmed, as in an attack. No number of a closed block gets a code.",
  },
  client_limit_reached: {
    reason: "Address or network closed",
    meaning:
      "Too many requests from there, or too many that nobody confirmed, as in an attack. People behind a closed one get no code.",
  },
  hourly_ceiling_reached: { reason: "Ceiling of the hour", meaning: "It is reached: nobody gets a code." },
  daily_ceiling_reached: { reason: "Ceiling of the day", meaning: "It is reached: nobody gets a code." },
  cost_ceiling_reached: { reason: "Ceiling of costs", meaning: "It is reached: nobody gets a code." },
};

function refusalMeaning(context: PageContext, code: string): Child {
  const meaning = ofLimits[code]?.meaning;
  if (!meaning) return problemTitle(code) ?? "";
  return (
    <>
      {meaning} <a href={urlOf(context, "limits")}>Limits</a> says whether that is so now.
    </>
  );
}

const noReport = "The code was sent, and no webhook says yet whether it arrived.";
const suppressed = "Your app's beforeSend had no code sent, without saying so.";
const sendFailed = "The service or your sender did not take the code, so these people got none.";
const unfinished = "The code was right, and a function of your app failed. The same code finishes the login.";
