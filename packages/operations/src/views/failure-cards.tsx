import type { DeadLetter } from "@doorcode/core";
import type { WebhookEntry } from "../figures/entries.ts";
import { type Figures, joinRuns, type Occurrence } from "../figures/figures.ts";
import { countText, lastText } from "../page/format.ts";
import { RunLines } from "../page/run-lines.tsx";
import type { PageContext } from "../page-context.ts";
import { Card, type Html, Table } from "../page-parts.ts";
import { shortKey } from "./short-key.ts";
import { courseOf, coursesOf } from "./webhook-course.tsx";

/** The events of which each has a row: a handler that fails fails for many. */
const maxEvents = 20;

/** A row for each error, and for the newest events: their failures, and what became of them. */
export function failureCards(
  { now, basePath }: PageContext,
  { webhooks, actions }: Figures,
  deadLetters: readonly DeadLetter[],
): Html {
  const dead = new Set(deadLetters.map(({ key }) => key));
  const failed = [...webhooks].map(([key, entry]) => ({ key, entry, isDead: dead.has(key), actions, now }));
  const byError = Map.groupBy(failed, ({ entry }) => entry.error ?? "");
  if (failed.length === 0) return <Card id="failures" title="Which failed, and why" empty="No handler failed." />;
  return (
    <>
      <Card id="failures" title="Why they failed" lead="By error, of the last hundred events of each day that failed.">
        <Table
          label="Why they failed"
          columns={["Error", "Event", "#Events", "#Failures", "When (UTC), newest first", "Since then"]}
          rows={[...byError].map(([error, group]) => {
            const entries = group.map(({ entry }) => entry);
            const occurrence = occurrenceOfAll(entries);
            return [
              error,
              [...new Set(entries.map(({ kind }) => kind))].join(", "),
              countText(entries.length),
              countText(occurrence.count),
              <RunLines of={occurrence} now={now} />,
              coursesOf(group),
            ];
          })}
        />
      </Card>
      <Card
        id="failed-events"
        title="Which failed"
        lead={`The newest ${countText(Math.min(failed.length, maxEvents))} of them. The page of an event has the body of a dead letter, and who replayed it.`}
      >
        <Table
          label="Which failed"
          columns={["Event", "Key", "#Failures", "Last (UTC)", ...(byError.size > 1 ? ["Error"] : []), "Since then"]}
          rows={failed
            .toSorted((left, right) => (right.entry.lastFailureAt ?? 0) - (left.entry.lastFailureAt ?? 0))
            .slice(0, maxEvents)
            .map((course) => [
              course.entry.kind,
              <a href={`${basePath}/dead-letters/letter?key=${course.key}`}>{shortKey(course.key)}</a>,
              countText(course.entry.failures),
              lastText(course.entry.lastFailureAt, now),
              ...(byError.size > 1 ? [course.entry.error] : []),
              courseOf(course),
            ])}
        />
      </Card>
    </>
  );
}

/** Returns when the handler failed for any of these events. */
function occurrenceOfAll(entries: readonly WebhookEntry[]): Occurrence {
  const runs = entries.map(({ at, firstFailureAt = at, lastFailureAt = at, failures }) => ({
    since: firstFailureAt,
    until: lastFailureAt,
    count: failures,
  }));
  return {
    count: runs.reduce((sum, { count }) => sum + count, 0),
    first: Math.min(...runs.map(({ since }) => since)),
    last: Math.max(...runs.map(({ until }) => until)),
    runs: joinRuns(runs),
  };
}
