import { doorcodeParts } from "@doorcode/core/adapter";
import type { GroupEntry } from "../figures/entries.ts";
import type { Figures } from "../figures/figures.ts";
import { digestOfGroup, groupText } from "../masked.ts";
import { countText, durationText, instantText, none, secondText } from "../page/format.ts";
import type { PageContext } from "../page-context.ts";
import { Card, type Html, PostButton, Status, Table } from "../page-parts.ts";
import { attacksCard, type NamedGroup } from "./attacks-card.tsx";
import { kindText } from "./limit-names.ts";

/** Shows which groups are closed, and the attacks of the period: each closing, its cost and what was refused since. */
export async function closedCards(context: PageContext, { groups }: Pick<Figures, "groups">): Promise<Html> {
  const { doorcode } = context;
  if (!doorcode[doorcodeParts].login) return <Card id="closed" title="Closed now" empty="This app has no login." />;
  const state = await doorcode.limits.state();
  const closed = state.flatMap((entry) =>
    entry.kind === "app" ? [] : [{ ...entry, digest: digestOfGroup(doorcode, entry) }],
  );
  const [app] = state.filter((entry) => entry.kind === "app");
  return (
    <>
      <Card
        id="closed"
        title="Closed now"
        lead="A closed group gets no codes until it opens by itself, or you open it. If it closes again within a week, it stays closed longer. Addresses of people are masked."
      >
        {app && (
          <p class="now">
            <Status tone="warn">App on alert</Status> {countText(app.unconfirmed)} logins of the last day are not
            confirmed, where {countText(app.threshold)} are usual. That refuses nothing by itself.
          </p>
        )}
        <Table
          label="Closed now"
          empty="Nobody is locked out: no block of numbers, address or network is closed."
          columns={["Closed", "Why", "Opens", "Action"]}
          rows={closed.map((group) => closedRow(context, group, groups.get(group.digest)))}
        />
      </Card>
      {attacksCard(context, groups, closed)}
    </>
  );
}

function closedRow({ doorcode, basePath, now }: PageContext, group: NamedGroup, entry: GroupEntry | undefined) {
  const name = groupText(doorcode, group);
  const closing = entry?.closing;
  return [
    <>
      {name} <span class="soft">{kindText(group.kind, entry?.country)}</span>
    </>,
    closing
      ? `At ${secondText(closing.at, now)}, after ${countText(closing.logins)} logins ${countedTexts[closing.counted]}`
      : none,
    `in ${durationText(group.secondsLeft)}, at ${instantText(now + group.secondsLeft * 1000, now)}`,
    <PostButton action={`${basePath}/limits/open`} label="Open …" of={name} fields={{ group: group.digest }} />,
  ];
}

const countedTexts = { unconfirmed: "that nobody had confirmed", logins: "on one day" } as const;
