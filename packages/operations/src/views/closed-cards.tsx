import { type ClosedGroup, doorcodeParts } from "@doorcode/core/adapter";
import type { GroupEntry } from "../figures/entries.ts";
import type { Figures } from "../figures/figures.ts";
import { priceOf } from "../figures/read-figures.ts";
import { digestOfGroup, groupText } from "../masked.ts";
import { Card, EmptyNote, type Html, nothing, PostButton, Table } from "../page/elements.tsx";
import {
  agoText,
  countText,
  durationText,
  instantText,
  lastText,
  moneyText,
  none,
  secondText,
  valueText,
} from "../page/format.ts";
import { Status } from "../page/icon.tsx";
import type { PageContext } from "../page-context.ts";
import { limitText } from "./limit-texts.ts";

/** Shows which groups are closed, what closed them, and what they have refused since. */
export async function closedCards(context: PageContext, { groups }: Pick<Figures, "groups">): Promise<Html> {
  const { doorcode } = context;
  if (!doorcode[doorcodeParts].login)
    return (
      <Card id="closed" title="Closed now">
        <EmptyNote>This app has no login.</EmptyNote>
      </Card>
    );
  const state = await doorcode.limits.state();
  const closed = state.flatMap((entry) =>
    entry.kind === "app" ? [] : [{ ...entry, digest: digestOfGroup(doorcode, entry) }],
  );
  const [app] = state.filter((entry) => entry.kind === "app");
  const openAgain = [...groups].filter(([digest]) => !closed.some((group) => group.digest === digest));
  return (
    <>
      <Card
        id="closed"
        title="Closed now"
        lead="A closed group gets no codes until it opens by itself, or you open it. Addresses of people are masked."
      >
        {verdict(context, [...groups.values()])}
        {app && (
          <p>
            <Status tone="warn">App on alert</Status> {countText(app.unconfirmed)} logins of the last day are not
            confirmed, where {countText(app.threshold)} are usual. That refuses nothing by itself.
          </p>
        )}
        {closed.length === 0 ? (
          <EmptyNote>Nobody is locked out: no block of numbers, address or network is closed.</EmptyNote>
        ) : (
          <Table
            label="Closed now"
            columns={["Closed", ...courseColumns, "Opens", "Action"]}
            rows={closed.map((group) => closedRow(context, group, groups.get(group.digest)))}
          />
        )}
      </Card>
      {openAgain.length > 0 && (
        <Card
          id="open-again"
          title="Closed before"
          lead="A row for each closing that is over. A group is named while it is closed only."
        >
          <Table
            label="Closed before"
            columns={["Group", ...courseColumns, "Opened"]}
            rows={openAgain.map(([digest, entry]) => {
              const group = closed.find((each) => digest.startsWith(each.digest));
              return [
                `${group ? groupText(doorcode, group) : kindText(entry.kind, entry)} (${digest.slice(0, 6)})`,
                ...courseCells(context, entry),
                openedText(entry, context.now),
              ];
            })}
          />
        </Card>
      )}
    </>
  );
}

/** An attack asks again and again, also when nothing is sent. */
const quietMilliseconds = 60_000;

/** Says whether an attack goes on, and what all closings of the period have cost. */
function verdict({ now, prices }: PageContext, entries: readonly GroupEntry[]): Html {
  const closings = entries.filter(({ closing }) => closing);
  if (closings.length === 0) return nothing;
  const sum = (of: (entry: GroupEntry) => number) => closings.reduce((total, entry) => total + of(entry), 0);
  const last = Math.max(...closings.map(({ at }) => at));
  const goesOn = now - last < quietMilliseconds;
  const cost = prices && sum(({ closing, country }) => (closing?.logins ?? 0) * priceOf(prices, country));
  return (
    <p>
      <Status tone={goesOn ? "bad" : "good"}>{goesOn ? "Goes on" : "Over"}</Status>{" "}
      {goesOn
        ? `A closed group was asked for a code ${agoText(last, now)}.`
        : `No closed group was asked for a code in the last minute. The last time was ${agoText(last, now)}.`}{" "}
      {countText(closings.length)} {closings.length === 1 ? "closing" : "closings"} in this period:{" "}
      {countText(sum(({ closing }) => closing?.logins ?? 0))} texts before {closings.length === 1 ? "it" : "them"}
      {cost !== undefined && `, which cost ${moneyText(cost)}`}, and {countText(sum(({ refused }) => refused))} refused
      since.
    </p>
  );
}

function closedRow(
  { doorcode, basePath, now, prices }: PageContext,
  group: ClosedGroup & { readonly digest: string },
  entry: GroupEntry | undefined,
) {
  const name = groupText(doorcode, group);
  return [
    <>
      {name} <span class="soft">{kindText(group.kind, entry)}</span>
    </>,
    ...courseCells({ now, prices }, entry),
    `in ${durationText(group.secondsLeft)}, at ${instantText(now + group.secondsLeft * 1000, now)}`,
    <PostButton action={`${basePath}/limits/open`} label="Open …" of={name} fields={{ group: group.digest }} />,
  ];
}

const courseColumns = ["Since (UTC)", "Sent before", "#Refused", "Last refused (UTC)"];

/** What closed a group and what it refused: the course of an attack. */
function courseCells({ now, prices }: Pick<PageContext, "now" | "prices">, entry: GroupEntry | undefined) {
  if (!entry) return [none, none, countText(0), none];
  const { closing, country, refused, at } = entry;
  const cost = closing && prices && `, ${moneyText(closing.logins * priceOf(prices, country))}`;
  return [
    secondText(closing?.at, now),
    closing ? `${countText(closing.logins)} texts${cost ?? ""}` : none,
    countText(refused),
    lastText(at, now),
  ];
}

function kindText(kind: string, entry: GroupEntry | undefined): string {
  return entry ? `${limitText(kind)}, ${valueText("country", entry.country)}` : limitText(kind);
}

function openedText({ closing }: GroupEntry, now: number): string {
  if (!closing) return none;
  return closing.until > now ? "by an operator: see Activity" : instantText(closing.until, now);
}
