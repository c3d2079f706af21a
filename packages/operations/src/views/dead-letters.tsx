import type { DeadLetter } from "@doorcode/core";
import { doorcodeParts, maskDigits } from "@doorcode/core/adapter";
import type { Child } from "hono/jsx";
import { errorText } from "../figures/entries.ts";
import { readFigures } from "../figures/read-figures.ts";
import { digestOfError, maskBody } from "../masked.ts";
import { countText, instantText, none, nounText, secondText } from "../page/format.ts";
import type { PageContext, ShownView } from "../page-context.ts";
import { Card, EmptyNote, Facts, type Html, PostButton, Table } from "../page-parts.ts";
import { isEventKey, shortKey } from "./short-key.ts";
import { courseOf, type WebhookCourse } from "./webhook-course.tsx";

/** The dead letters that the page lists, and that one action changes: more than a person looks at one by one. */
export const maxLetters = 500;

/** Shows the dead letters by their error. */
export async function deadLettersView(context: PageContext): Promise<ShownView> {
  const { doorcode } = context;
  const title = "Dead letters";
  const lead =
    "Webhooks whose handler failed too often, by their error. When the cause is mended, replay them: they are handled again, in order.";
  if (!doorcode[doorcodeParts].webhooks?.inbox) {
    const empty =
      "This app has no inbox, so it has no dead letters: a webhook that fails is answered 500, and the service delivers it again.";
    return { title, lead, children: <Card id="none" title="No inbox" empty={empty} /> };
  }
  const letters = await doorcode.deadLetters.list({ limit: maxLetters });
  const groups = Map.groupBy(letters, ({ error }) => errorText(error));
  const cards = [...groups].map(([error, group]) => errorCard(context, error, group));
  const empty = <Card id="empty" title="Nothing to do" empty="There are no dead letters." />;
  const listed = letters.length < maxLetters ? "" : ` Only the newest ${maxLetters} are counted and listed here.`;
  return { title, lead: lead + listed, children: letters.length === 0 ? empty : cards };
}

/** The dead letters of one error. */
function errorCard({ basePath, now }: PageContext, error: string, group: readonly DeadLetter[]): Html {
  const fields = { error: digestOfError(error) };
  return (
    <Card
      id={`error-${fields.error}`}
      title={error}
      lead={`${nounText(group.length, "dead letter")}, the newest at ${instantText(group[0]?.failedAt.getTime() ?? now, now)}.`}
    >
      <div class="row">
        <PostButton
          action={`${basePath}/dead-letters/replay`}
          label="Replay all …"
          of={error}
          look="primary"
          fields={fields}
        />
        <PostButton
          action={`${basePath}/dead-letters/drop`}
          label="Drop all …"
          of={error}
          look="danger"
          fields={fields}
        />
      </div>
      <Table
        label={`Dead letters: ${error}`}
        columns={["Event", "Key", "Failed", "Replay", "Drop"]}
        rows={group
          .slice(0, 50)
          .map(({ key, event, failedAt }) => [
            kindOf(event),
            <a href={`${basePath}/dead-letters/letter?key=${key}`}>{shortKey(key)}</a>,
            instantText(failedAt.getTime(), now),
            <PostButton
              action={`${basePath}/dead-letters/replay`}
              label="Replay …"
              of={shortKey(key)}
              fields={{ key }}
            />,
            <PostButton action={`${basePath}/dead-letters/drop`} label="Drop …" of={shortKey(key)} fields={{ key }} />,
          ])}
      />
    </Card>
  );
}

/** Shows one dead letter, or what is known of an event that is none any more. */
export async function letterView(context: PageContext): Promise<ShownView> {
  const { doorcode, basePath, now, query } = context;
  const { key: requestedKey = "" } = query;
  const key = isEventKey(requestedKey) ? requestedKey : "";
  const hasInbox = doorcode[doorcodeParts].webhooks?.inbox !== undefined;
  const [letter] = hasInbox ? await doorcode.deadLetters.find([key]) : [];
  const { total } = await readFigures(doorcode, "month");
  const entry = total.webhooks.get(key);
  const children = (
    <>
      <div class="view-head">
        <h1>{letter ? kindOf(letter.event) : (entry?.kind ?? "This event")}</h1>
        <span class="push" />
        {letter && (
          <PostButton action={`${basePath}/dead-letters/replay`} label="Replay …" look="primary" fields={{ key }} />
        )}
        {letter && (
          <PostButton action={`${basePath}/dead-letters/drop`} label="Drop …" look="danger" fields={{ key }} />
        )}
      </div>
      <Card id="history" title="What happened">
        {entry ? (
          <Facts facts={factsOf({ key, entry, isDead: letter !== undefined, actions: total.actions, now })} />
        ) : (
          <EmptyNote>No failure of this event is among the last hundred of each day.</EmptyNote>
        )}
      </Card>
      {letter ? (
        <Card
          id="letter"
          title="Dead letter"
          lead={`Failed at ${instantText(letter.failedAt.getTime(), now)}: ${errorText(letter.error)}`}
        >
          <h3>Body, with every number masked</h3>
          {/* It scrolls, so a keyboard must reach it. */}
          <pre tabindex={0}>{maskBody(letter.body)}</pre>
        </Card>
      ) : (
        <Card
          id="letter"
          title="No dead letter"
          empty="The body of an event is shown while the event is a dead letter."
        />
      )}
      <p>
        <a href={`${basePath}/dead-letters`}>All dead letters</a>
      </p>
    </>
  );
  return { title: letter ? "Dead letter" : "Webhook", children };
}

function factsOf(course: WebhookCourse): readonly (readonly [string, Child])[] {
  const { key, entry, now } = course;
  const { failures, firstFailureAt, lastFailureAt, error } = entry;
  return [
    ["Key", key],
    ["Failed attempts", countText(failures)],
    ["First failure (UTC)", secondText(firstFailureAt, now)],
    ["Last failure (UTC)", secondText(lastFailureAt, now)],
    ["Last error", error ?? none],
    ["Since then", courseOf(course)],
  ];
}

function kindOf(event: DeadLetter["event"]): string {
  if (!("kind" in event)) return "unreadable";
  const { status } = event.kind === "unknown" ? {} : event.data;
  return status === undefined ? event.kind : `${event.kind}, ${maskDigits(status)}`;
}
