import { Hono } from "hono";
import { applicationOf } from "../../http/read-request.ts";
import { defaultApplicationId } from "../../state/application.ts";
import type { Decision } from "../../state/decision.ts";
import { CopyBlock, PostButton } from "../components/controls.tsx";
import { Card, type Html } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import { Instant, Status, type Tone } from "../components/status.tsx";
import { createFormRoutes, type FormHandlers, ofApplication } from "../request/form-handler.ts";
import { type PageContext, renderPage } from "../request/render-page.tsx";

const maxShown = 50;

const forms: FormHandlers = {
  returning: {
    [`${ofApplication}/limits/clear`]: ({ deps, application }) => deps.state.decisions.forget(application.id),
  },
};

/** Creates the page of the decisions that an app makes about its codes. */
export function createLimitsPage(context: PageContext): Hono {
  const { state, scheduler } = context.deps;
  const routes = new Hono().get(`${ofApplication}/limits`, (c) => {
    const { id } = applicationOf(context.deps, c);
    const decisions = state.decisions.list(id);
    const children = (
      <>
        <div class="view-head">
          <h1>Limits</h1>
          <span class="push" />
          {decisions.length > 0 && (
            <PostButton action={applicationPath(id, "limits", "clear")} label="Clear" icon="trash" />
          )}
        </div>
        {decisions.length === 0 && <NoDecisions applicationId={id} origin={new URL(c.req.url).origin} />}
        {decisions.length > 0 && <DecisionTotals decisions={decisions} />}
        {decisions.length > 0 && (
          <DecisionList decisions={decisions.slice(-maxShown).reverse()} now={scheduler.now(id)} />
        )}
      </>
    );
    return renderPage(c, context, { applicationId: id, section: "limits", title: "Limits", children });
  });
  return routes.route("/", createFormRoutes(context, forms));
}

interface NoDecisionsProps {
  readonly applicationId: string;
  readonly origin: string;
}

/** Says how an app sends its decisions here. */
function NoDecisions({ applicationId, origin }: NoDecisionsProps): Html {
  const isDefault = applicationId === defaultApplicationId;
  const args = [origin, ...(isDefault ? [] : [{ application: applicationId }])].map((each) => JSON.stringify(each));
  return (
    <Card
      id="no-decisions"
      title="No decisions yet"
      lead="Before your app sends a code, its limits decide. To watch them here, pass your app's events on:"
    >
      <CopyBlock
        label="the lines for your app"
        text={`import { sendEventsTo } from "@doorcode/sandbox/events";

createDoorcode({ onEvent: sendEventsTo(${args.join(", ")}), … })`}
      />
      <p class="soft">Then start a login. Only decisions are sent: no numbers, no addresses.</p>
    </Card>
  );
}

/** The other outcomes have a column only if there is one of them. */
const alwaysShown: readonly Decision["outcome"][] = ["allowed", "would_refuse", "refused"];

/** Shows how often each limit has decided which way. */
function DecisionTotals({ decisions }: { readonly decisions: readonly Decision[] }): Html {
  const limits = [...new Set(decisions.flatMap(({ limit }) => limit ?? []))].sort();
  const columns = outcomes.filter(
    ([outcome]) => alwaysShown.includes(outcome) || decisions.some((decision) => decision.outcome === outcome),
  );
  return (
    <Card id="totals" title="Outcomes" lead={`Of the last ${decisions.length.toLocaleString("en")} codes.`}>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th scope="col">Limit</th>
              {columns.map(([, label]) => (
                <th scope="col" class="amount">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <TotalsRow label="All" decisions={decisions} columns={columns} />
            {limits.map((limit) => (
              <TotalsRow
                label={limitText(limit)}
                decisions={decisions.filter((decision) => decision.limit === limit)}
                columns={columns}
              />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

interface TotalsRowProps {
  readonly label: string;
  readonly decisions: readonly Decision[];
  readonly columns: typeof outcomes;
}

function TotalsRow({ label, decisions, columns }: TotalsRowProps): Html {
  return (
    <tr>
      <th scope="row">{label}</th>
      {columns.map(([outcome]) => (
        <td class="amount">{decisions.filter((decision) => decision.outcome === outcome).length}</td>
      ))}
    </tr>
  );
}

interface DecisionListProps {
  readonly decisions: readonly Decision[];
  readonly now: number;
}

/** Shows the last decisions. */
function DecisionList({ decisions, now }: DecisionListProps): Html {
  return (
    <Card id="decisions" title="Last decisions">
      <ul class="items">
        {decisions.map((decision) => (
          <DecisionItem decision={decision} now={now} />
        ))}
      </ul>
    </Card>
  );
}

function DecisionItem({ decision, now }: { readonly decision: Decision; readonly now: number }): Html {
  const { id, at, outcome, country, limit } = decision;
  const [, label = outcome, tone = "quiet"] = outcomes.find(([each]) => each === outcome) ?? [];
  const reasons = [reasonText(decision) ?? [], country || "no country", circumstances(decision)].flat();
  return (
    <li id={`decision-${id}`}>
      <Status tone={tone}>{label}</Status>
      {limit !== undefined && <strong>{limitText(limit)}</strong>}
      <span class="text">{reasons.join(" · ")}</span>
      <Instant at={at} now={now} />
    </li>
  );
}

/** The outcomes in the order of the page, with their labels and tones. */
const outcomes: readonly (readonly [Decision["outcome"], label: string, Tone])[] = [
  ["allowed", "Allowed", "good"],
  ["trusted", "Trusted", "good"],
  ["would_refuse", "Would refuse", "warn"],
  ["challenged", "Challenged", "warn"],
  ["suppressed", "Suppressed", "bad"],
  ["refused", "Refused", "bad"],
];

const limitTexts: Readonly<Record<string, string>> = {
  app: "Your app",
  number: "Number",
  block: "Block",
  wide_block: "Wide block",
  address: "Address",
  network: "Network",
  sends_per_hour: "Codes an hour",
  sends_per_day: "Codes a day",
  cost_per_day: "Cost a day",
};

/** The limits that close for a time. */
const groups = ["block", "wide_block", "address", "network"];

/** Returns the label of a limit. */
function limitText(limit: string): string {
  return limitTexts[limit] ?? limit;
}

/** Returns why a limit was met: by its count, or because it had closed before. */
function reasonText({ limit, count, threshold }: Decision): string | undefined {
  if (limit === undefined) return undefined;
  if (count !== undefined && threshold !== undefined) return `${count} where ${threshold} are allowed`;
  if (limit === "app") return "beforeSend";
  if (limit === "number") return "too early, or its codes are used up";
  return groups.includes(limit) ? "closed before" : "used up";
}

/** Returns what else counted for a decision. */
function circumstances({ onAlert, appOnAlert, knownNumber, knownDevice }: Decision): readonly string[] {
  return [
    ...(onAlert ? ["country on alert"] : []),
    ...(appOnAlert ? ["app on alert"] : []),
    ...(knownNumber ? ["known number"] : []),
    ...(knownDevice ? ["known device"] : []),
  ];
}
