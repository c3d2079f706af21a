import { Card, type Html, PostButton, Status, Table, type Tone } from "@doorcode/operations/page-parts";
import { defaultApplicationId } from "../../state/application.ts";
import type { Decision } from "../../state/decision.ts";
import { CopyBlock } from "../components/controls.tsx";
import { applicationPath } from "../components/paths.ts";
import { Instant } from "../components/status.tsx";
import type { PageRequest, PageSection, PageView } from "../request/page-request.tsx";
import { DecisionsOverTime } from "./over-time.tsx";

const maxShown = 50;

/** The page of the decisions that an app makes about its codes. */
export const limitsSection: PageSection = {
  name: "limits",
  views: { "/limits": limitsView },
  forms: { "/limits/clear": ({ deps, application }) => deps.state.decisions.forget(application.id) },
};

function limitsView(request: PageRequest): PageView {
  const { deps, application, now } = request;
  const decisions = deps.state.decisions.list(application.id);
  const children = (
    <>
      <div class="view-head">
        <h1>Limits</h1>
        <span class="push" />
        {decisions.length > 0 && (
          <PostButton action={applicationPath(application.id, "limits", "clear")} label="Clear" icon="trash" />
        )}
      </div>
      {decisions.length === 0 && <NoDecisions {...request} />}
      {decisions.length > 0 && <DecisionsOverTime decisions={decisions} now={now} />}
      {decisions.length > 0 && totalsCard(decisions)}
      {decisions.length > 0 && (
        <Card id="decisions" title="Last decisions">
          <ul class="items">
            {decisions
              .slice(-maxShown)
              .reverse()
              .map((decision) => decisionItem(decision, now))}
          </ul>
        </Card>
      )}
    </>
  );
  return { title: "Limits", children };
}

function NoDecisions({ application: { id }, origin }: PageRequest): Html {
  const args = [origin, ...(id === defaultApplicationId ? [] : [{ application: id }])];
  return (
    <Card
      id="no-decisions"
      title="No decisions yet"
      lead="Before your app sends a code, its limits decide. To watch them here, pass your app's events on:"
    >
      <CopyBlock
        label="the lines for your app"
        text={`import { sendEventsTo } from "@doorcode/sandbox/events";

createDoorcode({ onEvent: sendEventsTo(${args.map((each) => JSON.stringify(each)).join(", ")}), … })`}
      />
      <p class="soft">Then start a login. Only decisions are sent: no numbers, no addresses.</p>
    </Card>
  );
}

/** The other outcomes have a column only if there is one of them. */
const alwaysShown: readonly Decision["outcome"][] = ["allowed", "would_refuse", "refused"];

/** Shows how often each limit has decided which way. */
function totalsCard(decisions: readonly Decision[]): Html {
  const limits = [...new Set(decisions.flatMap(({ limit }) => limit ?? []))].sort();
  const columns = outcomes.filter(
    ([outcome]) => alwaysShown.includes(outcome) || decisions.some((decision) => decision.outcome === outcome),
  );
  const totalsRow = (label: string, ofRow: readonly Decision[]) => [
    label,
    ...columns.map(([outcome]) => String(ofRow.filter((decision) => decision.outcome === outcome).length)),
  ];
  const ofLimit = (limit: string) => decisions.filter((decision) => decision.limit === limit);
  return (
    <Card id="totals" title="Outcomes" lead={`Of the last ${decisions.length.toLocaleString("en")} codes.`}>
      <Table
        label="Outcomes"
        columns={["Limit", ...columns.map(([, label]) => `#${label}`)]}
        rows={[totalsRow("All", decisions), ...limits.map((limit) => totalsRow(limitText(limit), ofLimit(limit)))]}
      />
    </Card>
  );
}

function decisionItem(decision: Decision, now: number): Html {
  const { id, at, outcome, country, limit } = decision;
  const [, label = outcome, tone = "quiet"] = outcomes.find(([each]) => each === outcome) ?? [];
  const facts = [
    country || "no country",
    decision.onAlert && "country on alert",
    decision.appOnAlert && "app on alert",
    decision.knownNumber && "known number",
    decision.knownDevice && "known device",
  ];
  return (
    <li id={`decision-${id}`}>
      <Status tone={tone}>{label}</Status>
      {limit !== undefined && (
        <span class="reason">
          <strong>{limitText(limit)}</strong>: {causeText(decision, limit)}
        </span>
      )}
      <span class="text">{facts.filter(Boolean).join(" · ")}</span>
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

function limitText(limit: string): string {
  return limitTexts[limit] ?? limit;
}

/** The cause of a refusal without a count, by its error code. */
const causes: Readonly<Record<string, string>> = {
  cooldown: "the pause after its last code is not over",
  send_limit_reached: "its codes are used up",
  number_range_closed: "closed by earlier unconfirmed logins",
  client_limit_reached: "closed by earlier unconfirmed logins",
  hourly_ceiling_reached: "used up",
  daily_ceiling_reached: "used up",
  cost_ceiling_reached: "used up",
};

/** Returns the one cause of a decision. */
function causeText({ outcome, code = "", count, threshold }: Decision, limit: string): string {
  if (limit === "app") return "decided by beforeSend";
  const isOfApp = outcome === "trusted" || outcome === "challenged" || outcome === "suppressed";
  const cause =
    count === undefined ? (causes[code] ?? "closed before") : `${count} logins, where ${threshold} are allowed`;
  return isOfApp ? `${cause}; then decided by beforeSend` : cause;
}
