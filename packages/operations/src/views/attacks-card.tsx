import type { ClosedGroup } from "@doorcode/core/adapter";
import type { GroupEntry } from "../figures/entries.ts";
import { priceOf } from "../figures/read-figures.ts";
import { groupText } from "../masked.ts";
import { agoText, countText, instantText, lastText, moneyText, none, nounText, secondText } from "../page/format.ts";
import { type PageContext, urlOf } from "../page-context.ts";
import { Card, type Html, nothing, Status, Table } from "../page-parts.ts";
import { kindText } from "./limit-names.ts";

/** A closed group, and the name by which forms and figures refer to it. */
export type NamedGroup = ClosedGroup & { readonly digest: string };

/** An attack or an alert that was quiet for this long is over. An attack asks again and again, also when nothing is sent. */
export const quietMilliseconds = 60_000;

/** A row for each closing of the period: an attack shows as one. */
export function attacksCard(
  context: PageContext,
  groups: ReadonlyMap<string, GroupEntry>,
  closed: readonly NamedGroup[],
): Html {
  const { doorcode, now } = context;
  const rows = [...groups].flatMap(([digest, entry]) => {
    const { closing } = entry;
    if (!closing) return [];
    const group = closed.find((each) => digest.startsWith(each.digest));
    // An earlier closing of a group has the instant of it in its digest.
    const isClosed = group?.digest === digest;
    return [{ digest, entry, closing, group, isClosed, goesOn: isClosed && now - entry.at < quietMilliseconds }];
  });
  if (rows.length === 0) return nothing;
  return (
    <Card
      id="attacks"
      title="Attacks"
      lead="An attack requests many codes in one group and confirms none, which closes the group. The texts before came shortly before that. After a minute without a request it is over. A group that is open again has a fingerprint in place of its name."
    >
      {attacksSentence(context, rows)}
      <Table
        label="Attacks"
        columns={[
          "Group",
          "Noticed and closed (UTC)",
          "Last request (UTC)",
          "State",
          "#Texts before it",
          "#Cost",
          "#Refused since",
          "Opened",
        ]}
        rows={rows.map(({ digest, entry, closing, group, isClosed, goesOn }) => [
          group ? (
            <>
              {groupText(doorcode, group)} <span class="soft">{kindText(entry.kind, entry.country)}</span>
            </>
          ) : (
            `${kindText(entry.kind, entry.country)} (${digest.slice(0, 6)})`
          ),
          secondText(closing.at, now),
          lastText(entry.at, now),
          goesOn ? <Status tone="bad">Goes on</Status> : <Status tone="good">Over</Status>,
          countText(closing.logins),
          moneyText(costOf(context, entry)),
          countText(entry.refused),
          isClosed ? "not yet" : openedText(context, entry),
        ])}
      />
    </Card>
  );
}

interface AttackRow {
  readonly entry: GroupEntry;
  readonly goesOn: boolean;
}

/** Says in a sentence what the attacks of the period have cost, and whether one goes on. */
function attacksSentence(context: PageContext, rows: readonly AttackRow[]): Html {
  const { now, prices } = context;
  const sum = (of: (entry: GroupEntry) => number) => rows.reduce((total, { entry }) => total + of(entry), 0);
  const texts = nounText(
    sum(({ closing }) => closing?.logins ?? 0),
    "text",
  );
  const cost = prices ? `, which cost ${moneyText(sum((entry) => costOf(context, entry) ?? 0))} by your prices` : "";
  const last = Math.max(...rows.map(({ entry }) => entry.at));
  const goesOn = rows.some((row) => row.goesOn);
  return (
    <p class="now">
      <Status tone={goesOn ? "bad" : "good"}>{goesOn ? "Goes on" : "Over"}</Status> The last request was{" "}
      {agoText(last, now)}. {countText(rows.length)} in this period: {texts} before{" "}
      {rows.length === 1 ? "the group was" : "the groups were"} closed{cost};{" "}
      {nounText(
        sum(({ refused }) => refused),
        "request",
      )}{" "}
      refused since.
    </p>
  );
}

function costOf({ prices }: PageContext, { closing, country }: GroupEntry): number | undefined {
  return prices && (closing?.logins ?? 0) * priceOf(prices, country);
}

function openedText(context: PageContext, { closing }: GroupEntry) {
  if (!closing) return none;
  if (closing.until <= context.now) return instantText(closing.until, context.now);
  return <a href={urlOf(context, "activity")}>by an operator</a>;
}
