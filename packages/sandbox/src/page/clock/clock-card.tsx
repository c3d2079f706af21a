import { address } from "../address.ts";
import { Card } from "../controls/card.tsx";
import { ClockNow } from "../frame/banner.tsx";
import type { ClockFace } from "../frame/frame.ts";
import type { Html } from "../html.ts";

/** What {@link ClockCard} shows. */
export interface ClockCardProps {
  readonly applicationId: string;
  readonly clock: ClockFace;
}

const steps = ["30s", "2m", "10m", "1h", "24h"] as const;

/** Sets the clock and moves it on. */
export function ClockCard({ applicationId, clock }: ClockCardProps): Html {
  const set = address(applicationId, "clock");
  return (
    <Card
      id="clock"
      title="Clock"
      lead="It drives delivery, channel fallback, expiry, webhook retries and the 24 hours of failing endpoints. The 5 seconds an endpoint has, and X-Webhook-Timestamp, stay on the machine's clock."
    >
      <div class="clock-card">
        <p>
          <ClockNow clock={clock} />
        </p>
        <Modes set={set} rate={clock.rate} />
      </div>
      <Advance set={set} />
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

function Modes({ set, rate }: { readonly set: string; readonly rate: number }): Html {
  return (
    <>
      <fieldset class="segmented">
        <legend class="unseen">Clock mode</legend>
        <ModeButton action={set} mode="real" label="Real" pressed={rate === 1} />
        <ModeButton action={set} mode="frozen" label="Frozen" pressed={rate === 0} />
        {scales.map((scale) => (
          <ModeButton action={set} mode={String(scale)} label={`${scale} ×`} pressed={rate === scale} />
        ))}
      </fieldset>
      <form method="post" action={set} class="inline">
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

function Advance({ set }: { readonly set: string }): Html {
  return (
    <fieldset class="advance">
      <legend class="unseen">Advance the clock</legend>
      <span class="soft">Advance by</span>
      {steps.map((step) => (
        <form method="post" action={`${set}/advance`} class="one-button">
          <input type="hidden" name="by" value={step} />
          <button type="submit">+{step}</button>
        </form>
      ))}
      <form method="post" action={`${set}/advance`} class="inline">
        <input
          type="text"
          name="by"
          placeholder="1h12m30s"
          aria-label="Duration, such as 1h12m30s"
          pattern="(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?"
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
