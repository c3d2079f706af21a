import { doorcodeParts } from "@doorcode/core/adapter";
import { dayMilliseconds } from "../figures/periods.ts";
import { costOf, countOf, type PeriodFigures, readFigures } from "../figures/read-figures.ts";
import { durationText, instantText, partText } from "../page/format.ts";
import type { PageContext } from "../page-context.ts";
import { Card, Field, type Html, nothing, PostButton, Select, Table } from "../page-parts.ts";
import { amountText, limitText } from "./limit-names.ts";

/** Shows how much of each ceiling is used, and lets an operator raise or lower it for a time. */
export async function ceilingsCard(context: PageContext, figures: PeriodFigures): Promise<Html> {
  const { doorcode, basePath, now, prices, period } = context;
  if (!doorcode[doorcodeParts].login) return nothing;
  const ceilings = await doorcode.limits.ceilings();
  if (ceilings.length === 0) {
    const empty = "Your app has no ceiling: an attack may cost any amount. Set login.limits.costPerDay and prices.";
    return <Card id="ceilings" title="Ceilings" empty={empty} />;
  }
  const { slots, total } = period === "today" ? figures : await readFigures(doorcode, "today");
  const sent = {
    sends_per_hour: countOf(slots.at(-1)?.figures ?? total, "sent"),
    sends_per_day: countOf(total, "sent"),
    cost_per_day: costOf(total, prices),
  };
  return (
    <Card
      id="ceilings"
      title="Ceilings, today"
      lead="At a ceiling no more codes are sent to anybody, until its hour or day in UTC is over. It counts what is reserved: each process reserves some codes ahead."
    >
      <Table
        label="Ceilings"
        columns={["Ceiling", "#Sent", "#Reserved", "#Allowed", "#Share", "#Configured", "Changed"]}
        rows={ceilings.map(({ kind, used, current, configured, changedForSeconds }) => [
          limitText(kind),
          amountText(kind, sent[kind]),
          amountText(kind, used),
          amountText(kind, current),
          partText(used, current),
          amountText(kind, configured),
          changedForSeconds === undefined ? (
            "no"
          ) : (
            <div class="row">
              for {durationText(changedForSeconds)}, until {instantText(now + changedForSeconds * 1000, now)}
              <PostButton
                action={`${basePath}/limits/ceiling`}
                label={`Back to ${amountText(kind, configured)} …`}
                of={limitText(kind)}
                fields={{ kind, value: "", seconds: "3600" }}
              />
            </div>
          ),
        ])}
      />
      {ceilingForm(context, ceilings)}
    </Card>
  );
}

type Ceilings = Awaited<ReturnType<PageContext["doorcode"]["limits"]["ceilings"]>>;

function ceilingForm({ basePath, now }: PageContext, ceilings: Ceilings): Html {
  return (
    <form method="post" action={`${basePath}/limits/ceiling`} class="fields">
      <Field label="Ceiling">
        <Select
          name="kind"
          choices={Object.fromEntries(
            ceilings.map(({ kind, current }) => [kind, `${limitText(kind)}: ${amountText(kind, current)}`]),
          )}
        />
      </Field>
      <Field label="New value">
        <input type="text" name="value" inputmode="decimal" autocomplete="off" required />
      </Field>
      <Field label="Until">
        <Select name="seconds" choices={untilChoices(now)} />
      </Field>
      <p class="actions">
        <button type="submit">Change …</button>
      </p>
    </form>
  );
}

/** The times until which a ceiling may be changed, by their seconds from now. */
function untilChoices(now: number): Readonly<Record<string, string>> {
  const untilMidnight = Math.ceil((dayMilliseconds - (now % dayMilliseconds)) / 1000);
  const seconds = [3600, 7200, 14_400, 28_800, 86_400, 259_200];
  return {
    // The last minute of a day is none.
    ...(untilMidnight > 60 && { [untilMidnight]: `the end of today, 00:00 UTC (${durationText(untilMidnight)})` }),
    ...Object.fromEntries(
      seconds.map((each) => [each, `${instantText(now + each * 1000, now)} (${durationText(each)})`]),
    ),
  };
}
