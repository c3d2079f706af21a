import type { DeadLetter } from "@doorcode/core";
import { doorcodeParts } from "@doorcode/core/adapter";
import type { Figures } from "../figures/figures.ts";
import { readFigures } from "../figures/read-figures.ts";
import { digestOfError, maskBody } from "../masked.ts";
import { Card, EmptyNote, Facts, type Html, PostButton, Table } from "../page/elements.tsx";
import { countText, instantText, wordsOf } from "../page/format.ts";
import type { PageContext, ShownView } from "../page-context.ts";
import { isEventKey, shortKey } from "./short-key.ts";

/** The dead letters that the page reads: more than a person looks at one by one. */
export const maxLetters = 500;

/** Shows the dead letters by their error. */
export async function deadLettersView(context: PageContext): Promise<ShownView> {
  const { doorcode, basePath, now } = context;
  const head = (
    <>
      <div class="view-head">
        <h1>Dead letters</h1>
      </div>
      <p class="lead">
        Webhooks whose handler failed too often, by their error. When the cause is mended, replay them: they are handled
        again, in order.
      </p>
    </>
  );
  if (!doorcode[doorcodeParts].webhooks?.inbox) {
    const note =
      "This app has no inbox, so it has no dead letters: a webhook that fails is answered 500, and the service delivers it again.";
    return {
      title: "Dead letters",
      children: [
        head,
        <Card id="none" title="No inbox">
          <EmptyNote>{note}</EmptyNote>
        </Card>,
      ],
    };
  }
  const letters = await doorcode.deadLetters.list({ limit: maxLetters });
  const groups = Map.groupBy(letters, errorText);
  const cards = [...groups].map(([error, group], index) => {
    const fields = { error: digestOfError(error) };
    return (
      <Card
        id={`error-${index}`}
        title={error}
        lead={`${countText(group.length)} dead letters, the newest at ${instantText(group[0]?.failedAt.getTime() ?? now, now)}.`}
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
              <PostButton
                action={`${basePath}/dead-letters/drop`}
                label="Drop …"
                of={shortKey(key)}
                fields={{ key }}
              />,
            ])}
        />
      </Card>
    );
  });
  const empty = (
    <Card id="empty" title="Nothing to do">
      <EmptyNote>There are no dead letters.</EmptyNote>
    </Card>
  );
  return { title: "Dead letters", children: [head, letters.length === 0 ? empty : cards] };
}

/** Shows one dead letter, or what is known of an event that is none any more. */
export async function letterView(context: PageContext): Promise<ShownView> {
  const { doorcode, basePath, now, query } = context;
  const { key: asked = "" } = query;
  const key = isEventKey(asked) ? asked : "";
  const hasInbox = doorcode[doorcodeParts].webhooks?.inbox !== undefined;
  const letters = hasInbox ? await doorcode.deadLetters.list({ limit: maxLetters }) : [];
  const letter = letters.find((each) => each.key === key);
  const { total } = await readFigures(doorcode, "month");
  const children = (
    <>
      <div class="view-head">
        <h1>{letter ? kindOf(letter.event) : "This event"}</h1>
        <span class="push" />
        {letter && (
          <PostButton action={`${basePath}/dead-letters/replay`} label="Replay …" look="primary" fields={{ key }} />
        )}
        {letter && (
          <PostButton action={`${basePath}/dead-letters/drop`} label="Drop …" look="danger" fields={{ key }} />
        )}
      </div>
      {letter ? (
        <Card id="letter" title="Dead letter" lead={errorText(letter)}>
          <Facts
            facts={[
              ["Key", shortKey(key)],
              ["Last failure", instantText(letter.failedAt.getTime(), now)],
            ]}
          />
          <h3>Body, with every number masked</h3>
          {/* It scrolls, so a keyboard must reach it. */}
          <pre tabindex={0}>{maskBody(letter.body)}</pre>
        </Card>
      ) : (
        <Card id="letter" title="No dead letter">
          <EmptyNote>This event is no dead letter: it was handled, dropped, or waits to be retried.</EmptyNote>
        </Card>
      )}
      {historyCard(key, total, now)}
      <p>
        <a href={`${basePath}/dead-letters`}>All dead letters</a>
      </p>
    </>
  );
  return { title: "Dead letter", children };
}

/** Shows the attempts of an event, and what operators did with it. */
function historyCard(key: string, { webhooks, actions }: Figures, now: number): Html {
  const entries = [
    ...webhooks
      .filter((entry) => entry.key === key)
      .map(({ at, outcome, error = "" }) => ({ at, what: wordsOf(outcome), detail: error })),
    ...actions
      .filter(({ target }) => target === key)
      .map(({ at, action, operator, outcome }) => ({
        at,
        what: `${wordsOf(action)}: ${outcome}`,
        detail: operator,
      })),
  ].sort((left, right) => right.at - left.at);
  const attempts = webhooks.filter((entry) => entry.key === key && entry.outcome === "failed").length;
  return (
    <Card
      id="history"
      title="Attempts"
      lead={`${countText(attempts)} failed attempts are known, among the last failures of each day.`}
    >
      <Table
        label="Attempts"
        columns={["When", "What", "Error or operator"]}
        rows={entries.map(({ at, what, detail }) => [instantText(at, now), what, detail])}
      />
    </Card>
  );
}

/** Returns the error of a dead letter as one line. Core has masked its digits. */
export function errorText({ error: { name, code, message } }: Pick<DeadLetter, "error">): string {
  return [code ?? name, message].filter(Boolean).join(": ");
}

function kindOf(event: DeadLetter["event"]): string {
  return "kind" in event ? event.kind : "unreadable";
}
