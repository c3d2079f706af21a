import { Hono } from "hono";
import { applicationOf } from "../../http/read-request.ts";
import { advanceClock, setClock } from "../../sandbox/sandbox-clock.ts";
import { Card, type Html } from "../components/elements.tsx";
import { applicationPath } from "../components/paths.ts";
import { ClockNow } from "../layout/banner.tsx";
import { type ClockState, clockState } from "../layout/layout-data.ts";
import { createFormRoutes, type FormHandlers, ofApplication, toNumber } from "../request/form-handler.ts";
import { type PageContext, renderPage } from "../request/render-page.tsx";
import { FaultForms, faultForms } from "./fault-forms.tsx";
import { FaultList, faultListForms } from "./fault-list.tsx";

const maxFirings = 30;

/** Creates the page of an application's clock and faults, with its forms. */
export function createClockPage(context: PageContext): Hono {
  const { deps } = context;
  const routes = new Hono().get(`${ofApplication}/clock`, (c) => {
    const { id } = applicationOf(deps, c);
    const firings = deps.state.firings.list(id).slice(-maxFirings).reverse();
    const children = (
      <>
        <div class="view-head">
          <h1>Clock & faults</h1>
        </div>
        <ClockCard applicationId={id} clock={clockState(deps, id)} />
        <FaultList applicationId={id} faults={deps.state.faults.list(id)} firings={firings} />
        <FaultForms applicationId={id} />
      </>
    );
    return renderPage(c, context, { applicationId: id, section: "clock", title: "Clock & faults", children });
  });
  for (const forms of [clockForms, faultListForms, faultForms]) routes.route("/", createFormRoutes(context, forms));
  return routes;
}

/** The handlers of the clock's forms. */
const clockForms: FormHandlers = {
  returning: {
    [`${ofApplication}/clock`]: ({ deps, application, form }) =>
      setClock(deps, application.id, { mode: modeOf(form.text("mode")) }),
    [`${ofApplication}/clock/advance`]: ({ deps, application, form }) =>
      advanceClock(deps, application.id, { by: (form.text("by") ?? "").replaceAll(" ", "") }),
  },
};

/** The field holds the name of a mode, or a multiple of real time. */
function modeOf(text: string | undefined): unknown {
  const scale = toNumber(text);
  if (typeof scale !== "number") return text;
  return scale === 1 ? "real" : { scale };
}

interface ClockCardProps {
  readonly applicationId: string;
  readonly clock: ClockState;
}

const steps = ["30s", "2m", "10m", "1h", "24h"] as const;

/** Shows the clock, with forms that change its mode and move it forward. */
function ClockCard({ applicationId, clock }: ClockCardProps): Html {
  const path = applicationPath(applicationId, "clock");
  return (
    <Card
      id="clock"
      title="Clock"
      lead="Delivery, channel fallback, expiry, webhook retries and the 24 hours of a failing endpoint follow this clock. The 5 seconds in which an endpoint must answer, and X-Webhook-Timestamp, follow the machine's clock."
    >
      <div class="clock-card">
        <p>
          <ClockNow clock={clock} />
        </p>
        <Modes path={path} rate={clock.rate} />
      </div>
      <Advance path={path} />
    </Card>
  );
}

const scales = [10, 100] as const;

interface ModeButtonProps {
  readonly action: string;
  readonly mode: string;
  readonly label: string;
  readonly pressed: boolean;
}

function ModeButton({ action, mode, label, pressed }: ModeButtonProps): Html {
  return (
    <form method="post" action={action} class="one-button">
      <input type="hidden" name="mode" value={mode} />
      <button type="submit" aria-pressed={pressed ? "true" : "false"}>
        {label}
      </button>
    </form>
  );
}

function Modes({ path, rate }: { readonly path: string; readonly rate: number }): Html {
  return (
    <>
      <fieldset class="segmented">
        <legend class="unseen">Clock mode</legend>
        <ModeButton action={path} mode="real" label="Real" pressed={rate === 1} />
        <ModeButton action={path} mode="frozen" label="Frozen" pressed={rate === 0} />
        {scales.map((scale) => (
          <ModeButton action={path} mode={String(scale)} label={`${scale} ×`} pressed={rate === scale} />
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

function Advance({ path }: { readonly path: string }): Html {
  return (
    <fieldset class="advance">
      <legend class="unseen">Advance the clock</legend>
      <span class="soft">Advance by</span>
      {steps.map((step) => (
        <form method="post" action={`${path}/advance`} class="one-button">
          <input type="hidden" name="by" value={step} />
          <button type="submit">+{step}</button>
        </form>
      ))}
      <form method="post" action={`${path}/advance`} class="inline">
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
