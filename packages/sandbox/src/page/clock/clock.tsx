import { Card, type Html, PostButton } from "@doorcode/operations/page-parts";
import { applicationPath } from "../components/paths.ts";
import { clockNow } from "../layout/document.tsx";
import { clockState } from "../layout/layout-data.ts";
import { type PageRequest, type PageSection, type PageView, toNumber } from "../request/page-request.tsx";
import { FaultForms, FaultList, faultForms } from "./faults.tsx";

/** The page of an application's clock and faults. */
export const clockSection: PageSection = {
  name: "clock",
  views: { "/clock": clockView },
  forms: {
    "/clock": ({ sandbox, form }) => sandbox.clock.set(modeOf(form.text("mode"))),
    "/clock/advance": ({ sandbox, form }) => sandbox.clock.advance((form.text("by") ?? "").replaceAll(" ", "")),
    ...faultForms,
  },
};

function clockView(request: PageRequest): PageView {
  const children = (
    <>
      <div class="view-head">
        <h1>Clock & faults</h1>
      </div>
      <ClockCard {...request} />
      <FaultList {...request} />
      <FaultForms {...request} />
    </>
  );
  return { title: "Clock & faults", children };
}

/** The field holds the name of a mode, or a multiple of real time. */
function modeOf(text: string | undefined): unknown {
  const scale = toNumber(text);
  if (typeof scale !== "number") return text;
  return scale === 1 ? "real" : { scale };
}

/** Shows the clock, with forms that change its mode and move it forward. */
function ClockCard({ deps, application }: PageRequest): Html {
  const path = applicationPath(application.id, "clock");
  const clock = clockState(deps, application.id);
  return (
    <Card
      id="clock"
      title="Clock"
      lead="Delivery, channel fallback, expiry, webhook retries and the 24 hours of a failing endpoint follow this clock. The 5 seconds in which an endpoint must answer, and X-Webhook-Timestamp, follow the machine's clock."
    >
      <div class="clock-card">
        <p>{clockNow(clock)}</p>
        {modeForms(path, clock.rate)}
      </div>
      {advanceForms(`${path}/advance`)}
    </Card>
  );
}

const modes = [
  { mode: "real", label: "Real", shownRate: 1 },
  { mode: "frozen", label: "Frozen", shownRate: 0 },
  { mode: "10", label: "10 ×", shownRate: 10 },
  { mode: "100", label: "100 ×", shownRate: 100 },
];

function modeForms(path: string, rate: number): Html {
  return (
    <>
      <fieldset class="segmented">
        <legend class="unseen">Clock mode</legend>
        {modes.map(({ mode, label, shownRate }) => (
          <form method="post" action={path} class="one-button">
            <input type="hidden" name="mode" value={mode} />
            <button type="submit" aria-pressed={rate === shownRate ? "true" : "false"}>
              {label}
            </button>
          </form>
        ))}
      </fieldset>
      <form method="post" action={path} class="inline">
        <input
          type="number"
          name="mode"
          min="0.001"
          max="100000"
          step="any"
          placeholder="60"
          aria-label="Times as fast as real time"
          required
        />
        <button type="submit">× as fast</button>
      </form>
    </>
  );
}

const steps = ["30s", "2m", "10m", "1h", "24h"] as const;

function advanceForms(action: string): Html {
  return (
    <fieldset class="advance">
      <legend class="unseen">Advance the clock</legend>
      <span class="soft">Advance by</span>
      {steps.map((step) => (
        <PostButton action={action} label={`+${step}`} fields={{ by: step }} />
      ))}
      <form method="post" action={action} class="inline">
        <input
          type="text"
          name="by"
          placeholder="1h12m30s"
          aria-label="Duration, such as 1h12m30s"
          pattern="(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?"
          title="Days, hours, minutes and seconds, such as 1h12m30s"
          required
          autocomplete="off"
        />
        <button type="submit" class="primary">
          Advance
        </button>
      </form>
    </fieldset>
  );
}
